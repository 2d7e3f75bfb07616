import { itemRanges, toApiName, toCamelCase, toTitle } from '../../../../nodes/shared/util/names';
import { words } from '../../../support/words';

test('a field of the API as a parameter, and back', () => {
	const parameters = words('credits_cost __id a__b_ url usage5m ___').map(toCamelCase);
	expect(parameters).toEqual(words('creditsCost id aB url usage5m ___'));
	const names = words('creditsCost url audioIndex').map(toApiName);
	expect(names).toEqual(words('credits_cost url audio_index'));
	expect(toTitle('lead_vocal')).toBe('Lead Vocal');
});

test.each([
	[[4], 'Row 5 (item 4)'],
	[[0, 1], 'Rows 1 to 2 (items 0 to 1)'],
	[[0, 3, 4, 5, 9], 'Rows 1, 4 to 6, 10 (items 0, 3 to 5, 9)'],
])('%j: %s', (indexes, words) => expect(itemRanges(indexes)).toBe(words));
