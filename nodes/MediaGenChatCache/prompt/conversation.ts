import { alternating, CHAT_ROLES, type ChatRole, textBlock } from '../../shared/api/chat';
import { integer, oneOf, text } from '../../shared/util/schema';
import { z } from '../../shared/util/vendor/zod';

export const NOT_MARKED = 'none';

const cachedBlock = z.object({
	text: text(),
	ttl: text().default('5m'),
	place: oneOf(CHAT_ROLES).default('system'),
});

const earlierTurn = z.object({ role: oneOf(['user', 'assistant']).default('user'), text: text() });

/** What one item asks, with the names of the API where it has one (spec §8). A block that the user left empty is `null`. */
export const conversation = z.object({
	model: text(),
	max_tokens: integer(1),
	prompt: text(),
	cached_blocks: z.array(cachedBlock.nullable()).default([]),
	earlier_turns: z.array(earlierTurn).default([]),
});

/** A piece of the prompt, in the order in which the service reads it. */
export interface Part {
	role: ChatRole;
	text: string;
	/** How long the service keeps the prompt up to the end of this part; absent without a marker. */
	ttl?: string;
	/** Its number in the list "Cached Blocks", from 1. */
	block?: number;
}

/**
 * The whole prompt: system blocks, then the other cached blocks, then earlier turns, then the question, which is a block of its
 * own and never marked (cache rule 3).
 */
export function partsOf(given: z.infer<typeof conversation>): Part[] {
	const cached = given.cached_blocks.flatMap((each, at): Part[] => {
		if (each === null) return [];
		const part = { role: each.place, text: each.text, block: at + 1 };
		return [each.ttl === NOT_MARKED ? part : { ...part, ttl: each.ttl }];
	});
	return [
		...cached.filter(({ role }) => role === 'system'),
		...cached.filter(({ role }) => role !== 'system'),
		...given.earlier_turns,
		{ role: 'user', text: given.prompt },
	];
}

/** What is to be cached: everything up to the last marked part. */
export function prefixOf(parts: readonly Part[]): Part[] {
	const end = parts.reduce((last, { ttl }, at) => (ttl === undefined ? last : at + 1), 0);
	return parts.slice(0, end);
}

export const blocksOf = (parts: readonly Part[]) =>
	parts.map(({ text, ttl }) => textBlock(text, ttl));

/** The turns of the given parts. Their content is a list of blocks: on plain text a marker has no effect (cache rule 2). */
export const turnsOf = (parts: readonly Part[]) =>
	alternating(parts.map((part) => ({ role: part.role, content: blocksOf([part]) })));
