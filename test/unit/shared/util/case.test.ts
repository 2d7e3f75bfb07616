import { toApiName, toCamelCase, toTitle } from '../../../../nodes/shared/util/case';
import { words } from '../../../support/words';

test('a field of the API as a parameter, and back', () => {
	const parameters = words('credits_cost __id a__b_ url usage5m').map(toCamelCase);
	expect(parameters).toEqual(words('creditsCost id aB url usage5m'));
	const names = words('creditsCost url audioIndex').map(toApiName);
	expect(names).toEqual(words('credits_cost url audio_index'));
	expect(toTitle('lead_vocal')).toBe('Lead Vocal');
});

test('a name of 400 kB of underscores does not hold up n8n', () => {
	// A quadratic expression takes two seconds for 60 kB, and so longer than any test may take for this.
	const name = `${'_'.repeat(400_000)}a`;
	expect(toCamelCase(name)).toBe('a');
	expect(toCamelCase(`a${'_'.repeat(400_000)}`)).toBe('a');
	expect(toCamelCase('_'.repeat(60_000))).toBe('_'.repeat(60_000));
});
