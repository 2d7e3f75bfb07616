import type { Clock } from '../core/time/clocks';
import type { CacheUsage } from './prefixCache';

/** Credits for a million tokens: the sandbox's own figures, with writes dearer than plain input and reads cheaper. */
export const CHAT_PRICES = {
	plain: 3_000,
	written5m: 3_750,
	written1h: 6_000,
	read: 300,
	output: 15_000,
} as const;

const PARTS = ['plain', 'read', 'written5m', 'written1h', 'output'] as const;
const MILLION = 1_000_000;

/** What one chat request was billed for. */
export interface ChatBillEntry extends CacheUsage {
	number: number;
	/** Clock milliseconds of the answer. */
	at: number;
	key: string;
	style: 'messages' | 'completions';
	model: string;
	output: number;
	/** With fractions; the ledger has it rounded up. */
	credits: number;
	refused: boolean;
}

/** All chat requests, and their sums. */
export interface ChatBillReport {
	requests: ChatBillEntry[];
	totals: CacheUsage & { output: number; credits: number; input: number };
}

export class ChatBill {
	private entries: ChatBillEntry[] = [];

	constructor(private readonly clock: Clock) {}

	write(entry: Omit<ChatBillEntry, 'number' | 'at' | 'credits'>): ChatBillEntry {
		const billed = {
			number: this.entries.length + 1,
			at: this.clock.now(),
			...entry,
			credits: PARTS.reduce((sum, part) => sum + entry[part] * CHAT_PRICES[part], 0) / MILLION,
		};
		this.entries.push(billed);
		return billed;
	}

	report(): ChatBillReport {
		const totals = {
			plain: 0,
			read: 0,
			written5m: 0,
			written1h: 0,
			output: 0,
			credits: 0,
			input: 0,
		};
		for (const entry of this.entries) {
			for (const part of [...PARTS, 'credits'] as const) totals[part] += entry[part];
			totals.input += entry.plain + entry.read + entry.written5m + entry.written1h;
		}
		return { requests: [...this.entries], totals };
	}

	reset(): void {
		this.entries = [];
	}
}
