/** The `type` words of the error envelope, by HTTP code (spec, Errors). */
const TYPES: Readonly<Record<number, string>> = {
	400: 'invalid_request_error',
	401: 'authentication_error',
	402: 'payment_required',
	403: 'permission_error',
	404: 'not_found_error',
	429: 'rate_limit_error',
	500: 'server_error',
	502: 'bad_gateway',
};

/**
 * `{ error: { code, message, type } }`; the upload endpoint leaves `code` out of most of its errors.
 * @param status HTTP code, which decides the `type`
 * @param code   the envelope's `code`; `null` leaves it out
 */
export function errorEnvelope(status: number, message: string, code: number | null = status) {
	const type = TYPES[status] ?? (status >= 500 ? 'server_error' : 'invalid_request_error');
	return { error: code === null ? { message, type } : { code, message, type } };
}

/** A refusal that the service answers with its error envelope. */
export class ServiceError extends Error {
	constructor(
		readonly status: number,
		message: string,
		/** The envelope's `code`; `null` leaves it out. */
		readonly code: number | null = status,
	) {
		super(message);
	}
}

/** A 400: the request violates a rule. Nothing has been charged. */
export function invalid(message: string): ServiceError {
	return new ServiceError(400, message);
}
