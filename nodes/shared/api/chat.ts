import { z } from '../util/vendor/zod';

/** Chat with a cached prefix (spec §8 and Chat usage objects). Paths and header names are in the spec's words. */
export const MESSAGES_PATH = '/v1/messages';
export const COMPLETIONS_PATH = '/v1/chat/completions';

/** The version that the messages-style endpoint asks for (spec, Versioning). */
export const VERSION_HEADER = { 'vendor-version': '2023-06-01' } as const;

/** What a prefix that is to live for an hour needs on either endpoint (cache rule 1). */
export const HOUR_CACHE_HEADER = { 'vendor-beta': 'extended-cache-ttl-2025-04-11' } as const;

/** How long a cached prefix lives after it was last read (cache rules 1 and 7). */
export const CACHE_TTLS = ['5m', '1h'] as const;

export type CacheTtl = (typeof CACHE_TTLS)[number];

export const CHAT_ROLES = ['system', 'user', 'assistant'] as const;

export type ChatRole = (typeof CHAT_ROLES)[number];

/** Markers in one request. The spec shows no number; chat services that take such markers take this many. */
export const MAX_CACHE_MARKERS = 4;

/** Tokens that a prefix must have, about, for its marker not to be ignored in silence (cache rule 4). */
export const MIN_PREFIX_TOKENS = 1_024;

/** The stop reason of an answer that is none (cache rule 6). */
export const REFUSAL = 'refusal';

/** A marker. `5m` is what the service takes an absent `ttl` for (cache rule 1). */
export type CacheControl = { type: 'ephemeral'; ttl?: '1h' };

export type TextBlock = { type: 'text'; text: string; cache_control?: CacheControl };

/**
 * A piece of text as a content block, with the marker inside it: beside a content that is a plain string it would
 * do nothing, and nobody would say so (cache rule 2).
 */
export function textBlock(text: string, ttl: CacheTtl | undefined): TextBlock {
	if (ttl === undefined) return { type: 'text', text };
	return {
		type: 'text',
		text,
		cache_control: ttl === '1h' ? { type: 'ephemeral', ttl } : { type: 'ephemeral' },
	};
}

/**
 * An answer of either endpoint. The spec names only `usage` and `stop_reason` in it, so anything that has a usage
 * or an answer's usual place counts: it has been paid for.
 */
export const chatResponse = z
	.record(z.unknown())
	.refine((answer) => ['usage', 'content', 'choices'].some((name) => name in answer), 'is not a chat answer');

export type ChatResponse = z.infer<typeof chatResponse>;

const textOrNothing = z.string().nullish().catch(undefined);

const contentBlocks = z.array(z.object({ text: textOrNothing }).catch({})).transform((blocks) =>
	blocks.map(({ text }) => text ?? '').join(''),
);

/** The text of an answer, be it one string or a list of blocks of which some hold text. */
const content = z.union([z.string(), contentBlocks]).catch('');

const messagesAnswer = z.object({ content, stop_reason: textOrNothing });

const choice = z.object({
	message: z.object({ content }).catch({ content: '' }),
	finish_reason: textOrNothing,
	stop_reason: textOrNothing,
});

const completionAnswer = z.object({
	choices: z.array(choice).catch([]),
	stop_reason: textOrNothing,
});

/** What an answer says: its text, and why it ended, if it tells. */
export interface Reply {
	text: string;
	stopReason: string | null;
}

/** Reads a messages-style answer. The place of the text is not shown: it is looked for in `content`. */
export function readMessage(answer: ChatResponse): Reply {
	const { content: text, stop_reason } = messagesAnswer.parse(answer);
	return { text, stopReason: stop_reason ?? null };
}

/**
 * Reads a chat-completions-style answer. The place of the text is not shown: it is looked for in the first of
 * `choices`. `stop_reason` is the spec's field; a deployment may tell it as that choice's `finish_reason`.
 */
export function readCompletion(answer: ChatResponse): Reply {
	const { choices, stop_reason } = completionAnswer.parse(answer);
	const [first] = choices;
	return {
		text: first?.message.content ?? '',
		stopReason: stop_reason ?? first?.stop_reason ?? first?.finish_reason ?? null,
	};
}
