import { createHash } from 'node:crypto';
import type { CallbackEffect } from '../faults/rule';
import type { Lifetime } from '../time/lifetime';
import type { Delivery } from './delivery';

type HoldOptions = Extract<CallbackEffect, { type: 'reorderCallbacks' }>;
type Send = (delivery: Delivery) => Promise<void>;

/** Holds callbacks until enough are waiting, then sends them one after the other in another order. */
export class Holdback {
	private readonly held = new Map<string, Delivery[]>();

	constructor(
		private readonly lifetime: Lifetime,
		private readonly send: Send,
	) {}

	/** @param group callbacks of one group are held together */
	async hold(group: string, deliveries: readonly Delivery[], options: HoldOptions): Promise<void> {
		const waiting = this.held.get(group) ?? [];
		const isFirst = waiting.length === 0;
		waiting.push(...deliveries);
		this.held.set(group, waiting);
		if (waiting.length >= options.window) await this.release(group, options);
		else if (isFirst) {
			await this.lifetime.sleep(options.maxWaitMs);
			// The group may have been released meanwhile, and a new one begun.
			if (this.held.get(group) === waiting) await this.release(group, options);
		}
	}

	private async release(group: string, { order }: HoldOptions): Promise<void> {
		const waiting = this.held.get(group) ?? [];
		this.held.delete(group);
		for (const delivery of order === 'reversed' ? waiting.reverse() : shuffled(waiting))
			await this.send(delivery);
	}
}

/** A shuffled order that is the same for the same ids. */
function shuffled(deliveries: readonly Delivery[]): Delivery[] {
	const rank = ({ id }: Delivery) => createHash('sha256').update(id).digest('hex');
	return [...deliveries].sort((one, other) => rank(one).localeCompare(rank(other)));
}
