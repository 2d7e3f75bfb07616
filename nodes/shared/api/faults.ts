/** What can go wrong between a node and the service, one word each (spec, Errors). */
export type FaultKind =
	| 'badRequest'
	| 'authentication'
	| 'payment'
	| 'permission'
	| 'notFound'
	| 'rateLimit'
	| 'server'
	| 'gateway'
	| 'notReached'
	| 'network'
	| 'timeout'
	| 'malformed'
	| 'cancelled'
	| 'refused'
	| 'unsettled';

/**
 * Whether a request that went wrong may have been carried out all the same. `no`: the service said so, or never
 * saw it. `unknown`: the connection broke after the request may have arrived; a purchase must not be repeated.
 */
export type Accepted = 'no' | 'unknown';

export interface FaultDetails {
	httpCode?: number;
	/** The service's own words. */
	serviceMessage?: string;
	serviceType?: string;
	serviceCode?: string;
	/** Milliseconds the service asked to wait before the next try. */
	retryAfterMs?: number;
}

/** A request that did not bring an answer to work with. Carries no header, no key and no request body. */
export class ServiceFault extends Error {
	constructor(
		readonly kind: FaultKind,
		message: string,
		readonly accepted: Accepted,
		readonly details: FaultDetails = {},
	) {
		super(message);
		this.name = 'ServiceFault';
	}
}

/** Whatever was thrown, as an `Error`. */
export function asError(error: unknown): Error {
	return error instanceof Error ? error : new Error(String(error));
}
