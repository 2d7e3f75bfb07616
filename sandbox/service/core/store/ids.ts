import { createHash } from 'node:crypto';

/**
 * Identifiers that follow from the seed alone: the same seed and the same number of earlier ids of a kind give the same
 * id. After a reset a new series begins, so that a client that remembers ids never meets an old one again.
 */
export class Ids {
	private series = 0;
	private readonly counts = new Map<string, number>();

	constructor(private readonly seed: string) {}

	/** @param kind also the beginning of the id */
	next(kind: string): string {
		const count = (this.counts.get(kind) ?? 0) + 1;
		this.counts.set(kind, count);
		const digest = createHash('sha256').update(`${this.seed}/${this.series}/${kind}/${count}`).digest('hex');
		return `${kind}_${digest.slice(0, 24)}`;
	}

	startNewSeries(): void {
		this.series += 1;
		this.counts.clear();
	}
}
