import { CACHE_TTLS, type CacheTtl, CHAT_ROLES, type ChatRole, MAX_CACHE_MARKERS } from '../shared/api/chat';
import { integer, oneOf, text } from '../shared/util/schema';
import { z } from '../shared/util/vendor/zod';
import { extraBody, markersIn } from './extraBody';

export const NOT_MARKED = 'none';

const cachedBlock = z.object({
	text: text(),
	ttl: oneOf([...CACHE_TTLS, NOT_MARKED]).default('5m'),
	place: oneOf(CHAT_ROLES).default('system'),
});

const earlierTurn = z.object({
	role: oneOf(['user', 'assistant']).default('user'),
	text: text(),
});

/** What one item asks, as the panel gives it, under the API's names where the API has one (spec §8). */
export const conversation = z
	.object({
		model: text(),
		max_tokens: integer(1),
		prompt: text(),
		cached_blocks: z.array(cachedBlock).default([]),
		earlier_turns: z.array(earlierTurn).default([]),
		extra_body: extraBody.optional(),
	})
	.superRefine(({ cached_blocks, extra_body }, issues) => {
		const inBlocks = cached_blocks.filter(({ ttl }) => ttl !== NOT_MARKED).length;
		const inExtra = markersIn(extra_body).length;
		if (inBlocks + inExtra <= MAX_CACHE_MARKERS) return;
		const where = inExtra > 0 ? `: ${inBlocks} here and ${inExtra} in "Extra Body Fields"` : '';
		issues.addIssue({
			code: z.ZodIssueCode.custom,
			path: ['cached_blocks'],
			message: `must not mark more than ${MAX_CACHE_MARKERS} blocks, and ${inBlocks + inExtra} are marked${where}. One marker caches everything before it too: set the "Cache For" of the others to "Not Marked"`,
		});
	});

export type Conversation = z.infer<typeof conversation>;

/** A piece of the prompt, in the order in which the service reads it. */
export interface Part {
	role: ChatRole;
	text: string;
	/** How long the prompt up to and with this part is to be kept; absent where it has no marker. */
	ttl?: CacheTtl;
	/** Its number in the list "Cached Blocks", from 1. */
	block?: number;
}

/**
 * The whole prompt: system blocks, then the cached blocks in turns, then earlier turns, then the question, which is
 * a block of its own and never marked (cache rule 3).
 */
export function partsOf(given: Conversation): Part[] {
	const cached = given.cached_blocks.map(({ place, text: content, ttl }, at): Part => ({
		role: place,
		text: content,
		block: at + 1,
		...(ttl === NOT_MARKED ? {} : { ttl }),
	}));
	return [
		...cached.filter(({ role }) => role === 'system'),
		...cached.filter(({ role }) => role !== 'system'),
		...given.earlier_turns,
		{ role: 'user', text: given.prompt },
	];
}

/** What is to be cached: everything up to and with the last marked part. */
export function prefixOf(parts: readonly Part[]): Part[] {
	const end = parts.reduce((last, { ttl }, at) => (ttl === undefined ? last : at + 1), 0);
	return parts.slice(0, end);
}
