/**
 * The sandbox's own price list, in credits (1,000 credits are 1.00 of balance): the spec names billing keys, and no
 * prices. Those of music are in its table of operations.
 */
export const PRICES = {
	/** A model that the spec does not name. */
	'other-image': 40,
	'imagegen-2-official-1k': 40,
	'imagegen-2-official-2k': 80,
	'imagegen-2-official-4k': 160,
	'imgfast-3.1-flash-lite-image': 34,
	'imgfast-3.1-flash-lite-image-ext': 30,
	'musicgen@upload': 5,
	'gridart@imagine': 60,
	'gridart@imagine-fast': 90,
	'gridart@imagine-turbo': 180,
	'gridart@upscale': 20,
	'gridart@upscale-fast': 30,
	'gridart@upscale-turbo': 60,
	'gridart@variation': 60,
	'gridart@variation-fast': 90,
	'gridart@variation-turbo': 180,
	'gridart@low_variation': 60,
	'gridart@low_variation-fast': 90,
	'gridart@low_variation-turbo': 180,
	'gridart@reroll': 60,
	'gridart@reroll-fast': 90,
	'gridart@reroll-turbo': 180,
	'other-remix': 400,
	'vidgen3.1-fast': 400,
	'vidgen3.1-quality': 1_000,
	/** For each second of `vidomni-v3-omni`. */
	'vidomni-v3-omni@std': 60,
	'vidomni-v3-omni@pro': 90,
	'vidomni-v3-omni@4k': 150,
	/** For each second of a model or mode that the spec does not name. */
	'other-video': 60,
} as const;

export type PriceKey = keyof typeof PRICES;

export function isPriceKey(name: string): name is PriceKey {
	return Object.hasOwn(PRICES, name);
}

/** What a task is called in the ledger, and costs. */
export const priced = (item: PriceKey) => ({ item, credits: PRICES[item] });

/** Credits as an amount of the balance's unit. */
export function creditsToCost(credits: number): number {
	return credits / 1000;
}
