/** What is to be undone at the end, the newest first, however the end comes. */
export class Cleanup {
	private readonly tasks: Array<() => Promise<void>> = [];

	private running: Promise<void> | undefined;

	/** `task` is called once, at the end. */
	add(task: () => Promise<void>): void {
		this.tasks.push(task);
	}

	get isNeeded(): boolean {
		return this.tasks.length > 0;
	}

	/** Does it all; called again, waits for the first call. */
	async run(): Promise<void> {
		this.running ??= (async () => {
			for (const task of this.tasks.reverse()) {
				await task().catch((error: unknown) => console.error(error));
			}
		})();
		await this.running;
	}
}
