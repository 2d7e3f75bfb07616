import fc from 'fast-check';

import type { Part } from '../../nodes/MediaGenChatCache/conversation';
import { compare, compareWithAll } from '../../nodes/MediaGenChatCache/prefix/compare';
import { fingerprintOf } from '../../nodes/MediaGenChatCache/prefix/fingerprint';

const MODEL = 'vendor-chat';

const part = (block: number, text: string, extra: Partial<Part> = {}): Part => ({
	role: 'system',
	text,
	block,
	ttl: '5m',
	...extra,
});

const print = (prefix: Part[], characters = 50_000) => fingerprintOf(MODEL, prefix, { characters });

/** The first character, from 1, in which two texts differ. */
function firstDifference(a: string, b: string): number {
	let at = 0;
	while (at < Math.min(a.length, b.length) && a[at] === b[at]) at++;
	return at + 1;
}

const prose = 'The filter is changed once a year. Turn the valve off before. '.repeat(400);

test('the first different character is told exactly: block 2, character 1,431', () => {
	const changed = `${prose.slice(0, 1_430)}#${prose.slice(1_431)}`;
	expect(compare(print([part(1, 'Be brief.'), part(2, prose)]), MODEL, [part(1, 'Be brief.'), part(2, changed)])).toEqual({
		same: 1,
		block: 2,
		from: 1_431,
		to: 1_431,
	});
});

test('any two texts of the common alphabets: the position is exact', () => {
	const text = fc.string({ maxLength: 60, unit: fc.constantFrom(...'abc \nAé яא') });
	fc.assert(
		fc.property(text, text, text, (head, a, b) => {
			fc.pre(a !== b);
			const difference = compare(print([part(1, head + a)]), MODEL, [part(1, head + b)]);
			expect(difference).toMatchObject({ from: firstDifference(head + a, head + b) });
			expect(difference?.to).toBe(difference?.from);
		}),
		{ numRuns: 500 },
	);
});

test('beyond the characters that have a check of their own, the position is told as a range that holds it', () => {
	fc.assert(
		fc.property(fc.nat(prose.length - 1), fc.constantFrom('x', '', 'xx'), (at, put) => {
			const changed = prose.slice(0, at) + put + prose.slice(at + 1);
			fc.pre(changed !== prose);
			const actual = firstDifference(prose, changed);
			const difference = compare(print([part(1, prose)], 1_000), MODEL, [part(1, changed)]);
			expect(difference?.from).toBeLessThanOrEqual(actual);
			expect(difference?.to).toBeGreaterThanOrEqual(actual);
			expect((difference?.to ?? 0) - (difference?.from ?? 0)).toBeLessThan(256);
			if (actual <= 1_000) expect(difference).toMatchObject({ from: actual, to: actual });
		}),
		{ numRuns: 300 },
	);
});

test('where one text only goes on behind the other, the end is exact beyond the checked characters too', () => {
	const whole = prose.slice(0, 1_000 + 2 * 256);
	const added = { from: whole.length + 1, to: whole.length + 1 };
	expect(compare(print([part(1, whole)], 1_000), MODEL, [part(1, `${whole}x`)])).toMatchObject(added);
	expect(compare(print([part(1, `${whole}x`)], 1_000), MODEL, [part(1, whole)])).toMatchObject(added);
});

test('a fingerprint does not hold the text, and a long one is far smaller than it', () => {
	const long = `${'secret recipe '.repeat(40_000)}`;
	const stored = JSON.stringify(print([part(1, long)]));
	expect(stored).not.toContain('secret');
	expect(stored.length).toBeLessThan(2 * 50_000 + long.length / 20);
});

test('the same prefix is the same, whatever its markers live for', () => {
	expect(compare(print([part(1, prose)]), MODEL, [part(1, prose, { ttl: '1h' })])).toBeUndefined();
});

test('another place, another model and another order of blocks are changes', () => {
	expect(compare(print([part(1, prose)]), MODEL, [part(1, prose, { role: 'user' })])).toMatchObject({
		block: 1,
		what: 'place',
	});
	expect(compare(print([part(1, prose)]), 'other', [part(1, prose)])).toMatchObject({ what: 'model' });
	expect(compare(print([part(1, 'ab'), part(2, 'ac')]), MODEL, [part(1, 'ac'), part(2, 'ab')])).toMatchObject({
		block: 1,
		from: 2,
	});
});

test('a prefix that goes on behind the last one is no change while a marker stands where that one ended', () => {
	const before = print([part(1, prose)]);
	expect(compare(before, MODEL, [part(1, prose), part(2, 'more')])).toBeUndefined();
	expect(compare(before, MODEL, [part(1, prose, { ttl: undefined }), part(2, 'more')])).toMatchObject({
		block: 2,
		from: 1,
	});
});

test('a prefix that ends sooner is a change where the last one had no marker there', () => {
	const marked = print([part(1, 'rules'), part(2, prose)]);
	expect(compare(marked, MODEL, [part(1, 'rules')])).toBeUndefined();
	const unmarked = print([part(1, 'rules', { ttl: undefined }), part(2, prose)]);
	expect(compare(unmarked, MODEL, [part(1, 'rules')])).toMatchObject({ block: 1, from: 6, what: 'end' });
});

test('of several prefixes of the last run the nearest counts', () => {
	const stored = [print([part(1, 'apples')]), print([part(1, 'apricots and pears')]), print([part(1, 'pears')])];
	expect(compareWithAll(stored, MODEL, [part(1, 'pears')])).toBe('same');
	expect(compareWithAll(stored, MODEL, [part(1, 'apricots and plums')])).toMatchObject({ from: 15 });
	expect(compareWithAll([], MODEL, [part(1, 'pears')])).toBe('nothing to compare with');
});
