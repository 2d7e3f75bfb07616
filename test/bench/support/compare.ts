import type { Note } from '../../../sandbox/host';
import { median } from './statistics';
import { ratio } from './table';

/** What is told of both sides: its title, how it is taken from a run and written, and whether the ratio of the two is told. */
export type Figure<Run> = [
	title: string,
	of: (run: Run) => number,
	show: (value: number) => string,
	ratio?: 'ratio',
];

/** The runs of our side, and of what it is measured against. */
export interface Sides<Run> {
	ours: Run[];
	theirs: Run[];
}

/** Measures both sides turn about, so that what n8n keeps from one run burdens neither alone. */
export async function takeTurns<Run>(
	turns: number,
	note: (turn: string) => ReturnType<Note>,
	measure: Record<keyof Sides<Run>, () => Promise<Run>>,
): Promise<Sides<Run>> {
	const sides: Sides<Run> = { ours: [], theirs: [] };
	for (let turn = 1; turn <= turns; turn++) {
		note(`${turn} of ${turns}`);
		sides.ours.push(await measure.ours());
		sides.theirs.push(await measure.theirs());
	}
	return sides;
}

/** The titles of the columns. */
export const headOf = <Run>(figures: ReadonlyArray<Figure<Run>>, other: string): string[] =>
	figures.flatMap(([title, , , withRatio]) => [
		`${title}: ours`,
		other,
		...(withRatio ? ['ratio'] : []),
	]);

/** Their values, the medians of both sides. */
export const cellsOf = <Run>(
	figures: ReadonlyArray<Figure<Run>>,
	{ ours, theirs }: Sides<Run>,
): string[] =>
	figures.flatMap(([, of, show, withRatio]) => {
		const [a, b] = [median(ours.map(of)), median(theirs.map(of))];
		return [show(a), show(b), ...(withRatio ? [ratio(a, b)] : [])];
	});
