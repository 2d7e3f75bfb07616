import { createRequire } from 'node:module';
import { LRUCache } from 'lru-cache';

type Count = (text: string, options: { disallowedSpecial: Set<string> }) => number;

/** A document may say `<|endoftext|>`: that is text, too. */
const AS_TEXT = { disallowedSpecial: new Set<string>() };

let tokenizer: Count | undefined;

/** Long documents come more than once. Counting a shorter text is faster than finding it in the cache. */
const WORTH_KEEPING = 2_000;
const counts = new LRUCache<string, number>({
	maxSize: 16 * 1024 * 1024,
	sizeCalculation: (_count, text) => text.length,
	memoMethod: (text) => load()(text, AS_TEXT),
});

/** Number of tokens of a text, by a real tokenizer (o200k). */
export function countTokens(text: string): number {
	return text.length < WORTH_KEEPING ? load()(text, AS_TEXT) : counts.memo(text);
}

/** Loaded on first use: the vocabulary takes a moment, and most sandboxes do without chat. */
function load(): Count {
	const path = require.resolve('gpt-tokenizer/encoding/o200k_base');
	return (tokenizer ??= (createRequire(__filename)(path) as { countTokens: Count }).countTokens);
}
