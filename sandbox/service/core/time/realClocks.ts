import { stopReason, type Clock } from './clock';

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
		async sleep(ms, signal) {
			const end = now() + ms;
			for (let rest = ms; rest > 0; rest = end - now()) {
				await timer(Math.min(Math.ceil(rest / factor), LONGEST_TIMER), signal);
			}
			signal?.throwIfAborted();
		},
	};
}

function timer(ms: number, signal?: AbortSignal): Promise<void> {
	return new Promise((resolve, reject) => {
		if (signal?.aborted) return reject(stopReason(signal));
		const stop = () => {
			clearTimeout(handle);
			reject(stopReason(signal));
		};
		const handle = setTimeout(() => {
			signal?.removeEventListener('abort', stop);
			resolve();
		}, ms);
		signal?.addEventListener('abort', stop, { once: true });
	});
}
