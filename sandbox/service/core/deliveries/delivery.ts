import axios, { isAxiosError } from 'axios';
import type { Clock } from '../time/clocks';

/** One POST of a callback. */
export interface Attempt {
	/** Clock milliseconds. */
	readonly startedAt: number;
	endedAt: number | null;
	/** The receiver's HTTP code, or `null` if it gave none. */
	status: number | null;
	/** The reason for a missing code: `timeout`, `ECONNREFUSED`, … */
	error: string | null;
}

/**
 * - `waiting`: before its first attempt, or between two
 * - `sending`: during an attempt
 * - `delivered`: the receiver answered 2xx
 * - `refused`: the receiver answered 4xx, which ends it
 * - `givenUp`: the last retry failed
 * - `dropped`: the address violates a rule; nothing was sent
 * - `withheld`: not sent because of a fault rule
 */
export type DeliveryState =
	'waiting' | 'sending' | 'delivered' | 'refused' | 'givenUp' | 'dropped' | 'withheld';

export type DeliveryKind = 'genuine' | 'duplicate' | 'forged' | 'manual';

/** A callback and its state. */
export interface Delivery {
	readonly id: string;
	readonly kind: DeliveryKind;
	readonly taskId: string | null;
	/** The base address as the caller gave it. */
	readonly base: string;
	/** The base address with `/callback` appended. */
	readonly url: string;
	readonly body: unknown;
	readonly attempts: Attempt[];
	state: DeliveryState;
	/** Why it was dropped or withheld. */
	reason: string | null;
	/** Id of the fault rule that changed it. */
	fault: string | null;
}

/** "When the receiver does not answer 2xx within about 10 seconds" (spec, Events, rule 5): of the receiver's own time. */
export const RECEIVER_TIMEOUT = 10_000;

/**
 * Posts a callback once.
 * @param signal ends the attempt when the sandbox is reset or closed
 * @returns the receiver's code, or the reason why there is none
 */
export async function post(
	url: string,
	body: unknown,
	clock: Clock,
	signal: AbortSignal,
): Promise<Pick<Attempt, 'status' | 'error'>> {
	const answered = new AbortController();
	const late = new AbortController();
	clock.sleep(RECEIVER_TIMEOUT * clock.factor, answered.signal).then(
		() => late.abort(),
		() => undefined,
	);
	try {
		const response = await axios.post<NodeJS.ReadableStream>(url, body, {
			signal: AbortSignal.any([late.signal, signal]),
			headers: { 'content-type': 'application/json', 'user-agent': 'mediagen-sandbox' },
			responseType: 'stream',
			maxRedirects: 0,
			proxy: false,
			validateStatus: () => true,
		});
		// The body is read and discarded; only the code matters.
		response.data.on('error', () => undefined).resume();
		return { status: response.status, error: null };
	} catch (error) {
		if (late.signal.aborted || signal.aborted) return { status: null, error: 'timeout' };
		return { status: null, error: (isAxiosError(error) && error.code) || String(error) };
	} finally {
		answered.abort();
	}
}
