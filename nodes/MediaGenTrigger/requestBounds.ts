import { asError, RateLimitError } from '../shared/api/errors';
import { Memory } from '../shared/util/memory';
import { clock, sleep } from '../shared/util/clock';
import { pLimit } from '../shared/util/vendor/pLimit';

/** Why a callback starts no execution, and the answer: the service calls again only after a 503. */
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

/** How many requests run at the same time, for calls that anybody could have made. */
const AT_ONCE = 20;

/** Milliseconds that a call waits for its turn. The service waits about ten seconds for an answer (spec, Events 5). */
const TURN_WITHIN_MS = 5_000;

/** After a rate limit: how many requests run at once, for how many milliseconds. All waiting calls together would meet the next limit. */
const AFTER_LIMIT = { atOnce: 5, forMs: 10_000 };

/** Milliseconds for which an id that the service does not know is not asked for again. */
const NOT_ASKED_FOR_MS = 5_000;

const MAX_UNKNOWN = 5_000;

/** Milliseconds without requests after a rate limit: as it states, else `unstated`, and at most `most`, long before the service's last call. */
const QUIET_MS = { unstated: 1_000, most: 30_000 };

/** Keeps calls, which anybody who knows a trigger's address can make, from flooding the service. An answer without a record is text. */
export class RequestBounds<Found> {
	private readonly limit = pLimit(AT_ONCE);

	/** What the service did not know, with its answer. */
	private readonly unknown = new Memory<Found>(MAX_UNKNOWN, NOT_ASKED_FOR_MS);

	private readonly few = pLimit(AFTER_LIMIT.atOnce);

	private quietUntil = 0;

	/** Asks the service for a task. Throws a `Refusal` if it must not be asked in time. For a signed call, only the service's rate limit counts. */
	async ask(taskId: string, isSigned: boolean, request: () => Promise<Found>): Promise<Found> {
		const turnEnds = clock.now() + TURN_WITHIN_MS;
		if (isSigned) return await this.send(request, turnEnds);
		const known = this.unknown.get(taskId);
		if (known !== undefined) return known;
		const found = await this.limit(async () => {
			if (clock.now() > turnEnds) throw new Refusal(503, 'too many calls at once');
			return await this.send(request, turnEnds);
		});
		if (typeof found === 'string') this.unknown.set(taskId, found);
		return found;
	}

	/** Waits for the end of a rate limit, if it comes in time, and asks again after one. */
	private async send(request: () => Promise<Found>, turnEnds: number): Promise<Found> {
		if (clock.now() > this.quietUntil + AFTER_LIMIT.forMs) {
			const found = await this.unlessLimited(request);
			if (found !== undefined) return found;
		}
		return await this.few(async () => {
			for (;;) {
				if (Math.max(this.quietUntil, clock.now()) > turnEnds)
					throw new Refusal(503, 'the rate limit of the service is reached');
				await sleep(this.quietUntil - clock.now());
				const found = await this.unlessLimited(request);
				if (found !== undefined) return found;
			}
		});
	}

	/** What the service answers; `undefined` if its rate limit is reached. */
	private async unlessLimited(request: () => Promise<Found>): Promise<Found | undefined> {
		try {
			return await request();
		} catch (thrown) {
			const error = asError(thrown);
			if (!(error instanceof RateLimitError)) throw error;
			const quietMs = Math.min(error.details.retryAfterMs ?? QUIET_MS.unstated, QUIET_MS.most);
			this.quietUntil = clock.now() + quietMs;
			return undefined;
		}
	}
}
