import { createHash } from 'crypto';

import type { PrefixFingerprint } from './fingerprint';

/** Keys of a request's marked prefixes, the shortest first. A request can read what another one with the same key wrote. */
export function prefixKeys({ model, blocks }: PrefixFingerprint): string[] {
	const hash = createHash('sha256').update(JSON.stringify(model));
	return blocks.flatMap(({ role, hash: text, marked }) => {
		hash.update(JSON.stringify([role, text]));
		return marked ? [hash.copy().digest('base64')] : [];
	});
}

/**
 * Sends one request alone for each prefix that is not cached yet, so that the others read what it writes. A request that shares
 * only its first block with that one waits for it too, and is then the first for the rest of its own prefix.
 */
export class WarmUp {
	private readonly warm = new Set<string>();

	private readonly writing = new Map<string, Promise<void>>();

	/**
	 * Runs a job, which must not reject, as soon as no other job writes one of its prefixes. `isWritten` reads from its result
	 * whether the prefixes can now be read; if not, the next job in line writes them.
	 */
	async run<Result>(
		keys: readonly string[],
		job: () => Promise<Result>,
		isWritten: (result: Result) => boolean,
	): Promise<Result> {
		for (let first = this.writerOf(keys); first; first = this.writerOf(keys)) await first;
		const cold = keys.filter((key) => !this.warm.has(key));
		const running = job();
		const ended = running.then((result) => {
			for (const key of cold) {
				this.writing.delete(key);
				if (isWritten(result)) this.warm.add(key);
			}
		});
		for (const key of cold) this.writing.set(key, ended);
		await ended;
		return await running;
	}

	private writerOf(keys: readonly string[]): Promise<void> | undefined {
		const key = keys.find((candidate) => this.writing.has(candidate));
		return key === undefined ? undefined : this.writing.get(key);
	}
}
