import type { Usage } from './chatUsage';

/** Prices of a million tokens, in any one currency. */
export interface ChatPrices {
	priceInput?: number;
	priceCacheRead?: number;
	priceCacheWrite5m?: number;
	priceCacheWrite1h?: number;
	priceOutput?: number;
}

/** In the currency of the prices; `null` where a price that it needs is not given, or the tokens are not known. */
export type Cost = { estimatedCost: number | null; savedByCache: number | null };

/** Price lists have fewer than nine digits; what follows is floating-point error. */
const rounded = (amount: number) => Math.round(amount * 1e9) / 1e9;

type Priced = readonly [tokens: number, price: number | undefined];

function sumOf(priced: readonly Priced[]): number | null {
	const used = priced.filter(([tokens]) => tokens > 0);
	if (used.some(([, price]) => price === undefined)) return null;
	return used.reduce((total, [tokens, price]) => total + (tokens * (price ?? 0)) / 1_000_000, 0);
}

/**
 * What an answer costs, and what the cache saved: the cost of the same input without a cache, minus the cost with it. It is negative if
 * writing cost more than reading saved (cache rule 9). `undefined` without any price.
 */
export function costOf(usage: Usage | undefined, prices: ChatPrices): Cost | undefined {
	const { priceInput, priceCacheRead, priceOutput, priceCacheWrite5m, priceCacheWrite1h } = prices;
	const given = [priceInput, priceCacheRead, priceOutput, priceCacheWrite5m, priceCacheWrite1h];
	if (given.every((price) => price === undefined)) return undefined;
	if (!usage) return { estimatedCost: null, savedByCache: null };

	const { cacheWrite, cacheWrite5m, cacheWrite1h } = usage;
	// Writes whose lifetime the service does not report have a price only if both are the same.
	const writes: Priced[] =
		cacheWrite5m === null || cacheWrite1h === null
			? [[cacheWrite, priceCacheWrite5m === priceCacheWrite1h ? priceCacheWrite5m : undefined]]
			: [
					[cacheWrite5m, priceCacheWrite5m],
					[cacheWrite1h, priceCacheWrite1h],
				];
	const input = sumOf([
		[usage.inputUncached, priceInput],
		[usage.cacheRead, priceCacheRead],
		...writes,
	]);
	const output = sumOf([[usage.output, priceOutput]]);
	const uncached = sumOf([[usage.inputTotal, priceInput]]);
	return {
		estimatedCost: input === null || output === null ? null : rounded(input + output),
		savedByCache: input === null || uncached === null ? null : rounded(uncached - input),
	};
}
