import { createHash } from 'crypto';

import type { Part } from './conversation';

/**
 * What the cache would know a request's marked prefixes by, the shortest first: whoever shares one can read what the
 * other has written.
 */
export function prefixKeys(model: string, prefix: readonly Part[]): string[] {
	const hash = createHash('sha256').update(JSON.stringify(model));
	return prefix.flatMap(({ role, text, ttl }) => {
		hash.update(JSON.stringify([role, text]));
		return ttl === undefined ? [] : [hash.copy().digest('base64')];
	});
}

/**
 * Lets one request go ahead for each prefix that is still cold, so that the others read what it writes. A request
 * that shares only its first block with the one ahead waits for it too, and then goes ahead for the rest.
 */
export class WarmUp {
	private readonly warm = new Set<string>();

	private readonly ahead = new Map<string, Promise<void>>();

	/**
	 * Runs a job that must not reject, as soon as no other is ahead of it with one of its prefixes. `isWritten` tells
	 * from its result whether the prefixes can now be read; if not, the next in line goes ahead.
	 */
	async run<Result>(
		keys: readonly string[],
		job: () => Promise<Result>,
		isWritten: (result: Result) => boolean,
	): Promise<Result> {
		for (let first = this.aheadOf(keys); first; first = this.aheadOf(keys)) await first;
		const cold = keys.filter((key) => !this.warm.has(key));
		const running = job();
		const ended = running.then((result) => {
			for (const key of cold) {
				this.ahead.delete(key);
				if (isWritten(result)) this.warm.add(key);
			}
		});
		for (const key of cold) this.ahead.set(key, ended);
		await ended;
		return await running;
	}

	private aheadOf(keys: readonly string[]): Promise<void> | undefined {
		const key = keys.find((candidate) => this.ahead.has(candidate));
		return key === undefined ? undefined : this.ahead.get(key);
	}
}
