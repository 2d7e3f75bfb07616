import { createHash } from 'crypto';
import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { CHAT_ROLES } from '../../shared/api/chat';
import { z } from '../../shared/util/vendor/zod';
import type { Part } from '../prompt/conversation';

/** Characters per chunk hash: a difference is reported as a range of this length. */
export const CHUNK_CHARACTERS = 256;

/** Six characters of base64url are 36 bits: enough to tell a chunk from the one that was there before. */
const CHUNK_HASH_LENGTH = 6;

const HASH_LENGTH = 16;

const blockFingerprint = z.object({
	/** Its number in the list "Cached Blocks", from 1. */
	block: z.number(),
	role: z.enum(CHAT_ROLES),
	marked: z.boolean(),
	/** Characters of the text. */
	length: z.number(),
	/** Of the whole text. */
	hash: z.string(),
	/** One hash per chunk, joined. */
	chunks: z.string(),
});

export type BlockFingerprint = z.infer<typeof blockFingerprint>;

const prefixFingerprint = z.object({ model: z.string(), blocks: z.array(blockFingerprint) });

/** What is kept of a prefix: enough to find where another one begins to differ, without its text. */
export type PrefixFingerprint = z.infer<typeof prefixFingerprint>;

const hashOf = (text: string, length: number) =>
	createHash('sha256').update(text).digest('base64url').slice(0, length);

function hashText(text: string): Pick<BlockFingerprint, 'length' | 'hash' | 'chunks'> {
	const chunks: string[] = [];
	for (let at = 0; at < text.length; at += CHUNK_CHARACTERS) {
		chunks.push(hashOf(text.slice(at, at + CHUNK_CHARACTERS), CHUNK_HASH_LENGTH));
	}
	return { length: text.length, hash: hashOf(text, HASH_LENGTH), chunks: chunks.join('') };
}

/** Index of the first chunk that differs, or the number of chunks of the shorter text; and whether it is the latter. */
export function firstDifferentChunk(
	before: string,
	now: string,
): { chunk: number; isEnd: boolean } {
	const shared = Math.min(before.length, now.length);
	let at = 0;
	while (at < shared && before[at] === now[at]) at++;
	return { chunk: Math.floor(at / CHUNK_HASH_LENGTH), isEnd: at === shared };
}

/** Reads each text once: the items of a run usually share their blocks. */
export function oncePerText<Result>(read: (text: string) => Result): (text: string) => Result {
	const known = new Map<string, Result>();
	return (text) => {
		const found = known.get(text) ?? read(text);
		known.set(text, found);
		return found;
	};
}

export type Fingerprinter = (model: string, prefix: readonly Part[]) => PrefixFingerprint;

/** Makes the fingerprints of one run's prefixes. */
export function createFingerprinter(): Fingerprinter {
	const hashes = oncePerText(hashText);
	return (model, prefix) => ({
		model,
		blocks: prefix.map(({ role, text, ttl, block }, at) => ({
			block: block ?? at + 1,
			role,
			marked: ttl !== undefined,
			...hashes(text),
		})),
	});
}

const KEY = 'mediaGenPrefixes';

/** Different prefixes of one run that are kept. */
const MAX_PREFIXES = 10;

const stored = z.array(prefixFingerprint).catch([]);

/**
 * The prefixes of the node's last run, kept with the workflow. n8n saves them only for executions of an active workflow that a
 * trigger started; in other executions they last until the end, which is enough for a loop.
 */
export class PrefixMemory {
	private readonly data: IDataObject;

	readonly lastRun: PrefixFingerprint[];

	constructor(context: Pick<IExecuteFunctions, 'getWorkflowStaticData'>) {
		this.data = context.getWorkflowStaticData('node');
		this.lastRun = stored.parse(this.data[KEY] ?? []);
	}

	/** Keeps the prefixes of this run in place of those of the last one. */
	keep(prefixes: readonly PrefixFingerprint[]): void {
		const different = new Map(
			prefixes
				.filter(({ blocks }) => blocks.length > 0)
				.map((each) => [JSON.stringify(each), each]),
		);
		const kept = [...different.values()].slice(0, MAX_PREFIXES);
		// A write that changes nothing would still make n8n save the workflow's data.
		if (kept.length > 0 && JSON.stringify(kept) !== JSON.stringify(this.lastRun))
			this.data[KEY] = kept;
	}
}
