import { setTimeout as delay } from 'node:timers/promises';

/** Waits until it is done. Throws with the name of what was waited for after the limit, in milliseconds. */
export async function until(what: string, done: () => boolean, limitMs: number): Promise<void> {
	const deadline = Date.now() + limitMs;
	while (!done()) {
		if (Date.now() > deadline) throw new Error(`Waited for ${what} in vain.`);
		await delay(50);
	}
}
