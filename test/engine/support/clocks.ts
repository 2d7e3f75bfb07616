import { AsyncLocalStorage } from 'node:async_hooks';

import type { Clock } from '../../../nodes/shared/util/clock';

/** What sleeps inside does not wake while `still` is set: for what a node does by itself after it has paused. */
export const standstill = new AsyncLocalStorage<{ still: boolean }>();

const isStill = () => standstill.getStore()?.still === true;

const forever = new Promise<never>(() => {});

const START = Date.UTC(2026, 0, 1);

/** A clock that only sleeping moves: whoever sleeps wakes at once, and the time has passed. */
export function jumpingClock(): Clock & { advance(ms: number): void } {
	let now = START;
	return {
		now: () => now,
		sleep: async (ms) => {
			if (isStill()) await forever;
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
		sleep: async (ms) => {
			await new Promise((resolve) => setTimeout(resolve, ms / scale));
			if (isStill()) await forever;
		},
		toHostMs: (ms) => Math.ceil(ms / scale),
	};
}
