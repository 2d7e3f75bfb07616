import fc from 'fast-check';

import { readUsage, sumUsage } from '../../../../nodes/shared/api/chatUsage';
import { usageOf } from '../../support/usage';

const written5m = usageOf({
	...{ inputTotal: 5_030, inputUncached: 30, output: 12 },
	...{ cacheWrite: 5_000, cacheWrite5m: 5_000 },
});

test('cache_write_tokens beside a breakdown is not counted twice', () => {
	const completion = {
		prompt_tokens: 5_030,
		prompt_tokens_details: { cached_tokens: 1_000, cache_write_tokens: 3_000 },
		vendor_cache_creation_5_m_tokens: 1_000,
		vendor_cache_creation_1_h_tokens: 2_000,
	};
	expect(readUsage(completion, 'completions')).toMatchObject({
		...{ inputUncached: 1_030, cacheRead: 1_000 },
		...{ cacheWrite: 3_000, cacheWrite5m: 1_000, cacheWrite1h: 2_000 },
	});
});

test('a usage without any cache field is all plain input', () => {
	const plain = usageOf({ inputTotal: 30, inputUncached: 30, output: 12 });
	expect(readUsage({ input_tokens: 30, output_tokens: 12 }, 'messages')).toEqual(plain);
	expect(readUsage({ prompt_tokens: 30, completion_tokens: 12 }, 'completions')).toEqual(plain);
});

test('what cannot be a number of tokens counts as absent, for the answer is paid for', () => {
	const message = { input_tokens: 'many', cache_creation: 7, output_tokens: 3 };
	expect(readUsage(message, 'messages')).toMatchObject({ inputTotal: 0, output: 3 });
	const completion = { prompt_tokens: 20, prompt_tokens_details: 'none' };
	expect(readUsage(completion, 'completions')).toMatchObject({ inputTotal: 20 });
});

test('numbers of tokens may be text', () => {
	const cache_creation = { ephemeral_5m_input_tokens: '5000' };
	const created = { cache_creation_input_tokens: '5000', cache_creation };
	const message = { input_tokens: '30', ...created, output_tokens: '12' };
	expect(readUsage(message, 'messages')).toEqual(written5m);
	const written = { vendor_cache_creation_5_m_tokens: '5000' };
	const completion = { prompt_tokens: '5030', completion_tokens: '12', ...written };
	expect(readUsage(completion, 'completions')).toEqual(written5m);
});

test('a usage in the other style is read too, and one without a known field is no usage', () => {
	const plain = { inputTotal: 30, output: 12 };
	expect(readUsage({ prompt_tokens: 30, completion_tokens: 12 }, 'messages')).toMatchObject(plain);
	expect(readUsage({ input_tokens: 30, output_tokens: 12 }, 'completions')).toMatchObject(plain);
	const both = { input_tokens: 1, prompt_tokens: 30, completion_tokens: 12 };
	expect(readUsage(both, 'completions')).toMatchObject(plain);
	expect(readUsage({ seconds: 3 }, 'messages')).toBeUndefined();
});

test('whatever the service says, the three parts of the input sum to its total and none is below zero', () => {
	const amount = fc.option(fc.nat(100_000), { nil: undefined });
	fc.assert(
		fc.property(amount, amount, amount, amount, amount, (a, b, c, d, e) => {
			const message = {
				input_tokens: a,
				cache_creation_input_tokens: b,
				cache_read_input_tokens: c,
				cache_creation: { ephemeral_5m_input_tokens: d, ephemeral_1h_input_tokens: e },
			};
			const completion = {
				prompt_tokens: a,
				prompt_tokens_details: { cached_tokens: b, cache_write_tokens: c },
				vendor_cache_creation_5_m_tokens: d,
				vendor_cache_creation_1_h_tokens: e,
			};
			const usages = [readUsage(message, 'messages'), readUsage(completion, 'completions')];
			const stated = usages.flatMap((usage) => usage ?? []);
			for (const { inputTotal, inputUncached, cacheRead, cacheWrite } of stated) {
				expect(inputUncached + cacheRead + cacheWrite).toBe(inputTotal);
				expect(Math.min(inputUncached, cacheRead, cacheWrite)).toBeGreaterThanOrEqual(0);
			}
		}),
	);
});

test('a sum adds every part', () => {
	const usage = { input_tokens: 10, cache_read_input_tokens: 5_000, output_tokens: 1 };
	const read = readUsage(usage, 'messages') ?? written5m;
	expect(sumUsage([written5m, read])).toEqual({
		...{ inputTotal: 10_040, inputUncached: 40, cacheRead: 5_000 },
		...{ cacheWrite: 5_000, output: 13 },
	});
});
