import { asError, RateLimitError } from '../shared/api/errors';
import { Memory } from '../shared/util/memory';
import { clock } from '../shared/util/clock';
import { pLimit } from '../shared/util/vendor/pLimit';

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

/** Requests to the service at one time, for calls that anybody could have made. */
const AT_ONCE = 20;

/** Milliseconds that such a call waits for its turn. The service waits about ten seconds for an answer (spec, Events 5). */
const TURN_WITHIN_MS = 5_000;

/** Milliseconds for which an id that the service does not know is not asked for again. */
const NOT_ASKED_FOR_MS = 5_000;

const MAX_UNKNOWN = 5_000;

/**
 * Milliseconds without requests after a rate limit: those that it states, or the first if it states none, and never more than the
 * second. The service calls for the last time about 100 seconds after a task has ended (spec, Events 5).
 */
const QUIET_MS = { unstated: 1_000, most: 30_000 };

const BUSY = 'too many calls at once';
const QUIET = 'the service has asked for fewer requests';

/** Keeps calls to one trigger, which anybody can make who knows its address, from becoming a flood of requests to the service. An answer without a record is text. */
export class RequestBounds<Found> {
	private readonly limit = pLimit(AT_ONCE);

	/** What the service did not know, with its answer. */
	private readonly unknown = new Memory<Found>(MAX_UNKNOWN, NOT_ASKED_FOR_MS);

	private quietUntil = 0;

	/** Asks the service for a task. Throws a `Refusal` where it must not be asked now. A call with a right signature is not kept waiting. */
	async ask(taskId: string, isSigned: boolean, request: () => Promise<Found>): Promise<Found> {
		if (isSigned) return await this.send(request);
		const known = this.unknown.get(taskId);
		if (known !== undefined) return known;
		const since = clock.now();
		const found = await this.limit(async () => {
			if (clock.now() > since + TURN_WITHIN_MS) throw new Refusal(503, BUSY);
			return await this.send(request);
		});
		if (typeof found === 'string') this.unknown.set(taskId, found);
		return found;
	}

	private async send(request: () => Promise<Found>): Promise<Found> {
		if (clock.now() < this.quietUntil) throw new Refusal(503, QUIET);
		try {
			return await request();
		} catch (thrown) {
			const error = asError(thrown);
			if (error instanceof RateLimitError)
				this.quietUntil =
					clock.now() + Math.min(error.details.retryAfterMs ?? QUIET_MS.unstated, QUIET_MS.most);
			throw error;
		}
	}
}
