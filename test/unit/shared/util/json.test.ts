import fc from 'fast-check';

import { parseExactJson, toShortText } from '../../../../nodes/shared/util/json';

describe('JSON whose long integers keep their digits', () => {
	test.each<[string, unknown]>([
		['{"id":9007199254740993}', { id: '9007199254740993' }],
		[
			'{"id":-9007199254740993,"n":[12345678901234567890]}',
			{ id: '-9007199254740993', n: ['12345678901234567890'] },
		],
		['12345678901234567890', '12345678901234567890'],
		[' 12345678901234567890 ', '12345678901234567890'],
		['9007199254740991', 9007199254740991],
		['{"at":1767225600000000}', { at: 1767225600000000 }],
		[
			'{"n":0.12345678901234567890,"e":12345678901234567890.5,"x":12345678901234567890e2,"y":1e0000000000000000001}',
			{ n: 0.12345678901234568, e: 12345678901234567000, x: 1.2345678901234567e21, y: 10 },
		],
		[
			'{"text":"12345678901234567890, 12345678901234567890"}',
			{ text: '12345678901234567890, 12345678901234567890' },
		],
		[
			'{"a\\":12345678901234567890":12345678901234567890}',
			{ 'a":12345678901234567890': '12345678901234567890' },
		],
		['{"a\\\\":12345678901234567890}', { 'a\\': '12345678901234567890' }],
		['[1,"x",null,true]', [1, 'x', null, true]],
		['not JSON 12345678901234567890', undefined],
		['', undefined],
	])('%s', (text, value) => {
		expect(parseExactJson(text)).toEqual(value);
	});

	test('any other JSON is read as it is', () => {
		const short = fc.json().filter((text) => !/\d{16}/.test(text));
		fc.assert(fc.property(short, (text) => expect(parseExactJson(text)).toEqual(JSON.parse(text))));
	});

	test.each([
		[
			'backslashes',
			(size: number) => `{"a":"${'\\\\'.repeat(size / 2)}","id":12345678901234567890}`,
		],
		['quotes', (size: number) => `{"a":"${'\\"'.repeat(size / 2)}","id":12345678901234567890}`],
		['digits', (size: number) => `{"a":${'1'.repeat(size)}.5,"id":12345678901234567890}`],
		[
			'long integers',
			(size: number) =>
				`{"a":[${Array<string>(Math.ceil(size / 21))
					.fill('12345678901234567890')
					.join(',')}],"id":12345678901234567890}`,
		],
	])('a text of many %s takes no longer than a linear part of its length', (_, textOf) => {
		const began = performance.now();
		expect(parseExactJson(textOf(3_000_000))).toMatchObject({ id: '12345678901234567890' });
		expect(performance.now() - began).toBeLessThan(5_000);
	});
});

test.each<[unknown, number, string]>([
	[{ a: 1 }, 20, '{"a":1}'],
	['line\n one \t two', 20, 'line one two'],
	[{ a: 'x'.repeat(100) }, 20, '{"a":"xxxxxxxxxxxxx…'],
	[undefined, 20, ''],
	['  ', 20, ''],
])('%j in %d characters is %s', (value, length, text) => {
	expect(toShortText(value, length)).toBe(text);
});
