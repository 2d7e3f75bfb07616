import fc from 'fast-check';

import type { Part } from '../../../../nodes/MediaGenChatCache/prompt/conversation';
import { compare, compareWithAll } from '../../../../nodes/MediaGenChatCache/prefix/compare';
import { createFingerprinter } from '../../../../nodes/MediaGenChatCache/prefix/fingerprint';

const MODEL = 'vendor-chat';

const part = (block: number, text: string, extra: Partial<Part> = {}): Part => ({
	role: 'system',
	text,
	block,
	ttl: '5m',
	...extra,
});

const print = (prefix: Part[], model = MODEL) => createFingerprinter()(model, prefix);

/** Compares the prefixes of two runs. */
const compareRuns = (before: Part[], now: Part[], model = MODEL) =>
	compare(print(before), print(now, model));

/** The first character, from 1, in which two texts differ. */
function firstDifference(a: string, b: string): number {
	let at = 0;
	while (at < Math.min(a.length, b.length) && a[at] === b[at]) at++;
	return at + 1;
}

const prose = 'The filter is changed once a year. Turn the valve off before. '.repeat(400);

test('a change is reported as the range of its chunk: block 2, characters 1,281 to 1,536', () => {
	const changed = `${prose.slice(0, 1_430)}#${prose.slice(1_431)}`;
	expect(
		compareRuns([part(1, 'Be brief.'), part(2, prose)], [part(1, 'Be brief.'), part(2, changed)]),
	).toEqual({
		same: 1,
		block: 2,
		from: 1_281,
		to: 1_536,
	});
});

test('any two texts: the range holds the first different character and is at most 256 long', () => {
	const text = fc.string({ maxLength: 600, unit: fc.constantFrom(...'ab') });
	fc.assert(
		fc.property(fc.nat(600), text, text, (shared, a, b) => {
			fc.pre(a !== b);
			const head = prose.slice(0, shared);
			const actual = firstDifference(head + a, head + b);
			const difference = compareRuns([part(1, head + a)], [part(1, head + b)]);
			expect(difference?.from).toBeLessThanOrEqual(actual);
			expect(difference?.to).toBeGreaterThanOrEqual(actual);
			expect((difference?.to ?? 0) - (difference?.from ?? 0)).toBeLessThan(256);
		}),
		{ numRuns: 500 },
	);
});

test('where one text only continues the other at the end of a chunk, the position is exact', () => {
	const whole = prose.slice(0, 2 * 256);
	const added = { from: whole.length + 1, to: whole.length + 1 };
	expect(compareRuns([part(1, whole)], [part(1, `${whole}x`)])).toMatchObject(added);
	expect(compareRuns([part(1, `${whole}x`)], [part(1, whole)])).toMatchObject(added);
});

test('a fingerprint does not hold the text, and a long one is far smaller than it', () => {
	const long = `${'secret recipe '.repeat(40_000)}`;
	const stored = JSON.stringify(print([part(1, long)]));
	expect(stored).not.toContain('secret');
	expect(stored.length).toBeLessThan(long.length / 20);
});

test('the same prefix is the same, whatever its markers live for', () => {
	expect(compareRuns([part(1, prose)], [part(1, prose, { ttl: '1h' })])).toBeUndefined();
});

test('another place, another model and another order of blocks are changes', () => {
	expect(compareRuns([part(1, prose)], [part(1, prose, { role: 'user' })])).toMatchObject({
		block: 1,
		what: 'place',
	});
	expect(compareRuns([part(1, prose)], [part(1, prose)], 'other')).toMatchObject({ what: 'model' });
	expect(compareRuns([part(1, 'ab'), part(2, 'ac')], [part(1, 'ac'), part(2, 'ab')])).toMatchObject(
		{
			block: 1,
			from: 1,
			to: 2,
		},
	);
});

test('a prefix that continues the last one is no change while a marker stands where that one ended', () => {
	const before = print([part(1, prose)]);
	expect(compare(before, print([part(1, prose), part(2, 'more')]))).toBeUndefined();
	expect(
		compare(before, print([part(1, prose, { ttl: undefined }), part(2, 'more')])),
	).toMatchObject({
		block: 2,
		from: 1,
	});
});

test('a prefix that ends sooner is a change where the last one had no marker there', () => {
	const marked = print([part(1, 'rules'), part(2, prose)]);
	expect(compare(marked, print([part(1, 'rules')]))).toBeUndefined();
	const unmarked = print([part(1, 'rules', { ttl: undefined }), part(2, prose)]);
	expect(compare(unmarked, print([part(1, 'rules')]))).toMatchObject({
		block: 1,
		from: 6,
		what: 'end',
	});
});

test('of several prefixes of the last run the nearest counts', () => {
	const start = prose.slice(0, 600);
	const stored = [
		print([part(1, 'apples')]),
		print([part(1, `${start}apricots`)]),
		print([part(1, 'pears')]),
	];
	expect(compareWithAll(stored, print([part(1, 'pears')]))).toBe('same');
	expect(compareWithAll(stored, print([part(1, `${start}plums`)]))).toMatchObject({ from: 513 });
	expect(compareWithAll([], print([part(1, 'pears')]))).toBe('new');
});
