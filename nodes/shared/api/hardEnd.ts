import { sleepOnHost } from '../util/clock';
import { asError, CanceledError, TimeoutError } from './errors';

/**
 * Does the work of one request, and ends it after `ms` milliseconds or when `cancel` is aborted, whatever comes meanwhile: n8n's own
 * time limit counts idle time only, so that an answer of a byte every few seconds outlives it. Throws a `TimeoutError` or a
 * `CanceledError` then, at once.
 *
 * @param late what is said after the time
 * @param work gives up when its signal is aborted
 */
export async function withHardEnd<Result>(
	ms: number,
	late: string,
	cancel: AbortSignal | undefined,
	work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
	const end = new AbortController();
	const done = new AbortController();
	const ended = new Promise<never>((_, reject) => {
		end.signal.addEventListener('abort', () => reject(asError(end.signal.reason)));
	});
	const onCancel = () => end.abort(new CanceledError('unknown'));
	if (cancel?.aborted) onCancel();
	cancel?.addEventListener('abort', onCancel);
	void sleepOnHost(ms, done.signal).then(() => {
		if (!done.signal.aborted) end.abort(new TimeoutError(late, 'unknown'));
	});
	try {
		return await Promise.race([ended, work(end.signal)]);
	} finally {
		done.abort();
		cancel?.removeEventListener('abort', onCancel);
	}
}
