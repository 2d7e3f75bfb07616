import { isDeepStrictEqual } from 'node:util';

const PAUSE_MS = 30;

/**
 * Reads until what is read equals what is expected.
 *
 * @returns what was read last, which differs from what is expected once the patience has run out
 */
export async function readUntil<T>(read: () => Promise<T>, expected: T, patience = 5_000): Promise<T> {
	const end = Date.now() + patience;
	for (;;) {
		const found = await read();
		if (isDeepStrictEqual(found, expected) || Date.now() > end) return found;
		await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
	}
}
