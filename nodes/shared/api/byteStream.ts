import { z } from '../util/vendor/zod';
import { TooLargeError } from './errors';

/** A readable stream by what is needed of it: the build must not import `stream`. */
export type ByteStream = NodeJS.ReadableStream & { destroy(error?: Error): void; readonly destroyed?: boolean };

export const byteStream = z.custom<ByteStream>(
	(value) => typeof value === 'object' && value !== null && 'pipe' in value && 'destroy' in value,
);

const MEGABYTE = 1_000_000;
const MAX_TEXT_MB = 64;

/**
 * Reads a stream to its end as text. Throws a `TooLargeError` for one of more than 64 MB after decompression. An aborted `signal` ends
 * it.
 */
export async function readText(body: ByteStream, signal?: AbortSignal): Promise<string> {
	const destroy = () => body.destroy();
	signal?.addEventListener('abort', destroy);
	const chunks: Buffer[] = [];
	let bytes = 0;
	try {
		for await (const chunk of body) {
			const piece = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
			bytes += piece.length;
			// Leaving the loop destroys the stream.
			if (bytes > MAX_TEXT_MB * MEGABYTE) throw new TooLargeError(`The response has more than ${MAX_TEXT_MB} MB of text`, 'unknown');
			chunks.push(piece);
		}
	} finally {
		signal?.removeEventListener('abort', destroy);
	}
	// Without a byte order mark, as n8n reads text.
	return new TextDecoder().decode(Buffer.concat(chunks));
}
