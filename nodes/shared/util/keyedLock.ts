/** Runs jobs with the same key one after the other. Jobs with different keys run side by side. */
export class KeyedLock {
	private readonly last = new Map<string, Promise<unknown>>();

	async run<Result>(key: string, job: () => Promise<Result>): Promise<Result> {
		const before = this.last.get(key);
		const running = before ? before.then(job) : job();
		const settled = running.catch(() => undefined);
		this.last.set(key, settled);
		try {
			return await running;
		} finally {
			if (this.last.get(key) === settled) this.last.delete(key);
		}
	}
}
