import type { GenericValue, IDataObject } from 'n8n-workflow';

import { z } from './vendor/zod';

/** Parses a JSON text. Returns `undefined` for a text that is not JSON. */
export function parseJson(text: string): unknown {
	try {
		const value: unknown = JSON.parse(text);
		return value;
	} catch {
		return undefined;
	}
}

/** Whether a value is a JSON object: not an array, not `null`. */
export function isObject(value: unknown): value is Record<string, unknown> {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const isDataObject = (value: IDataObject[string]): value is IDataObject => isObject(value);

/** The object under `key`, which is made if there is none: for what is kept in an object of n8n's. */
export function objectIn(holder: IDataObject, key: string): IDataObject {
	const known = holder[key];
	if (isDataObject(known)) return known;
	const created: IDataObject = {};
	holder[key] = created;
	return created;
}

/**
 * A schema for a JSON object, or the text of one. All its fields are kept, `__proto__` too, which zod's own record drops.
 *
 * @param message the error for anything else
 */
export function jsonObject(message: string) {
	return z.preprocess(
		(value) => (typeof value === 'string' ? parseJson(value) : value),
		z.custom<Record<string, unknown>>(isObject, message),
	);
}

/** An object that holds only JSON values, in n8n's own type for it. */
export function toJson(value: object): IDataObject {
	return Object.fromEntries(Object.entries(value).map(([name, inner]: [string, GenericValue]) => [name, inner]));
}
