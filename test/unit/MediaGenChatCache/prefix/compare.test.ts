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

const prose = 'The filter is changed once a year. Turn the valve off before. '.repeat(400);

test('a change is reported with its block', () => {
	const changed = `${prose.slice(0, 1_430)}#${prose.slice(1_431)}`;
	const rules = part(1, 'Be brief.');
	const difference = { same: 1, block: 2, what: 'text' };
	for (const text of [changed, `${prose}x`, prose.slice(0, -1)])
		expect(compareRuns([rules, part(2, prose)], [rules, part(2, text)])).toEqual(difference);
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
			what: 'text',
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
		what: 'text',
	});
});

test('a prefix that ends sooner is a change where the last one had no marker there', () => {
	const marked = print([part(1, 'rules'), part(2, prose)]);
	expect(compare(marked, print([part(1, 'rules')]))).toBeUndefined();
	const unmarked = print([part(1, 'rules', { ttl: undefined }), part(2, prose)]);
	expect(compare(unmarked, print([part(1, 'rules')]))).toMatchObject({
		block: 1,
		what: 'end',
	});
});

test('of several prefixes of the last run the nearest counts', () => {
	const start = part(1, 'Be brief.');
	const stored = [
		print([part(1, 'apples')]),
		print([start, part(2, 'apricots')]),
		print([part(1, 'pears')]),
	];
	expect(compareWithAll(stored, print([part(1, 'pears')]))).toBe('same');
	expect(compareWithAll(stored, print([start, part(2, 'plums')]))).toMatchObject({ block: 2 });
	expect(compareWithAll([], print([part(1, 'pears')]))).toBe('new');
});
