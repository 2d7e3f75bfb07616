import type { IExecuteFunctions, INodeProperties } from 'n8n-workflow';

import { toApiName } from '../util/case';
import { PendingUpload } from './pendingUpload';

/** What the user has set, by parameter name: collections laid flat, everything unset left out. */
export type ParameterValues = Record<string, unknown>;

function isPlainObject(value: unknown): value is Record<string, unknown> {
	return (
		typeof value === 'object' &&
		value !== null &&
		!Array.isArray(value) &&
		!(value instanceof PendingUpload)
	);
}

/** Whether a value counts as set. `0` and `false` do: somebody chose them. */
export function isSet(value: unknown): boolean {
	if (value === undefined || value === null || value === '') return false;
	if (Array.isArray(value)) return value.length > 0;
	return !isPlainObject(value) || Object.keys(value).length > 0;
}

function withoutUnset(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(withoutUnset).filter(isSet);
	if (!isPlainObject(value)) return value;
	return Object.fromEntries(
		Object.entries(value)
			.map(([name, inner]) => [name, withoutUnset(inner)] as const)
			.filter(([, inner]) => isSet(inner)),
	);
}

/** A fixed collection arrives as `{ group: [ … ] }`, or as `{ group: { … } }` where it cannot repeat. */
function groupsOf(value: unknown): unknown {
	return isPlainObject(value) ? Object.values(value)[0] : value;
}

/** The value in the form that can be cleaned and renamed, by the type of the field that holds it. */
function plainValue(type: string | undefined, value: unknown): unknown {
	if (type === 'fixedCollection') return groupsOf(value);
	// The object in a JSON field is the user's own: as text it passes whatever renames or cleans the others.
	if (type === 'json') return isPlainObject(value) ? JSON.stringify(value) : value;
	// A list that can also be typed into keeps beside the value how it was given.
	if (type === 'resourceLocator') return isPlainObject(value) ? value.value : value;
	return value;
}

/**
 * Reads the given fields for one item. Fields that are hidden, unset or empty do not appear in what comes back,
 * so that only what the user set is ever sent.
 */
export function readParameters(
	context: IExecuteFunctions,
	fields: readonly INodeProperties[],
	itemIndex: number,
): ParameterValues {
	const values: ParameterValues = {};
	for (const field of fields) {
		if (field.type === 'notice') continue;
		const value: unknown = context.getNodeParameter(field.name, itemIndex, null);
		if (field.type === 'collection') {
			if (isPlainObject(value)) Object.assign(values, readCollection(field, value));
		} else {
			const cleaned = withoutUnset(plainValue(field.type, value));
			if (isSet(cleaned)) values[field.name] = cleaned;
		}
	}
	return values;
}

function readCollection(field: INodeProperties, value: Record<string, unknown>): ParameterValues {
	const types = new Map(
		(field.options ?? []).flatMap((option) => ('type' in option ? [[option.name, option.type] as const] : [])),
	);
	const entries = Object.entries(value).map(
		([name, inner]) => [name, withoutUnset(plainValue(types.get(name), inner))] as const,
	);
	return Object.fromEntries(entries.filter(([, inner]) => isSet(inner)));
}

/** Renames parameters to the API's fields, at every depth. */
export function toApiNames(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(toApiNames);
	if (!isPlainObject(value)) return value;
	return Object.fromEntries(
		Object.entries(value).map(([name, inner]) => [toApiName(name), toApiNames(inner)]),
	);
}
