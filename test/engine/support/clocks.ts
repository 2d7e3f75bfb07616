import type { Clock } from '../../../nodes/shared/util/clock';

const START = Date.UTC(2026, 0, 1);

/** A clock that only sleeping moves: whoever sleeps wakes at once, and the time has passed. */
export function jumpingClock(): Clock & { advance(ms: number): void } {
	let now = START;
	return {
		now: () => now,
		sleep: async (ms) => {
			now += Math.max(0, ms);
			await new Promise((resolve) => setImmediate(resolve));
		},
		toHostMs: (ms) => ms,
		advance: (ms) => {
			now += ms;
		},
	};
}

/** The host's time, `scale` times as fast. */
export function fastClock(scale: number): Clock {
	const began = Date.now();
	return {
		now: () => START + (Date.now() - began) * scale,
		sleep: async (ms) => await new Promise((resolve) => setTimeout(resolve, ms / scale)),
		toHostMs: (ms) => Math.ceil(ms / scale),
	};
}
