import { type ApiError, RateLimitError, UnreachableError } from './errors';

/**
 * What a failed request may do.
 * - `purchase`: it buys a task or an answer. It is sent again only when the service certainly did not accept it.
 * - `read`: it changes nothing, or nothing that costs. It is sent again after every transient error.
 * - `once`: the caller decides.
 */
export type RetryPolicy = 'purchase' | 'read' | 'once';

/** Attempts before a request is given up. A rate limit is waited for until the caller's deadline instead. */
export const MAX_ATTEMPTS = 5;

/** Whether `error`, after the given number of attempts, allows another one. */
export function mayRetry(policy: RetryPolicy, error: ApiError, attempts: number): boolean {
	if (policy === 'once') return false;
	if (error instanceof RateLimitError) return true;
	if (attempts >= MAX_ATTEMPTS) return false;
	// A second POST after a reset, a timeout or a 5xx could buy a second task.
	return policy === 'purchase' ? error instanceof UnreachableError : error.transient;
}

const FIRST_BACKOFF_MS = 1_000;
const LONGEST_BACKOFF_MS = 30_000;

/** Milliseconds before the next attempt: what the service asked for, else doubling with jitter. */
export function backoffMs(error: ApiError, attempts: number): number {
	if (error.details.retryAfterMs !== undefined) return error.details.retryAfterMs;
	const ceiling = Math.min(FIRST_BACKOFF_MS * 2 ** (attempts - 1), LONGEST_BACKOFF_MS);
	return ceiling * (0.5 + Math.random() / 2);
}
