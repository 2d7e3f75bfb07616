import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const FOLDER = join(__dirname, '../../../.sandbox/figures');

export type Figures = Record<string, string | number>;

/** Prints figures as a line of a table, and keeps them in a file, for the docs. */
export function report(name: string, figures: Figures): void {
	mkdirSync(FOLDER, { recursive: true });
	writeFileSync(
		join(FOLDER, `${name.replace(/\W+/g, '-')}.json`),
		`${JSON.stringify(figures, null, '\t')}\n`,
	);
	const cells = Object.entries(figures).map(([label, value]) => `${label}: ${value}`);
	process.stdout.write(`| ${[name, ...cells].join(' | ')} |\n`);
}
