/** A movement of credits. Charges and refunds are both positive numbers. */
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

/** All that was ever charged since the last reset. */
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
