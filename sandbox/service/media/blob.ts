import { Readable } from 'node:stream';

const CHUNK = 64 * 1024;

/** Repeats with every chunk, so that a file of any size costs no memory, and does not compress to nothing. */
const PATTERN = Buffer.from(Uint8Array.from({ length: CHUNK }, (_, index) => (index * 167 + (index >> 8) * 59) & 0xff));

/**
 * A stream of exactly `bytes` bytes: first `head`, then filling.
 * @param head what the stream starts with; cut off where it is longer
 */
export function paddedStream(bytes: number, head: Buffer = Buffer.alloc(0)): Readable {
	return Readable.from(padding(bytes, head), { objectMode: false });
}

function* padding(bytes: number, head: Buffer): Generator<Buffer> {
	if (head.length > 0 && bytes > 0) yield head.subarray(0, bytes);
	for (let left = bytes - head.length; left > 0; left -= CHUNK) yield PATTERN.subarray(0, Math.min(left, CHUNK));
}
