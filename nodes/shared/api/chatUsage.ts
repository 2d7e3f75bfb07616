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

type TokenCounts = Omit<Usage, 'cacheWrite5m' | 'cacheWrite1h' | 'cacheHit'>;

export const count = (value: number, word?: string) =>
	`${value.toLocaleString('en-US')}${word === undefined ? '' : ` ${word}${value === 1 ? '' : 's'}`}`;

export const inputInWords = (usage: TokenCounts) =>
	`${count(usage.inputTotal, 'input token')} (${count(usage.cacheRead)} read from the cache, ${count(usage.cacheWrite)} written to it, ${count(usage.inputUncached)} plain)`;

export const NO_USAGE =
	'The answer does not state its input tokens, so it is not known whether the cache was used.';

/** Where the tokens of each style are (spec, Chat usage objects), and which of the places state the input. */
const STYLES = {
	messages: {
		input: ['input_tokens'],
		cacheRead: ['cache_read_input_tokens'],
		written: ['cache_creation_input_tokens'],
		written5m: ['cache_creation', 'ephemeral_5m_input_tokens'],
		written1h: ['cache_creation', 'ephemeral_1h_input_tokens'],
		output: ['output_tokens'],
		stated: ['input', 'cacheRead', 'written'],
	},
	completions: {
		input: ['prompt_tokens'],
		cacheRead: ['prompt_tokens_details', 'cached_tokens'],
		written: ['prompt_tokens_details', 'cache_write_tokens'],
		written5m: ['vendor_cache_creation_5_m_tokens'],
		written1h: ['vendor_cache_creation_1_h_tokens'],
		output: ['completion_tokens'],
		stated: ['input'],
	},
} as const;

export type UsageStyle = keyof typeof STYLES;

type Place = Exclude<keyof (typeof STYLES)[UsageStyle], 'stated'>;

/** A number of tokens. The answer was paid for: what cannot be one counts as none. */
const tokens = number(0).catch(0);

/**
 * Reads the `usage` of an answer, in the spec's words, in this style or in the other: a deployment may answer in that. `undefined` without
 * the input, which is not free.
 */
export function readUsage(
	usage: Record<string, unknown>,
	preferred: UsageStyle,
): Usage | undefined {
	const valueAt = (style: UsageStyle, place: Place) =>
		STYLES[style][place].reduce<unknown>((holder, field) => objectOf(holder)[field], usage);
	const style = ([preferred, 'messages', 'completions'] as const).find((each) =>
		STYLES[each].stated.some((place) => !isBlank(valueAt(each, place))),
	);
	if (style === undefined) return undefined;
	const at = (place: Place) => tokens.parse(valueAt(style, place));
	const [input, cacheRead, output] = [at('input'), at('cacheRead'), at('output')];
	const [written5m, written1h] = [at('written5m'), at('written1h')];
	// A service may report writes in general, by lifetime, or both.
	const split = written5m + written1h;
	const cacheWrite = Math.max(split, at('written'));
	// A split of zeros beside a sum that is not zero is not a split.
	const isSplit = split > 0 || cacheWrite === 0;
	const cached = cacheRead + cacheWrite;
	// Messages style reports the plain input, completions style the total.
	const inputUncached = style === 'messages' ? input : Math.max(0, input - cached);
	return {
		inputTotal: inputUncached + cached,
		inputUncached,
		cacheRead,
		cacheWrite,
		cacheWrite5m: isSplit ? written5m : null,
		cacheWrite1h: isSplit ? written1h : null,
		output,
		cacheHit: cacheRead > 0,
	};
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
