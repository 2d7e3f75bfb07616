import { type ChatPrices, costOf } from '../../../../nodes/shared/api/chatCost';
import type { Usage } from '../../../../nodes/shared/api/chatUsage';

const options: ChatPrices = {};

const prices = {
	priceInput: 3,
	priceCacheWrite5m: 3.75,
	priceCacheWrite1h: 6,
	priceCacheRead: 0.3,
	priceOutput: 15,
};

const usage = (parts: Partial<Usage>): Usage => ({
	inputTotal: 0,
	inputUncached: 0,
	cacheRead: 0,
	cacheWrite: 0,
	cacheWrite5m: 0,
	cacheWrite1h: 0,
	output: 0,
	cacheHit: false,
	...parts,
});

const written = usage({
	inputTotal: 5_100,
	inputUncached: 100,
	cacheWrite: 5_000,
	cacheWrite5m: 5_000,
	output: 200,
});
const read = usage({
	inputTotal: 5_100,
	inputUncached: 100,
	cacheRead: 5_000,
	output: 200,
	cacheHit: true,
});

test('without prices there is no guess', () => {
	expect(costOf(written, options)).toBeUndefined();
});

test('a write costs more than plain input, a read saves', () => {
	expect(costOf(written, { ...options, ...prices })).toEqual({
		estimatedCost: 0.02205,
		savedByCache: -0.00375,
	});
	expect(costOf(read, { ...options, ...prices })).toEqual({
		estimatedCost: 0.0048,
		savedByCache: 0.0135,
	});
});

test('each lifetime has its own price', () => {
	const both = usage({
		inputTotal: 3_000,
		cacheWrite: 3_000,
		cacheWrite5m: 1_000,
		cacheWrite1h: 2_000,
	});
	expect(costOf(both, { ...options, ...prices })?.estimatedCost).toBe(0.01575);
});

test('a price that is needed and not given leaves no sum', () => {
	const { priceCacheRead: _, ...others } = prices;
	expect(costOf(read, { ...options, ...others })).toEqual({
		estimatedCost: null,
		savedByCache: null,
	});
	expect(costOf(written, { ...options, ...others })?.estimatedCost).toBe(0.02205);
	expect(costOf(read, { ...options, ...prices, priceOutput: undefined })).toEqual({
		estimatedCost: null,
		savedByCache: 0.0135,
	});
});

test('a write of unknown lifetime has a price only where both lifetimes cost the same', () => {
	const unknown = usage({
		inputTotal: 1_000,
		cacheWrite: 1_000,
		cacheWrite5m: null,
		cacheWrite1h: null,
	});
	expect(costOf(unknown, { ...options, ...prices })?.estimatedCost).toBeNull();
	expect(costOf(unknown, { ...options, ...prices, priceCacheWrite1h: 3.75 })?.estimatedCost).toBe(
		0.00375,
	);
});
