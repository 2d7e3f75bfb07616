import { setTimeout as delay } from 'node:timers/promises';

/**
 * Asks every 100 ms until `ready` says so.
 *
 * @param hasEnded asked first each time: whether `ready` can no longer become true
 * @returns false after `timeoutMs`, or where it has ended
 */
export async function becomes(
	ready: () => Promise<boolean>,
	timeoutMs: number,
	hasEnded: () => boolean = () => false,
): Promise<boolean> {
	for (const deadline = Date.now() + timeoutMs; Date.now() <= deadline; await delay(100)) {
		if (hasEnded()) return false;
		if (await ready()) return true;
	}
	return false;
}
