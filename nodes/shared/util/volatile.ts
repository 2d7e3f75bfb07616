const CLOCK = String.raw`\d{1,2}:\d{2}(?::\d{2})?`;
const MONTH = '(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*';

/** A date with a time, in common notations, or current milliseconds since 1970. */
const TIMESTAMP = new RegExp(
	[
		String.raw`\b\d{4}-\d{2}-\d{2}[T ]${CLOCK}`,
		String.raw`\b\d{1,2}[/.]\d{1,2}[/.]\d{4},? ${CLOCK}`,
		String.raw`\b${MONTH} \d{1,2},? \d{4},? (?:at )?${CLOCK}`,
		String.raw`\b\d{1,2} ${MONTH} \d{4},? ${CLOCK}`,
		String.raw`(?<![\w.])1[5-9]\d{11}(?![\w.])`,
	].join('|'),
	'g',
);

const UUID = /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi;

/** Digits and letters mixed: a long number or a line of one letter is not a random ID. */
const RANDOM_ID = /\b(?=[0-9a-f]*[a-f])(?=[0-9a-f]*\d)[0-9a-f]{24,64}\b/gi;

const KINDS = [
	['a timestamp', TIMESTAMP],
	['a UUID', UUID],
	['a random ID', RANDOM_ID],
] as const;

/** What in a text probably changes with each request (cache rule 5): of each kind where the first begins, in characters from 1, and their count. */
export function findVolatile(text: string) {
	return KINDS.flatMap(([what, pattern]) => {
		const found = [...text.matchAll(pattern)];
		return found[0] === undefined
			? []
			: [{ what, character: found[0].index + 1, count: found.length }];
	});
}
