/**
 * The sandbox's own price list, in credits (1,000 credits are 1.00 of balance): the spec names billing keys, and no
 * prices.
 */
export const PRICES = {
	'imagegen-2-official-1k': 40,
	'imagegen-2-official-2k': 80,
	'imagegen-2-official-4k': 160,
	'imgfast-3.1-flash-lite-image': 34,
	'imgfast-3.1-flash-lite-image-ext': 30,
} as const;

export type PriceKey = keyof typeof PRICES;

/** Credits as an amount of the balance's unit. */
export function creditsToCost(credits: number): number {
	return credits / 1000;
}
