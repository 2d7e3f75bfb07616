import axios, { isAxiosError } from 'axios';
import type { Attempt } from './delivery';
import type { Clock } from '../time/clock';

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
