import { itemRanges } from '../../../../nodes/shared/n8n/nodeErrors';

test.each([
	[[4], 'Item 4'],
	[[0, 1], 'Items 0 to 1'],
	[[0, 3, 4, 5, 9], 'Items 0, 3 to 5, 9'],
])('%j: %s', (indexes, words) => expect(itemRanges(indexes)).toBe(words));
