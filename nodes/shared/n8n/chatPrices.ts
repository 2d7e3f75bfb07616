import { number } from '../util/schema';
import { numberIfSet } from './options';

const price = (displayName: string, of: string) =>
	numberIfSet(number, [0], {
		displayName,
		typeOptions: { numberPrecision: 6 },
		default: 0,
		description: `Price of a million ${of}, in any currency. With the prices of everything that was used, the output has an estimated cost.`,
	});

/** Options for the user's prices: see `ChatPrices`. */
export const priceOptions = {
	priceCacheRead: price('Price of Cache Reads', 'input tokens that were read from the cache'),
	priceCacheWrite1h: price(
		'Price of Cache Writes (1 Hour)',
		'input tokens that were written to the cache for an hour',
	),
	priceCacheWrite5m: price(
		'Price of Cache Writes (5 Minutes)',
		'input tokens that were written to the cache for five minutes',
	),
	priceInput: price('Price of Input', 'plain input tokens'),
	priceOutput: price('Price of Output', 'output tokens'),
};
