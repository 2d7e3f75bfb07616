import type { INodeListSearchResult, INodeProperties } from 'n8n-workflow';

import { DEFAULT_STEM_TYPE, STEM_TYPES } from '../shared/api/music';

const titleOf = (stemType: string) =>
	stemType
		.split('_')
		.map((word) => word.charAt(0).toUpperCase() + word.slice(1))
		.join(' ');

/** The stem types that the spec names, as a list, and the others by typing: the service knows over a hundred. */
export const stemTypeField: INodeProperties = {
	displayName: 'Stem Type',
	name: 'stemType',
	type: 'resourceLocator',
	default: { mode: 'list', value: DEFAULT_STEM_TYPE, cachedResultName: titleOf(DEFAULT_STEM_TYPE) },
	modes: [
		{
			displayName: 'From List',
			name: 'list',
			type: 'list',
			typeOptions: { searchListMethod: 'searchStemTypes', searchable: true },
		},
		{ displayName: 'By Name', name: 'name', type: 'string', placeholder: 'e.g. acoustic_guitar' },
	],
	description: 'The stem to take out. By Name takes any of the hundred-odd names that the service knows.',
};

/** The list of "Stem Type", narrowed to what contains `filter`. Needs no request. */
export async function searchStemTypes(filter = ''): Promise<INodeListSearchResult> {
	const results = STEM_TYPES.map((value) => ({ name: titleOf(value), value }));
	const wanted = filter.toLowerCase();
	return await Promise.resolve({
		results: results.filter(({ name, value }) => `${name} ${value}`.toLowerCase().includes(wanted)),
	});
}
