import { createWriteStream, type WriteStream } from 'node:fs';

/** What n8n writes, kept in a file and in memory, without colour codes. */
export class HostLog {
	private readonly kept: string[] = [];

	private readonly stream: WriteStream;

	private partial = '';

	constructor(readonly file: string) {
		this.stream = createWriteStream(file, { flags: 'a' });
	}

	/** Takes a piece of output as it comes, in the middle of a line or not. */
	write(chunk: string): void {
		// eslint's no-control-regex is right in general, but escape codes are what is looked for here.
		const text = chunk.replace(new RegExp(`${String.fromCharCode(27)}\\[[0-9;]*m`, 'g'), '');
		this.stream.write(text);
		const lines = (this.partial + text).split('\n');
		this.partial = lines.pop() ?? '';
		this.kept.push(...lines);
	}

	/** Number of lines so far: give it to {@link since} to see only what came later. */
	get mark(): number {
		return this.kept.length;
	}

	/** The lines from `mark` on. */
	since(mark: number): string[] {
		return this.kept.slice(mark);
	}

	get lines(): readonly string[] {
		return this.kept;
	}

	text(): string {
		return [...this.kept, this.partial].join('\n');
	}

	/** The last lines, for an error message. */
	tail(count = 30): string {
		return this.kept.slice(-count).join('\n');
	}

	async close(): Promise<void> {
		await new Promise<void>((resolve) => this.stream.end(resolve));
	}
}
