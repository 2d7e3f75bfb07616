import { type ChatPrices, type Cost, costOf } from '../../../../nodes/shared/api/chatCost';
import { usageOf } from '../../support/usage';

const prices: ChatPrices = {
	priceInput: 3,
	priceCacheWrite5m: 3.75,
	priceCacheWrite1h: 6,
	priceCacheRead: 0.3,
	priceOutput: 15,
};

const input = { inputTotal: 5_100, inputUncached: 100, output: 200 };
const written = usageOf({ ...input, cacheWrite: 5_000, cacheWrite5m: 5_000 });
const read = usageOf({ ...input, cacheRead: 5_000, cacheHit: true });
const lifetimes = { cacheWrite: 3_000, cacheWrite5m: 1_000, cacheWrite1h: 2_000 };
const both = usageOf({ inputTotal: 3_000, ...lifetimes });
const none = { cacheWrite: 1_000, cacheWrite5m: null, cacheWrite1h: null };
const unknown = usageOf({ inputTotal: 1_000, ...none });
const noReadPrice = { ...prices, priceCacheRead: undefined };
const noOutputPrice = { ...prices, priceOutput: undefined };
const noSum = { estimatedCost: null, savedByCache: null };
const savedAlone = { estimatedCost: null, savedByCache: 0.0135 };
const samePrices = { ...prices, priceCacheWrite1h: prices.priceCacheWrite5m };

test.each<[string, typeof read, ChatPrices, Partial<Cost>]>([
	['each lifetime has its own price', both, prices, { estimatedCost: 0.01575 }],
	['a price that is needed and not given leaves no sum', read, noReadPrice, noSum],
	['one of the output leaves what the cache saved', read, noOutputPrice, savedAlone],
	['one that is not needed changes nothing', written, noReadPrice, { estimatedCost: 0.02205 }],
	['a write of unknown lifetime has no price', unknown, prices, { estimatedCost: null }],
	['but where both cost the same', unknown, samePrices, { estimatedCost: 0.00375 }],
])('%s', (_, usage, given, cost) => {
	expect(costOf(usage, given)).toMatchObject(cost);
});
