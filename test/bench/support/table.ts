/** A table as Markdown, so that what the bench prints is what the docs show. The first column is text, all others numbers. */
export function table(head: readonly string[], rows: ReadonlyArray<readonly string[]>): string {
	const widths = head.map((title, column) =>
		Math.max(title.length, ...rows.map((row) => (row[column] ?? '').length)),
	);
	const line = (cells: readonly string[]) =>
		`| ${cells.map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0))).join(' | ')} |`;
	const rule = widths.map((width, column) =>
		column === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`,
	);
	return [line(head), line(rule), ...rows.map(line)].join('\n');
}

export const seconds = (milliseconds: number) => `${(milliseconds / 1_000).toFixed(1)} s`;

export const millis = (milliseconds: number) => `${milliseconds.toFixed(0)} ms`;

export const megabytes = (bytes: number) => `${(bytes / 1_000_000).toFixed(0)} MB`;

/** Ours as a multiple of the alternative: below 1 is less of it than the alternative takes. */
export const ratio = (ours: number, alternative: number) =>
	alternative > 0 ? (ours / alternative).toFixed(2) : '–';

export const metOrMissed = (met: boolean) => (met ? 'met' : 'missed');
