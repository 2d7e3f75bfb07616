import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';

const PAUSE_MS = 30;

const LONGEST_PAUSE_MS = 500;

/**
 * Reads until what is read is enough. The pauses grow with the time that it takes, so that a long wait leaves the processor to what is
 * waited for.
 *
 * @param pause the shortest, in milliseconds
 * @returns what was read last, which is not enough once the patience has run out
 */
export async function until<T>(
	read: () => T | Promise<T>,
	isEnough: (found: T) => boolean,
	patience = 30_000,
	pause = PAUSE_MS,
): Promise<T> {
	const began = Date.now();
	for (;;) {
		const found = await read();
		const waited = Date.now() - began;
		if (isEnough(found) || waited > patience) return found;
		await delay(Math.max(pause, Math.min(waited / 20, LONGEST_PAUSE_MS)));
	}
}

/** Reads until what is read equals what is expected. Returns what was read last. */
export async function readUntil<T>(
	read: () => T | Promise<T>,
	expected: T,
	patience = 60_000,
): Promise<T> {
	return await until(read, (found) => isDeepStrictEqual(found, expected), patience);
}

/**
 * Waits until something is there, or true.
 *
 * @param what names it where it is not there in time
 */
export async function eventually<T>(
	what: string,
	read: () => T | undefined | false | Promise<T | undefined | false>,
	patience = 60_000,
): Promise<T> {
	const found = await until(read, (value) => value !== undefined && value !== false, patience);
	if (found === undefined || found === false)
		throw new Error(`Not within ${patience / 1_000} s: ${what}.`);
	return found;
}
