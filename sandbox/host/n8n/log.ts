import { closeSync, existsSync, openSync, readFileSync, writeSync } from 'node:fs';
import { stripVTControlCharacters } from 'node:util';

/** What n8n writes, without colour codes. It is kept in a file, so that another process can read along. */
export class HostLog {
	private handle: number | undefined;

	constructor(readonly file: string) {}

	/** Writes a piece of output, which may end in the middle of a line. */
	write(chunk: string): void {
		this.handle ??= openSync(this.file, 'a');
		// At once, so that the lines before an answer of n8n's can be read as soon as the answer is there.
		writeSync(this.handle, stripVTControlCharacters(chunk));
	}

	text(): string {
		return existsSync(this.file) ? readFileSync(this.file, 'utf8') : '';
	}

	get lines(): string[] {
		return this.text().split('\n');
	}

	/** Number of lines so far: give it to {@link since} to see only what came later. */
	get mark(): number {
		return this.lines.length - 1;
	}

	/** The lines from `mark` on. */
	since(mark: number): string[] {
		return this.lines.slice(mark);
	}

	/** The last lines, for an error message. */
	tail(count = 30): string {
		return this.lines.slice(-count).join('\n');
	}

	close(): void {
		if (this.handle !== undefined) closeSync(this.handle);
		this.handle = undefined;
	}
}
