import { toApiName, toCamelCase, toTitle } from '../../../../nodes/shared/util/names';
import { words } from '../../../support/words';

test('a field of the API as a parameter, and back', () => {
	const parameters = words('credits_cost __id a__b_ url usage5m ___').map(toCamelCase);
	expect(parameters).toEqual(words('creditsCost id aB url usage5m ___'));
	const names = words('creditsCost url audioIndex').map(toApiName);
	expect(names).toEqual(words('credits_cost url audio_index'));
	expect(toTitle('lead_vocal')).toBe('Lead Vocal');
});
