import { EventEmitter, once } from 'node:events';
import pLimit from 'p-limit';
import type { Settings } from '../options';
import type { Ids } from '../store/ids';
import type { Clock } from '../time/clocks';
import type { Lifetime } from '../time/lifetime';
import { addressProblem, callbackUrl, type AddressRules } from './address';
import { post, type Attempt, type Delivery } from './delivery';
import { Holdback } from './holdback';

/** Pauses before the three retries, in clock milliseconds (spec, Events, rule 5). */
export const RETRY_PAUSES: readonly number[] = [10_000, 30_000, 60_000];

export interface DeliveriesOptions {
	clock: Clock;
	ids: Ids;
	lifetime: Lifetime;
	addressRules: () => AddressRules;
	webhookQuery: () => Settings['webhookQuery'];
	/** Callbacks that are sent at the same time. */
	concurrency: number;
}

type NewDelivery = Pick<Delivery, 'kind' | 'taskId' | 'base' | 'body'> & { fault?: string | null };

/** Sends callbacks, retries as the spec says, and keeps a log. */
export class Deliveries {
	private readonly log: Delivery[] = [];
	private readonly gate: ReturnType<typeof pLimit>;
	private readonly tried = new EventEmitter();
	readonly holdback: Holdback;

	constructor(private readonly options: DeliveriesOptions) {
		this.gate = pLimit(options.concurrency);
		this.tried.setMaxListeners(0);
		this.holdback = new Holdback(options.lifetime, (delivery) => this.send(delivery));
	}

	list(): Delivery[] {
		return [...this.log];
	}

	/** Adds a callback to the log without sending it; one with an invalid address is dropped. */
	record({ kind, taskId, base, body, fault = null }: NewDelivery): Delivery {
		const reason = addressProblem(base, this.options.addressRules());
		const delivery: Delivery = {
			id: this.options.ids.next('delivery'),
			kind,
			taskId,
			base,
			url: callbackUrl(base, this.options.webhookQuery()),
			body,
			attempts: [],
			state: reason === null ? 'waiting' : 'dropped',
			reason,
			fault,
		};
		this.log.push(delivery);
		return delivery;
	}

	/** Sends a callback until it is delivered, refused or given up. A dropped one is not sent. */
	async send(delivery: Delivery): Promise<void> {
		for (const pause of [0, ...RETRY_PAUSES]) {
			if (delivery.state !== 'waiting') return;
			if (pause > 0) await this.options.lifetime.sleep(pause);
			const { signal } = this.options.lifetime;
			await this.gate(() => this.attempt(delivery, signal));
		}
		if (delivery.state === 'waiting') delivery.state = 'givenUp';
	}

	/** Sends several, one after the other or all at the same moment. */
	async sendAll(
		deliveries: readonly Delivery[],
		spacing: 'sequential' | 'simultaneous' = 'sequential',
	): Promise<void> {
		if (spacing === 'simultaneous')
			await Promise.all(deliveries.map((delivery) => this.send(delivery)));
		else for (const delivery of deliveries) await this.send(delivery);
	}

	/** Resolves after the first attempt of the task's callbacks; at once if there are none to send. */
	async afterFirstAttempt(taskId: string): Promise<void> {
		const { signal } = this.options.lifetime;
		const own = this.log.filter((delivery) => delivery.taskId === taskId);
		if (own.some(({ state }) => state === 'waiting' || state === 'sending'))
			await once(this.tried, taskId, { signal });
	}

	private async attempt(delivery: Delivery, signal: AbortSignal): Promise<void> {
		signal.throwIfAborted();
		const { clock } = this.options;
		const attempt: Attempt = { startedAt: clock.now(), endedAt: null, status: null, error: null };
		delivery.attempts.push(attempt);
		delivery.state = 'sending';
		Object.assign(attempt, await post(delivery.url, delivery.body, clock, signal), {
			endedAt: clock.now(),
		});
		// A reset may have come meanwhile: this callback belongs to the time before it.
		signal.throwIfAborted();
		delivery.state = stateAfter(attempt.status);
		if (delivery.taskId !== null) this.tried.emit(delivery.taskId);
	}
}

function stateAfter(status: number | null): Delivery['state'] {
	if (status === null) return 'waiting';
	if (status >= 200 && status < 300) return 'delivered';
	return status >= 400 && status < 500 ? 'refused' : 'waiting';
}
