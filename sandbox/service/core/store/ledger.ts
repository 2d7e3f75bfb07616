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

/** What one task cost. */
export interface TaskBill {
	charged: number;
	refunded: number;
}

/** Everything that was charged since the last reset. */
export interface LedgerReport {
	/** Submissions that were accepted, each of them a purchase. */
	accepted: number;
	chargedCredits: number;
	refundedCredits: number;
	/** Charged less refunded. */
	netCredits: number;
	tasks: Record<string, TaskBill>;
	entries: LedgerEntry[];
}

/** Counts every charge and refund, so that a test can say "20 items, 20 purchases". */
export class Ledger {
	private entries: LedgerEntry[] = [];

	constructor(private readonly clock: Clock) {}

	write(entry: Omit<LedgerEntry, 'number' | 'at'>): void {
		this.entries.push({ number: this.entries.length + 1, at: this.clock.now(), ...entry });
	}

	report(): LedgerReport {
		const report: LedgerReport = {
			accepted: 0,
			chargedCredits: 0,
			refundedCredits: 0,
			netCredits: 0,
			tasks: {},
			entries: [...this.entries],
		};
		for (const { type, credits, taskId } of this.entries) {
			if (type === 'charge') report.chargedCredits += credits;
			else report.refundedCredits += credits;
			if (taskId === null) continue;
			const bill = (report.tasks[taskId] ??= { charged: 0, refunded: 0 });
			if (type === 'charge') bill.charged += credits;
			else bill.refunded += credits;
		}
		report.netCredits = report.chargedCredits - report.refundedCredits;
		report.accepted = Object.keys(report.tasks).length;
		return report;
	}

	reset(): void {
		this.entries = [];
	}
}
