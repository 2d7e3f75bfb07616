import { createRequire } from 'node:module';
import { LRUCache } from 'lru-cache';

type Count = (text: string) => number;

let tokenizer: Count | undefined;

/** Documents are asked about again and again; what is shorter is counted faster than it is looked up. */
const WORTH_KEEPING = 2_000;
const counts = new LRUCache<string, number>({ maxSize: 16 * 1024 * 1024, sizeCalculation: (_count, text) => text.length });

/** How many tokens a text has, by a real tokenizer (o200k). */
export function countTokens(text: string): number {
	if (text.length < WORTH_KEEPING) return load()(text);
	const known = counts.get(text);
	if (known !== undefined) return known;
	const counted = load()(text);
	counts.set(text, counted);
	return counted;
}

/** Loading the vocabulary takes a moment, which a sandbox without chat need not spend. */
function load(): Count {
	return (tokenizer ??= (createRequire(__filename)('gpt-tokenizer/encoding/o200k_base') as { countTokens: Count }).countTokens);
}
