import { isDeepStrictEqual } from 'node:util';

const PAUSE_MS = 30;

/**
 * Reads until what is read is enough.
 *
 * @returns what was read last, which is not enough once the patience has run out
 */
export async function until<T>(
	read: () => T | Promise<T>,
	isEnough: (found: T) => boolean,
	patience = 30_000,
): Promise<T> {
	const end = Date.now() + patience;
	for (;;) {
		const found = await read();
		if (isEnough(found) || Date.now() > end) return found;
		await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
	}
}

/** Reads until what is read equals what is expected. Returns what was read last. */
export async function readUntil<T>(
	read: () => Promise<T>,
	expected: T,
	patience = 5_000,
): Promise<T> {
	return await until(read, (found) => isDeepStrictEqual(found, expected), patience);
}
