import type { Part } from '../../../../nodes/MediaGenChatCache/prompt/conversation';
import {
	compareWithAll,
	createFingerprinter,
} from '../../../../nodes/MediaGenChatCache/prefix/fingerprint';

const MODEL = 'vendor-chat';

const part = (block: number, text: string, extra: Partial<Part> = {}): Part => ({
	role: 'system',
	text,
	block,
	ttl: '5m',
	...extra,
});

const print = (prefix: Part[], model = MODEL) => createFingerprinter()(model, prefix);

const compareRuns = (before: Part[], now: Part[], model = MODEL) =>
	compareWithAll([print(before)], print(now, model));

const prose = 'The filter is changed once a year. Turn the valve off before. '.repeat(400);

test('a change is reported with its block', () => {
	const changed = `${prose.slice(0, 1_430)}#${prose.slice(1_431)}`;
	const rules = part(1, 'Be brief.');
	for (const text of [changed, `${prose}x`, prose.slice(0, -1)])
		expect(compareRuns([rules, part(2, prose)], [rules, part(2, text)])).toBe(2);
});

test('a fingerprint does not hold the text, and a long one is far smaller than it', () => {
	const long = `${'secret recipe '.repeat(40_000)}`;
	const stored = JSON.stringify(print([part(1, long)]));
	expect(stored).not.toContain('secret');
	expect(stored.length).toBeLessThan(long.length / 20);
});

test('the same prefix is the same, whatever its markers live for', () => {
	expect(compareRuns([part(1, prose)], [part(1, prose, { ttl: '1h' })])).toBe('same');
});

test('another place, another model and another order of blocks are changes', () => {
	expect(compareRuns([part(1, prose)], [part(1, prose, { role: 'user' })])).toBe(1);
	expect(compareRuns([part(1, prose)], [part(1, prose)], 'other')).toBe('model');
	expect(compareRuns([part(1, 'ab'), part(2, 'ac')], [part(1, 'ac'), part(2, 'ab')])).toBe(1);
});

test('a prefix that continues the last one is no change while a marker stands where that one ended', () => {
	const before = [part(1, prose)];
	expect(compareRuns(before, [part(1, prose), part(2, 'more')])).toBe('same');
	const unmarked = part(1, prose, { ttl: undefined });
	expect(compareRuns(before, [unmarked, part(2, 'more')])).toBe(2);
});

test('a prefix that ends sooner is a change where the last one had no marker there', () => {
	expect(compareRuns([part(1, 'rules'), part(2, prose)], [part(1, 'rules')])).toBe('same');
	const unmarked = part(1, 'rules', { ttl: undefined });
	expect(compareRuns([unmarked, part(2, prose)], [part(1, 'rules')])).toBe(1);
});

test('of several prefixes of the last run the nearest counts', () => {
	const start = part(1, 'Be brief.');
	const stored = [
		print([part(1, 'apples')]),
		print([start, part(2, 'apricots')]),
		print([part(1, 'pears')]),
	];
	expect(compareWithAll(stored, print([part(1, 'pears')]))).toBe('same');
	expect(compareWithAll(stored, print([start, part(2, 'plums')]))).toBe(2);
	expect(compareWithAll([], print([part(1, 'pears')]))).toBe('new');
	// Ten are kept: what shares nothing with them may have been the eleventh.
	const full = Array.from({ length: 10 }, (_, at) => print([part(1, `fruit ${at}`)]));
	expect(compareWithAll(full, print([part(1, 'pears')]))).toBe('new');
	expect(compareWithAll(full.slice(1), print([part(1, 'pears')]))).toBe(1);
});
