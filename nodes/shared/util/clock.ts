import { sleep as hostSleep } from 'n8n-workflow';

export const HOUR_MS = 3_600_000;

/** Time as the nodes see it. Tests put a faster clock in its place. */
export interface Clock {
	/** Milliseconds since 1970. */
	now(): number;
	sleep(ms: number): Promise<void>;
	/** Converts `ms` milliseconds of this clock to a time limit that n8n itself keeps. */
	toHostMs(ms: number): number;
}

/** The longest timer of Node.js, in milliseconds: a longer one ends at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

const host: Clock = {
	now: () => Date.now(),
	sleep: async (ms) => await hostSleep(ms),
	toHostMs: (ms) => Math.min(ms, LONGEST_TIMER_MS),
};

export let clock = host;

/** Replaces the clock for all nodes in this process, or restores the host's. For tests only. */
export function setClock(replacement: Clock | undefined): void {
	clock = replacement ?? host;
}

/** n8n's sleep cannot be interrupted: the longest time, in milliseconds, for which it goes on in a canceled node. */
const SLICE_MS = 250;

/** Sleeps for `ms` milliseconds, or until `signal` is aborted: a canceled node ends at once. */
export async function sleep(ms: number, signal?: AbortSignal, by: Clock = clock): Promise<void> {
	const end = by.now() + ms;
	const awake = new AbortController();
	const canceled = new Promise<void>((resolve) => {
		signal?.addEventListener('abort', () => resolve(), { signal: awake.signal });
	});
	for (let left = ms; left > 0 && !signal?.aborted; left = end - by.now()) {
		await Promise.race([canceled, by.sleep(Math.min(left, SLICE_MS))]);
	}
	awake.abort();
}

/** The same on the host's clock, for a limit like those that n8n itself keeps. */
export const sleepOnHost = async (ms: number, signal: AbortSignal) =>
	await sleep(clock.toHostMs(ms), signal, host);

/** Waits for `work`, at most `ms` milliseconds. Returns `undefined` if it takes longer; the work goes on. */
export async function within<Result>(
	ms: number,
	work: Promise<Result>,
): Promise<Result | undefined> {
	const stop = new AbortController();
	const late = sleep(ms, stop.signal).then(() => undefined);
	return await Promise.race([work, late]).finally(() => stop.abort());
}
