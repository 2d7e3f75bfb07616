import { stopReason, type Clock } from './clock';

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
		sleep(ms, signal) {
			return new Promise((resolve, reject) => {
				if (signal?.aborted) return reject(stopReason(signal));
				if (ms <= 0) return resolve();
				const stop = () => {
					sleepers.delete(sleeper);
					reject(stopReason(signal));
				};
				const sleeper: Sleeper = {
					due: time + ms,
					wake() {
						signal?.removeEventListener('abort', stop);
						resolve();
					},
				};
				sleepers.add(sleeper);
				signal?.addEventListener('abort', stop, { once: true });
			});
		},
		async advance(ms) {
			const target = time + ms;
			for (let next = earliest(sleepers, target); next; next = earliest(sleepers, target)) {
				sleepers.delete(next);
				time = next.due;
				next.wake();
				await turn();
			}
			time = target;
			await turn();
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

/** Lets the code that was woken run until its next wait. */
function turn(): Promise<void> {
	return new Promise((resolve) => setImmediate(resolve));
}
