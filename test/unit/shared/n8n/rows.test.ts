import { itemRanges } from '../../../../nodes/shared/util/names';

test.each([
	[[4], 'Row 5 (item 4)'],
	[[0, 1], 'Rows 1 to 2 (items 0 to 1)'],
	[[0, 3, 4, 5, 9], 'Rows 1, 4 to 6, 10 (items 0, 3 to 5, 9)'],
])('%j: %s', (indexes, words) => expect(itemRanges(indexes)).toBe(words));
