import type { Clock } from '../time/clocks';

/** A charge or a refund, both as positive numbers. */
export interface LedgerEntry {
	readonly number: number;
	/** Clock milliseconds. */
	readonly at: number;
	readonly type: 'charge' | 'refund';
	readonly key: string;
	readonly credits: number;
	/** The task it belongs to, or `null` for a chat request. */
	readonly taskId: string | null;
	/** The name in the price table. */
	readonly item: string;
}

/** Counts every charge and refund, so that a test can say "20 items, 20 purchases". */
export class Ledger {
	private readonly entries: LedgerEntry[] = [];

	constructor(private readonly clock: Clock) {}

	write(entry: Omit<LedgerEntry, 'number' | 'at'>): void {
		this.entries.push({ number: this.entries.length + 1, at: this.clock.now(), ...entry });
	}

	/** Everything that was charged since the last reset. */
	report() {
		const all = { charged: 0, refunded: 0 };
		const tasks: Record<string, typeof all> = {};
		for (const { type, credits, taskId } of this.entries) {
			const part = type === 'charge' ? 'charged' : 'refunded';
			all[part] += credits;
			if (taskId !== null) (tasks[taskId] ??= { charged: 0, refunded: 0 })[part] += credits;
		}
		return {
			/** Submissions that were accepted, each of them a purchase. */
			accepted: Object.keys(tasks).length,
			chargedCredits: all.charged,
			refundedCredits: all.refunded,
			netCredits: all.charged - all.refunded,
			tasks,
			entries: [...this.entries],
		};
	}
}
