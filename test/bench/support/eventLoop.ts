const PING_EVERY_MS = 10;

/** Asks n8n for a sign of life until it is told to end. Returns the longest wait for one, in milliseconds. */
export function watchEventLoop(url: string): () => Promise<number> {
	let ended = false;
	let longest = 0;
	const watching = (async () => {
		while (!ended) {
			const asked = performance.now();
			await (await fetch(`${url}/healthz`)).arrayBuffer();
			longest = Math.max(longest, performance.now() - asked);
			await new Promise((resolve) => setTimeout(resolve, PING_EVERY_MS));
		}
	})();
	return async () => {
		ended = true;
		await watching;
		return longest;
	};
}
