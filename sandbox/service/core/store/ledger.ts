import type { LedgerEntry, LedgerReport } from './ledgerEntry';
import type { Clock } from '../time/clock';

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
