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

export class ChatBill {
	private readonly entries: ChatBillEntry[] = [];

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

	/** All chat requests, and their sums. */
	report() {
		const sum = (part: (typeof PARTS)[number] | 'credits') =>
			this.entries.reduce((total, entry) => total + entry[part], 0);
		const totals = {
			plain: sum('plain'),
			read: sum('read'),
			written5m: sum('written5m'),
			written1h: sum('written1h'),
			output: sum('output'),
			credits: sum('credits'),
		};
		const input = totals.plain + totals.read + totals.written5m + totals.written1h;
		return { requests: [...this.entries], totals: { ...totals, input } };
	}
}
