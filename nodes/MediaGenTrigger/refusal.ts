/** Why a callback starts no execution, and the answer: the service calls again after a 503 only. */
export class Refusal extends Error {
	/** @param hint what the user can do, for the log */
	constructor(
		readonly status: 200 | 400 | 401 | 503,
		reason: string,
		readonly hint?: string,
	) {
		super(reason);
	}
}
