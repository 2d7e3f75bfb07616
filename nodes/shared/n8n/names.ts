import type { INodeProperties, INodePropertyCollection, INodePropertyOptions } from 'n8n-workflow';

import { toApiName } from '../util/case';

type Field = INodeProperties | INodePropertyCollection | INodePropertyOptions;

function children(field: Field): readonly Field[] {
	if ('values' in field) return field.values;
	if ('options' in field && isContainer(field)) return field.options ?? [];
	return [];
}

function isContainer(field: Field): field is INodeProperties {
	return 'type' in field && (field.type === 'collection' || field.type === 'fixedCollection');
}

/** The label a user sees for a field of the API, looked up in the fields of an operation and what they hold. */
export function displayNameOf(fields: readonly Field[], apiName: string): string | undefined {
	for (const field of fields) {
		if ('displayName' in field && !isContainer(field) && toApiName(field.name) === apiName) {
			return field.displayName;
		}
		const inside = displayNameOf(children(field), apiName);
		if (inside !== undefined) return inside;
		if ('displayName' in field && toApiName(field.name) === apiName) return field.displayName;
	}
	return undefined;
}
