import type { FaultKind, ServiceFault } from './faults';

/**
 * What a request may do when it goes wrong.
 * - `purchase`: a task is bought by it. Tried again only where it surely was not accepted.
 * - `read`: changes nothing, or nothing that costs. Tried again whatever broke on the way.
 * - `once`: the caller sees to it.
 */
export type RetryPolicy = 'purchase' | 'read' | 'once';

const PASSING: readonly FaultKind[] = [
	'rateLimit',
	'server',
	'gateway',
	'notReached',
	'network',
	'timeout',
	'malformed',
];

/** Whether the same request may well succeed a moment later. */
export function isPassing(fault: ServiceFault): boolean {
	return PASSING.includes(fault.kind);
}

/** Tries at a request before giving up; a rate limit is waited for until the caller's own time limit instead. */
export const MAX_TRIES = 5;

/** Whether `fault`, met on the given try (from 1), allows another one. */
export function mayRetry(policy: RetryPolicy, fault: ServiceFault, tries: number): boolean {
	if (policy === 'once') return false;
	if (fault.kind === 'rateLimit') return true;
	if (tries >= MAX_TRIES) return false;
	// A second POST after a reset, a time-out or a 5xx could buy a second task.
	return policy === 'purchase' ? fault.kind === 'notReached' : isPassing(fault);
}

const FIRST_BACKOFF_MS = 1_000;
const LONGEST_BACKOFF_MS = 30_000;

/** Milliseconds before the next try: what the service asked for, else doubling with jitter. */
export function backoffMs(fault: ServiceFault, tries: number): number {
	if (fault.details.retryAfterMs !== undefined) return fault.details.retryAfterMs;
	const ceiling = Math.min(FIRST_BACKOFF_MS * 2 ** (tries - 1), LONGEST_BACKOFF_MS);
	return ceiling * (0.5 + Math.random() / 2);
}

/** Reads a `Retry-After` header, in seconds or as a date, into milliseconds from `now`. */
export function parseRetryAfter(header: unknown, now: number): number | undefined {
	if (typeof header !== 'string' || header.trim() === '') return undefined;
	const seconds = Number(header);
	if (Number.isFinite(seconds)) return Math.max(0, seconds * 1_000);
	const date = Date.parse(header);
	return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
