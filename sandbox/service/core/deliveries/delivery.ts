import axios, { isAxiosError } from 'axios';
import type { Clock } from '../time/clock';

/** One POST of a callback. */
export interface Attempt {
	/** Clock milliseconds. */
	readonly startedAt: number;
	endedAt: number | null;
	/** The receiver's HTTP code, or `null` if it gave none. */
	status: number | null;
	/** Why there is no code: `timeout`, `ECONNREFUSED`, … */
	error: string | null;
}

/**
 * - `waiting`: before its first attempt, or between two
 * - `sending`: an attempt is under way
 * - `delivered`: the receiver answered 2xx
 * - `refused`: the receiver answered 4xx, which ends it
 * - `givenUp`: the last retry is spent
 * - `dropped`: the address breaks a rule; nothing was ever sent
 * - `withheld`: a fault rule lost it on purpose
 */
export type DeliveryState = 'waiting' | 'sending' | 'delivered' | 'refused' | 'givenUp' | 'dropped' | 'withheld';

export type DeliveryKind = 'genuine' | 'duplicate' | 'forged' | 'manual';

/** A callback and what became of it. */
export interface Delivery {
	readonly id: string;
	readonly kind: DeliveryKind;
	readonly taskId: string | null;
	/** The base address as the caller gave it. */
	readonly base: string;
	/** Where it goes: the base address with `/callback` appended. */
	readonly url: string;
	readonly body: unknown;
	readonly attempts: Attempt[];
	state: DeliveryState;
	/** Why it was dropped or withheld. */
	reason: string | null;
	/** Id of the fault rule that changed it. */
	fault: string | null;
}

/** "When the receiver does not answer 2xx within about 10 seconds" (spec, Events, rule 5). */
export const RECEIVER_TIMEOUT = 10_000;

/**
 * Posts a callback once.
 * @param signal ends the attempt when the sandbox is reset or closed
 * @returns the receiver's code, or the word for why there is none
 */
export async function post(
	url: string,
	body: unknown,
	clock: Clock,
	signal: AbortSignal,
): Promise<Pick<Attempt, 'status' | 'error'>> {
	const answered = new AbortController();
	const late = new AbortController();
	clock.sleep(RECEIVER_TIMEOUT, answered.signal).then(
		() => late.abort(),
		() => undefined,
	);
	const ended = () => late.abort();
	signal.addEventListener('abort', ended, { once: true });
	try {
		const response = await axios.post<NodeJS.ReadableStream>(url, body, {
			signal: late.signal,
			headers: { 'content-type': 'application/json', 'user-agent': 'mediagen-sandbox' },
			responseType: 'stream',
			maxRedirects: 0,
			proxy: false,
			validateStatus: () => true,
		});
		// The code is all that counts; the body is let go by.
		response.data.on('error', () => undefined).resume();
		return { status: response.status, error: null };
	} catch (error) {
		if (late.signal.aborted) return { status: null, error: 'timeout' };
		return { status: null, error: (isAxiosError(error) && error.code) || String(error) };
	} finally {
		answered.abort();
		signal.removeEventListener('abort', ended);
	}
}
