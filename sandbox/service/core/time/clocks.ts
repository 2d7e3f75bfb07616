import { setImmediate, setTimeout as delay } from 'node:timers/promises';

/**
 * The sandbox's only source of time. Task progress, link expiry, callback retries and cache lifetimes use it, so that a
 * test can let three days pass at once.
 */
export interface Clock {
	/** Milliseconds since the Unix epoch, on this clock. */
	now(): number;
	/** How many times as fast as the time of other programs it runs: for what others must do in time. */
	readonly factor: number;
	/**
	 * Resolves once `ms` milliseconds have passed on this clock.
	 * @throws the signal's reason, as soon as `signal` is aborted
	 */
	sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** Unix seconds, as the service writes its times. */
export function unixSeconds(ms: number): number {
	return Math.floor(ms / 1000);
}

/** Node fires a timer at once if its delay does not fit in 32 bits, so a longer sleep uses several timers. */
const LONGEST_TIMER = 2 ** 31 - 1;

/** The machine's own time. */
export const systemClock: Clock = scaledClock(1);

/**
 * A clock that runs `factor` times as fast as the machine's, from the moment it is made.
 * @param factor clock milliseconds per real millisecond; above 0
 * @throws RangeError for any other factor
 */
export function scaledClock(factor: number): Clock {
	if (!(factor > 0) || !Number.isFinite(factor)) {
		throw new RangeError(`The clock's scale is a number above 0, not ${factor}`);
	}
	const start = Date.now();
	const now = () => Math.round(start + (Date.now() - start) * factor);
	return {
		now,
		factor,
		async sleep(ms, signal) {
			const end = now() + ms;
			for (let rest = ms; rest > 0 && !signal?.aborted; rest = end - now()) {
				const real = Math.min(Math.ceil(rest / factor), LONGEST_TIMER);
				// Its own error says nothing of the reason.
				await delay(real, undefined, { signal }).catch(() => signal?.throwIfAborted());
			}
			signal?.throwIfAborted();
		},
	};
}

interface Sleeper {
	due: number;
	wake(): void;
}

/** A clock that moves only when it is advanced. */
export interface ManualClock extends Clock {
	/**
	 * Advances the clock by `ms` milliseconds. Sleepers wake in the order in which they are due, each at its own time,
	 * including those that are added meanwhile.
	 */
	advance(ms: number): Promise<void>;
}

/** @param start the first reading, in milliseconds since the Unix epoch */
export function manualClock(start = Date.UTC(2026, 0, 1)): ManualClock {
	let time = start;
	const sleepers = new Set<Sleeper>();

	return {
		now: () => time,
		factor: 1,
		async sleep(ms, signal) {
			signal?.throwIfAborted();
			if (ms <= 0) return;
			await new Promise<void>((resolve) => {
				const wake = () => {
					sleepers.delete(sleeper);
					signal?.removeEventListener('abort', wake);
					resolve();
				};
				const sleeper = { due: time + ms, wake };
				sleepers.add(sleeper);
				signal?.addEventListener('abort', wake);
			});
			signal?.throwIfAborted();
		},
		async advance(ms) {
			const target = time + ms;
			for (let next = earliest(sleepers, target); next; next = earliest(sleepers, target)) {
				time = next.due;
				next.wake();
				// Lets the code that was woken run until its next wait.
				await setImmediate();
			}
			time = target;
			await setImmediate();
		},
	};
}

function earliest(sleepers: Set<Sleeper>, until: number): Sleeper | undefined {
	let found: Sleeper | undefined;
	for (const sleeper of sleepers) {
		if (sleeper.due <= until && (!found || sleeper.due < found.due)) found = sleeper;
	}
	return found;
}
