import type { INodeListSearchResult, INodeProperties } from 'n8n-workflow';

import { toTitle } from '../util/case';

/** A value that the user picks from a list or types: the service may know more than this package. */
export interface OpenValue {
	displayName: string;
	name: string;
	description: string;
	placeholder: string;
	/** Name of the node's list search method. */
	searchListMethod: string;
	/** Selected at first; left out for an empty field. */
	default?: string;
}

/** A list with a typed alternative. */
export function openValueField(value: OpenValue): INodeProperties {
	const { displayName, name, description, placeholder, searchListMethod, default: selected } = value;
	return {
		displayName,
		name,
		type: 'resourceLocator',
		default: { mode: 'list', value: selected ?? '', ...(selected === undefined ? {} : { cachedResultName: selected }) },
		modes: [
			{ displayName: 'From List', name: 'list', type: 'list', typeOptions: { searchListMethod, searchable: true } },
			{ displayName: 'ID', name: 'id', type: 'string', placeholder },
		],
		description,
	};
}

/** The values of a list that contain `filter`. Needs no request. */
export async function searchValues(
	values: readonly string[],
	filter = '',
	nameOf: (value: string) => string = (value) => value,
): Promise<INodeListSearchResult> {
	const wanted = filter.toLowerCase();
	const results = values.map((value) => ({ name: nameOf(value), value }));
	return await Promise.resolve({
		results: results.filter(({ name, value }) => `${name} ${value}`.toLowerCase().includes(wanted)),
	});
}

export const titledValues = async (values: readonly string[], filter?: string) => await searchValues(values, filter, toTitle);

/** The note about a value that is sent although this package does not know it. */
export function unknownValueNotes(label: string, value: unknown, known: readonly string[]): string[] {
	if (typeof value !== 'string' || known.includes(value)) return [];
	return [`"${label}": "${value}" is not in this package's list. It was sent as it is.`];
}
