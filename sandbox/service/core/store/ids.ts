import { createHash } from 'node:crypto';

/**
 * Identifiers that depend on the seed only: the same seed and the same number of earlier ids of a kind give the same id.
 * A reset begins a new series, so that no id occurs twice in the life of a sandbox.
 */
export class Ids {
	private series = 0;
	private readonly counts = new Map<string, number>();

	constructor(private readonly seed: string) {}

	/** @param kind also the prefix of the id */
	next(kind: string): string {
		const count = (this.counts.get(kind) ?? 0) + 1;
		this.counts.set(kind, count);
		const digest = createHash('sha256')
			.update(`${this.seed}/${this.series}/${kind}/${count}`)
			.digest('hex');
		return `${kind}_${digest.slice(0, 24)}`;
	}

	/** An identifier of digits only, small enough for a JSON number. */
	nextNumber(kind: string): string {
		const digits = this.next(kind).slice(kind.length + 1, kind.length + 13);
		return String(Number.parseInt(digits, 16));
	}

	startNewSeries(): void {
		this.series += 1;
		this.counts.clear();
	}
}
