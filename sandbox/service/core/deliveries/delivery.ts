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
