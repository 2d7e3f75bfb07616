/**
 * The sandbox's only source of time. Task progress, link expiry, callback retries and cache lifetimes use it, so that a
 * test can let three days pass at once.
 */
export interface Clock {
	/** Milliseconds since the Unix epoch, on this clock. */
	now(): number;
	/**
	 * Resolves once `ms` milliseconds have passed on this clock.
	 * @throws the signal's reason, as soon as `signal` is aborted
	 */
	sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** The error of a sleep whose signal is aborted. */
export function stopReason(signal: AbortSignal | undefined): Error {
	return signal?.reason instanceof Error ? signal.reason : new Error('The sleep was stopped.');
}

/** Unix seconds, as the service writes its times. */
export function unixSeconds(ms: number): number {
	return Math.floor(ms / 1000);
}
