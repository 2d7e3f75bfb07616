import { clock } from './clock';

/** What this process remembers, by key: a limited number of values, each for a limited time. */
export class Memory<Value> {
	/** In the order in which they were set: by time, unless the clock has been set back. */
	private readonly entries = new Map<string, { value: Value; until: number }>();

	/**
	 * @param most maximum number of values; beyond it the oldest is forgotten
	 * @param keptMs milliseconds for which a value is kept
	 */
	constructor(
		private readonly most: number,
		private readonly keptMs = Infinity,
	) {}

	get(key: string): Value | undefined {
		this.forgetOld();
		const entry = this.entries.get(key);
		return entry && clock.now() < entry.until ? entry.value : undefined;
	}

	set(key: string, value: Value): void {
		this.entries.delete(key);
		this.entries.set(key, { value, until: clock.now() + this.keptMs });
		this.forgetOld();
	}

	delete(key: string): void {
		this.entries.delete(key);
	}

	forgetOld(): void {
		for (const [key, { until }] of this.entries) {
			if (this.entries.size <= this.most && clock.now() < until) return;
			this.entries.delete(key);
		}
	}
}
