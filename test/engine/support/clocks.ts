import { AsyncLocalStorage } from 'node:async_hooks';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { ClientRequest } from 'node:http';
import { setImmediate as immediate, setTimeout as realSleep } from 'node:timers/promises';

import type { Clock } from '../../../nodes/shared/util/clock';
import { type ManualClock, manualClock } from '../../../sandbox/service';

/** What sleeps inside does not wake while `still` is set: for what a node does by itself after it has paused. */
export const standstill = new AsyncLocalStorage<{ still: boolean }>();

const isStill = () => standstill.getStore()?.still === true;

const forever = new Promise<never>(() => {});

const START = Date.UTC(2026, 0, 1);

const STEP_MS = 5;

let requestsUnderWay = 0;

function countRequest(message: unknown): void {
	if (!(
		typeof message === 'object' &&
		message !== null &&
		'request' in message &&
		message.request instanceof ClientRequest
	))
		return;
	requestsUnderWay++;
	message.request.once('close', () => requestsUnderWay--);
}

const REQUESTS = 'http.client.request.start';

// The channel belongs to the process, in which Jest runs several files.
beforeAll(() => subscribe(REQUESTS, countRequest));
afterAll(() => unsubscribe(REQUESTS, countRequest));

/**
 * A clock that only sleeping moves: whoever sleeps wakes at once, and the time has passed. While a request is under way, a sleep takes a
 * moment of the machine, so that a time limit does not pass before the answer has come.
 */
export function jumpingClock(): Clock & { advance(ms: number): void } {
	let now = START;
	return {
		now: () => now,
		sleep: async (ms) => {
			if (isStill()) await forever;
			now += Math.max(0, ms);
			await (requestsUnderWay > 0 ? realSleep(1) : immediate());
		},
		toHostMs: (ms) => ms,
		advance: (ms) => {
			now += ms;
		},
	};
}

/** Waits for something that comes over the network, for at most half a minute of the machine. */
export async function until(condition: () => boolean): Promise<void> {
	const last = Date.now() + 30_000;
	while (!condition()) {
		if (Date.now() > last) throw new Error('It did not happen');
		await realSleep(STEP_MS);
	}
}

/** For `onStart` of a run: cancels its execution as soon as the condition holds. */
export const cancelWhen =
	(condition: () => boolean) =>
	(cancel: () => void): void =>
		void until(condition).then(cancel);

/** As many turns of this process: what has arrived is read in them, however busy the machine is. */
export async function turns(count = 50): Promise<void> {
	for (let turn = 0; turn < count; turn++) await realSleep(1);
}

/** So long on the machine's clock. */
export const realMs = async (ms: number) => await realSleep(ms);

let longestHostMs = Infinity;

/**
 * For tests about a service that never answers: a request is given up after two seconds of the machine, not after a minute. That is
 * room for what has to arrive before.
 */
export function useShortRequestLimit(ms = 2_000): void {
	beforeAll(() => (longestHostMs = ms));
	afterAll(() => (longestHostMs = Infinity));
}

/** The nodes' limit of a minute for a download without data is six seconds. */
const SCALE_OF_REQUESTS = 10;

const SCALE_OF_HURRY = 2_000;

/** Short enough that a request which begins in it has hardly lost time. The nodes do not sleep longer at a time. */
const PIECE_MS = 250;

/**
 * A clock that runs `scale` times as fast as the machine's for those who sleep, and stands still when nobody does. It goes in steps,
 * each after a turn of this process: a machine that is busy with other work holds it up together with what it limits.
 *
 * While an HTTP request is under way, it runs `scaleOfRequests` times as fast. A test about a limit that ends a request gives its own.
 * Time limits that n8n keeps are what they are on the machine's clock, see `useShortRequestLimit`.
 */
export function fastClock(
	scale: number,
	scaleOfRequests = Math.min(scale, SCALE_OF_REQUESTS),
): Clock & ManualClock & { hurried<Result>(work: Promise<Result>): Promise<Result> } {
	const time = manualClock(START);
	let sleepers = 0;
	let hurries = 0;
	let isRunning = false;
	let moved = Promise.resolve();

	/** One move after the other: two at once would not add up. */
	async function advance(ms: number): Promise<void> {
		moved = moved.then(async () => await time.advance(ms));
		await moved;
	}

	/** Moves until a request begins. */
	async function advanceIdly(ms: number): Promise<void> {
		for (let left = ms; left > 0 && sleepers > 0 && requestsUnderWay === 0; left -= PIECE_MS) {
			await advance(Math.min(left, PIECE_MS));
			// Who was woken begins its request.
			await immediate();
		}
	}

	async function run(): Promise<void> {
		if (isRunning) return;
		isRunning = true;
		while (sleepers > 0) {
			await realSleep(STEP_MS);
			if (requestsUnderWay > 0) await advance(STEP_MS * scaleOfRequests);
			else await advanceIdly(STEP_MS * (hurries > 0 ? SCALE_OF_HURRY : scale));
		}
		isRunning = false;
	}

	return {
		now: () => time.now(),
		factor: time.factor,
		advance,
		async sleep(ms: number, signal?: AbortSignal) {
			sleepers++;
			void run();
			try {
				await time.sleep(ms, signal);
			} finally {
				sleepers--;
			}
			if (isStill()) await forever;
		},
		/** Until the work is done, time passes as fast as it can while no request is under way. For a test that does nothing but wait. */
		async hurried(work) {
			hurries++;
			return await work.finally(() => hurries--);
		},
		toHostMs: (ms) => Math.min(ms, longestHostMs),
	};
}
