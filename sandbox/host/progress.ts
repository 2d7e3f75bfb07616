/** Where a step reports how far it is; the newest note is shown beside the elapsed time. */
export type Note = (text: string) => void;

/** Shows work that takes longer than a moment. */
export interface Progress {
	/**
	 * Runs `work` and shows its title, how long it usually takes, the elapsed time while it runs, and how it ended.
	 *
	 * @returns what `work` returns
	 */
	step<T>(title: string, work: (note: Note) => Promise<T>, usually?: string): Promise<T>;
	/** One line of plain information. */
	info(line: string): void;
}

/** Shows nothing: for tests that start hosts of their own. */
export const silentProgress: Progress = {
	step: async (_title, work) => work(() => {}),
	info: () => {},
};

/**
 * Writes to a terminal (one line that is kept up to date) or to a file or CI log (a line every 15 s).
 *
 * @param output defaults to standard error, so that standard output stays free for results
 */
export function terminalProgress(output: NodeJS.WriteStream = process.stderr): Progress {
	const live = output.isTTY;
	const write = (line: string, end: string) =>
		output.write(`${live ? '\r\u001b[2K' : ''}${line}${end}`);

	return {
		info: (line) => void write(line, '\n'),
		async step(title, work, usually) {
			const started = Date.now();
			let latest = '';
			const head = `  … ${title}${usually ? ` (usually ${usually})` : ''}`;
			write(head, live ? '' : '\n');
			const tick = () => {
				const line = `${live ? head : `  … ${title}`}: ${elapsed(started)}${latest ? `, ${latest}` : ''}`;
				write(live ? line.slice(0, output.columns - 1) : line, live ? '' : '\n');
			};
			const ticker = setInterval(tick, live ? 1_000 : 15_000);
			try {
				const result = await work((text) => {
					latest = text;
				});
				write(`  ✓ ${title}: ${elapsed(started)}`, '\n');
				return result;
			} catch (error) {
				write(`  ✗ ${title}: ${elapsed(started)}`, '\n');
				throw error;
			} finally {
				clearInterval(ticker);
			}
		},
	};
}

/** `started` in epoch milliseconds; gives `8 s` or `2 min 05 s`. */
function elapsed(started: number): string {
	const seconds = Math.round((Date.now() - started) / 1_000);
	const minutes = Math.floor(seconds / 60);
	return minutes === 0
		? `${seconds} s`
		: `${minutes} min ${String(seconds % 60).padStart(2, '0')} s`;
}
