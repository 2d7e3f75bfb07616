import fc from 'fast-check';

import { hasText, parseExactJson } from '../../../../nodes/shared/util/json';

describe('JSON whose long integers keep their digits', () => {
	const long = '12345678901234567890';

	test.each<[string, unknown]>([
		['{"id":9007199254740993}', { id: '9007199254740993' }],
		[`{"id":-9007199254740993,"n":[${long}]}`, { id: '-9007199254740993', n: [long] }],
		[long, long],
		[` ${long} `, long],
		['9007199254740991', 9007199254740991],
		['{"at":1767225600000000}', { at: 1767225600000000 }],
		[`{"n":0.${long},"y":1e0000000000000000001}`, { n: 0.12345678901234568, y: 10 }],
		[`{"e":${long}.5,"x":${long}e2}`, { e: 12345678901234567000, x: 1.2345678901234567e21 }],
		[`{"text":"${long}, ${long}"}`, { text: `${long}, ${long}` }],
		[`{"a\\":${long}":${long}}`, { [`a":${long}`]: long }],
		[`{"a\\\\":${long}}`, { 'a\\': long }],
		['[1,"x",null,true]', [1, 'x', null, true]],
		[`not JSON ${long}`, undefined],
		['', undefined],
	])('%s', (text, value) => {
		expect(parseExactJson(text)).toEqual(value);
	});

	test('any other JSON is read as it is', () => {
		const short = fc.json().filter((text) => !/\d{16}/.test(text));
		fc.assert(fc.property(short, (text) => expect(parseExactJson(text)).toEqual(JSON.parse(text))));
	});

	test('a text of many long integers takes no longer than a linear part of its length', () => {
		const many = Array<string>(150_000).fill(long).join(',');
		const began = process.cpuUsage();
		expect(parseExactJson(`{"a":[${many}],"id":${long}}`)).toMatchObject({ id: long });
		const { user, system } = process.cpuUsage(began);
		expect((user + system) / 1_000).toBeLessThan(5_000);
	});
});

test.each<[unknown, boolean]>([
	['task_1', true],
	[['a', { b: ['task_1'] }], true],
	[{ task_1: 'a' }, false],
	[{ a: 'task_10', b: [null, 7, undefined, true] }, false],
	[Buffer.from('task_1'), false],
])('that a text stands in %j is %p', (value, stands) => {
	expect(hasText({ value }, 'task_1')).toBe(stands);
});
