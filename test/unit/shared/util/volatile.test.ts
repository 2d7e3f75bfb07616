import { findVolatile } from '../../../../nodes/shared/util/volatile';

const BEFORE = 'Report of ';

test.each([
	['2026-01-05T10:00:00.000Z', 'a timestamp'],
	['2026-01-05 10:00', 'a timestamp'],
	['1/5/2026, 10:00:00 AM', 'a timestamp'],
	['05.01.2026 10:00', 'a timestamp'],
	['Jan 05 2026 10:00:00 GMT+0100', 'a timestamp'],
	['5 January 2026, 10:00', 'a timestamp'],
	['1767607200000', 'a timestamp'],
	['3f2504e0-4f89-41d3-9a0c-0305e82c3301', 'a UUID'],
	['9f86d081884c7d659a2feaa0c55ad015', 'a random ID'],
])('%s is %s, with its position', (text, what) => {
	expect(findVolatile(`${BEFORE}${text} for all`)).toEqual([
		{ what, character: BEFORE.length + 1, count: 1 },
	]);
});

test.each([
	'In 2026 we sold 1,024 pumps',
	'born 2026-01-05',
	'ratio 16:9',
	'call 1234567890123456789',
	'deadbeef',
	'aaaaaaaaaaaaaaaaaaaaaaaaaaaa',
])('%s is nothing that changes by itself', (text) => {
	expect(findVolatile(text)).toEqual([]);
});

test('of many of a kind the first is named and the others are counted', () => {
	expect(findVolatile('2026-01-05T10:00 and 2026-01-05T11:00 and 2026-01-05T12:00')).toEqual([
		{ what: 'a timestamp', character: 1, count: 3 },
	]);
});
