import { createHash } from 'crypto';

import { CHAT_ROLES } from '../../shared/api/chat';
import { z } from '../../shared/util/vendor/zod';
import type { Part } from '../conversation';
import { checksOf } from './checks';

/** Characters that one chunk hash stands for, beyond those that have a check of their own. */
export const CHUNK_CHARACTERS = 256;

/** Six characters of base64 are 36 bits: enough to tell a chunk from what was there before. */
const CHUNK_HASH_LENGTH = 6;

const HASH_LENGTH = 16;

const blockFingerprint = z.object({
	block: z.number(),
	role: z.enum(CHAT_ROLES),
	marked: z.boolean(),
	/** Of the whole text. */
	hash: z.string(),
	/** One check for each character from the first on, for as many as were within the budget. */
	checks: z.string(),
	/** One hash for each chunk of the text behind the checked characters. */
	chunks: z.string(),
});

export type BlockFingerprint = z.infer<typeof blockFingerprint>;

export const prefixFingerprint = z.object({ model: z.string(), blocks: z.array(blockFingerprint) });

/** What is kept of a prefix: enough to find where another one begins to differ, without its text. */
export type PrefixFingerprint = z.infer<typeof prefixFingerprint>;

/** How many characters may still get a check of their own. Counts down. */
export interface CheckBudget {
	characters: number;
}

/** A short hash of a text, in base64url. */
export function hashOf(text: string, length = HASH_LENGTH): string {
	return createHash('sha256').update(text).digest('base64url').slice(0, length);
}

/** Hashes of the chunks of a text from a character on, one behind the other. */
export function chunkHashes(text: string, from: number): string[] {
	const hashes: string[] = [];
	for (let at = from; at < text.length; at += CHUNK_CHARACTERS) {
		hashes.push(hashOf(text.slice(at, at + CHUNK_CHARACTERS), CHUNK_HASH_LENGTH));
	}
	return hashes;
}

/** Takes the chunk hashes of a stored block apart again. */
export function splitChunks(chunks: string): string[] {
	return chunks.match(new RegExp(`.{1,${CHUNK_HASH_LENGTH}}`, 'g')) ?? [];
}

/** The fingerprint of a prefix. Takes what it needs for exact positions from the budget, as far as it goes. */
export function fingerprintOf(model: string, prefix: readonly Part[], budget: CheckBudget): PrefixFingerprint {
	return {
		model,
		blocks: prefix.map(({ role, text, ttl, block }, at) => {
			const checked = text.slice(0, budget.characters);
			budget.characters -= checked.length;
			return {
				block: block ?? at + 1,
				role,
				marked: ttl !== undefined,
				hash: hashOf(text),
				checks: checksOf(checked),
				chunks: chunkHashes(text, checked.length).join(''),
			};
		}),
	};
}
