/** Bytes that are kept at least, where so many come: what is cut off inside a key is not among those that are shown. */
const KEPT_BYTES = 40_000;

/** The beginning of a stream, to show it where nothing in it could be read. */
export class Beginning {
	private readonly kept: Buffer[] = [];

	private bytes = 0;

	/** The same pieces, whose beginning is kept. */
	async *of(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
		for await (const piece of pieces) {
			if (this.bytes < KEPT_BYTES) this.kept.push(piece);
			this.bytes += piece.length;
			yield piece;
		}
	}

	get text(): string {
		return Buffer.concat(this.kept).toString();
	}
}
