import { type ChatPrices, costOf } from '../../../../nodes/shared/api/chatCost';
import { usageOf } from '../../support/usage';

const prices: ChatPrices = {
	priceInput: 3,
	priceCacheWrite5m: 3.75,
	priceCacheWrite1h: 6,
	priceCacheRead: 0.3,
	priceOutput: 15,
};

const written = usageOf({
	inputTotal: 5_100,
	inputUncached: 100,
	cacheWrite: 5_000,
	cacheWrite5m: 5_000,
	output: 200,
});
const read = usageOf({
	inputTotal: 5_100,
	inputUncached: 100,
	cacheRead: 5_000,
	output: 200,
	cacheHit: true,
});

test('each lifetime has its own price', () => {
	const both = usageOf({
		inputTotal: 3_000,
		cacheWrite: 3_000,
		cacheWrite5m: 1_000,
		cacheWrite1h: 2_000,
	});
	expect(costOf(both, prices)?.estimatedCost).toBe(0.01575);
});

test('a price that is needed and not given leaves no sum', () => {
	const { priceCacheRead: _, ...others } = prices;
	expect(costOf(read, others)).toEqual({ estimatedCost: null, savedByCache: null });
	expect(costOf(written, others)?.estimatedCost).toBe(0.02205);
	expect(costOf(read, { ...prices, priceOutput: undefined })).toEqual({
		estimatedCost: null,
		savedByCache: 0.0135,
	});
});

test('a write of unknown lifetime has a price only where both lifetimes cost the same', () => {
	const unknown = usageOf({
		inputTotal: 1_000,
		cacheWrite: 1_000,
		cacheWrite5m: null,
		cacheWrite1h: null,
	});
	expect(costOf(unknown, prices)?.estimatedCost).toBeNull();
	expect(costOf(unknown, { ...prices, priceCacheWrite1h: 3.75 })?.estimatedCost).toBe(0.00375);
});
