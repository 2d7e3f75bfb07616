import { isBlank, objectOf } from '../util/json';
import { number } from '../util/schema';
import { z } from '../util/vendor/zod';

/**
 * Tokens of one answer, the same for both styles. `inputUncached`, `cacheRead` and `cacheWrite` do not overlap and sum to
 * `inputTotal` (spec, Chat usage objects). The two parts of `cacheWrite` are `null` where the service does not report them.
 */
export const usageShape = z.object({
	inputTotal: z.number(),
	inputUncached: z.number(),
	cacheRead: z.number(),
	cacheWrite: z.number(),
	cacheWrite5m: z.number().nullable(),
	cacheWrite1h: z.number().nullable(),
	output: z.number(),
	cacheHit: z.boolean(),
});

export type Usage = z.infer<typeof usageShape>;

/** What can be counted together for several answers. */
type TokenCounts = Omit<Usage, 'cacheWrite5m' | 'cacheWrite1h' | 'cacheHit'>;

export const count = (value: number, word?: string) =>
	`${value.toLocaleString('en-US')}${word === undefined ? '' : ` ${word}${value === 1 ? '' : 's'}`}`;

export const inputInWords = (usage: TokenCounts) =>
	`${count(usage.inputTotal, 'input token')} (${count(usage.cacheRead)} read from the cache, ${count(usage.cacheWrite)} written to it, ${count(usage.inputUncached)} plain)`;

export const NO_USAGE =
	'The answer does not state its input tokens, so it is not known whether the cache was used.';

/** The answer was paid for: what cannot be a number of tokens counts as none. */
const tokens = number(0).catch(0);

interface Parts {
	inputUncached: number;
	cacheRead: number;
	/** Writes in general. A service may report either these or those by lifetime. */
	written: number;
	written5m: number;
	written1h: number;
	output: number;
}

function writesOf({ written, written5m: cacheWrite5m, written1h: cacheWrite1h }: Parts) {
	const split = cacheWrite5m + cacheWrite1h;
	const cacheWrite = Math.max(split, written);
	// A split of zeros beside a sum that is not zero is not a split.
	return split > 0 || cacheWrite === 0
		? { cacheWrite, cacheWrite5m, cacheWrite1h }
		: { cacheWrite, cacheWrite5m: null, cacheWrite1h: null };
}

function toUsage(parts: Parts): Usage {
	const { inputUncached, cacheRead, output } = parts;
	const writes = writesOf(parts);
	const inputTotal = inputUncached + cacheRead + writes.cacheWrite;
	return { inputTotal, inputUncached, cacheRead, ...writes, output, cacheHit: cacheRead > 0 };
}

const messagesUsage = z.object({
	input_tokens: tokens,
	cache_creation_input_tokens: tokens,
	cache_read_input_tokens: tokens,
	cache_creation: z.preprocess(
		objectOf,
		z.object({ ephemeral_5m_input_tokens: tokens, ephemeral_1h_input_tokens: tokens }),
	),
	output_tokens: tokens,
});

/** Usage of `/v1/messages`, in the spec's words: the service reports the three parts, and the total is their sum. */
export function readMessagesUsage(usage: Record<string, unknown>): Usage {
	const read = messagesUsage.parse(usage);
	return toUsage({
		inputUncached: read.input_tokens,
		cacheRead: read.cache_read_input_tokens,
		written: read.cache_creation_input_tokens,
		written5m: read.cache_creation.ephemeral_5m_input_tokens,
		written1h: read.cache_creation.ephemeral_1h_input_tokens,
		output: read.output_tokens,
	});
}

const completionUsage = z.object({
	prompt_tokens: tokens,
	completion_tokens: tokens,
	prompt_tokens_details: z.preprocess(
		objectOf,
		z.object({ cached_tokens: tokens, cache_write_tokens: tokens }),
	),
	vendor_cache_creation_5_m_tokens: tokens,
	vendor_cache_creation_1_h_tokens: tokens,
});

/** Usage of `/v1/chat/completions`, in the spec's words: the service reports the total, and the rest of it is plain input. */
export function readCompletionUsage(usage: Record<string, unknown>): Usage {
	const read = completionUsage.parse(usage);
	const parts: Parts = {
		inputUncached: 0,
		cacheRead: read.prompt_tokens_details.cached_tokens,
		written: read.prompt_tokens_details.cache_write_tokens,
		written5m: read.vendor_cache_creation_5_m_tokens,
		written1h: read.vendor_cache_creation_1_h_tokens,
		output: read.completion_tokens,
	};
	const cached = parts.cacheRead + writesOf(parts).cacheWrite;
	return toUsage({ ...parts, inputUncached: Math.max(0, read.prompt_tokens - cached) });
}

/** Each with the fields of which one states the input. */
const READERS = {
	messages: {
		fields: ['input_tokens', 'cache_creation_input_tokens', 'cache_read_input_tokens'],
		read: readMessagesUsage,
	},
	completions: { fields: ['prompt_tokens'], read: readCompletionUsage },
};

export type UsageStyle = keyof typeof READERS;

/** Reads the `usage` of an answer, in the spec's words, in this style or in the other: a deployment may answer in that. `undefined` without the input, which is not free. */
export function readUsage(usage: Record<string, unknown>, style: UsageStyle): Usage | undefined {
	const readers = [READERS[style], READERS.messages, READERS.completions];
	const isStated = (name: string) => !isBlank(usage[name]);
	return readers.find(({ fields }) => fields.some(isStated))?.read(usage);
}

export function sumUsage(usages: readonly Usage[]): TokenCounts {
	const total = (of: keyof TokenCounts) => usages.reduce((sum, usage) => sum + usage[of], 0);
	return {
		inputTotal: total('inputTotal'),
		inputUncached: total('inputUncached'),
		cacheRead: total('cacheRead'),
		cacheWrite: total('cacheWrite'),
		output: total('output'),
	};
}
