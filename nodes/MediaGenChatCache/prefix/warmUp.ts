/**
 * Sends one request alone for each prefix that is not cached yet, so that the others read what it writes. A request that shares
 * only its first block with that one waits for it too, and is then the first for the rest of its own prefix.
 */
export class WarmUp {
	private readonly warm = new Set<string>();
	private readonly writing = new Set<string>();

	/** Jobs that wait for a prefix to be written, in order. */
	private readonly waiting = new Map<string, Array<() => void>>();

	/**
	 * Runs a job, which must not reject, as soon as no other job writes one of its prefixes. `releases` reads from its result whether the
	 * others need not wait any more; if not, the next job in line writes the prefixes.
	 */
	async run<Result>(
		keys: readonly string[],
		job: () => Promise<Result>,
		releases: (result: Result) => boolean,
	): Promise<Result> {
		const inWriting = () => keys.find((key) => this.writing.has(key));
		for (let key = inWriting(); key !== undefined; key = inWriting()) await this.turnFor(key);
		const cold = keys.filter((key) => !this.warm.has(key));
		for (const key of cold) this.writing.add(key);
		const result = await job();
		const isReleased = releases(result);
		for (const key of cold) this.end(key, isReleased);
		return result;
	}

	private async turnFor(key: string): Promise<void> {
		const queue = this.waiting.get(key) ?? [];
		this.waiting.set(key, queue);
		await new Promise<void>((resolve) => queue.push(resolve));
	}

	/** Starts all waiting jobs, or one that writes the prefix. */
	private end(key: string, releases: boolean): void {
		this.writing.delete(key);
		if (releases) this.warm.add(key);
		const queue = this.waiting.get(key) ?? [];
		for (const start of queue.splice(0, releases ? queue.length : 1)) start();
	}
}
