import { KeyedLock } from '../../shared/util/keyedLock';

/**
 * Sends one request alone for each prefix that is not cached yet, so that the others read what it writes. A request that shares
 * only its first block with that one waits for it too, and is then the first for the rest of its own prefix.
 */
export class WarmUp {
	private readonly warm = new Set<string>();
	private readonly lock = new KeyedLock();

	/**
	 * Runs a job, which must not reject, as soon as no other job writes one of its prefixes. `keys`: the shortest prefix first. `releases`
	 * reads from its result whether the others need not wait any more; if not, the next job in line writes the prefixes.
	 */
	async run<Result>(
		keys: readonly string[],
		job: () => Promise<Result>,
		releases: (result: Result) => boolean,
	): Promise<Result> {
		const cold = keys.filter((key) => !this.warm.has(key));
		if (cold.length === 0) return await job();
		const write = async () => {
			const result = await job();
			if (releases(result)) for (const key of cold) this.warm.add(key);
			return { result };
		};
		// While it waited, another one may have written a prefix: that one is read from the cache now.
		const isWarmer = () => cold.some((key) => this.warm.has(key));
		const alone = cold.reduceRight<() => Promise<{ result: Result } | undefined>>(
			(inner, key) => async () =>
				await this.lock.run(key, async () => (isWarmer() ? undefined : await inner())),
			write,
		);
		const written = await alone();
		return written ? written.result : await this.run(keys, job, releases);
	}
}
