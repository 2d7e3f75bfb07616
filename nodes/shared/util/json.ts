import { createHash } from 'crypto';
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

/** Where the string that begins at `start` ends. Each run of backslashes is counted once. */
function endOfString(json: string, start: number): number {
	for (let quote = json.indexOf('"', start + 1); quote >= 0; quote = json.indexOf('"', quote + 1)) {
		let backslashes = 0;
		while (json[quote - 1 - backslashes] === '\\') backslashes++;
		if (backslashes % 2 === 0) return quote + 1;
	}
	return json.length;
}

/** Parses a JSON text. An integer that a number cannot hold becomes text, with all its digits: it may be an id. Linear in the length. */
export function parseExactJson(json: string): unknown {
	const value = parseJson(json);
	if (value === undefined || !/\d{16}/.test(json)) return value;
	const token = /"|(?<=^|[\s:,[])-?\d{16,}(?![\d.eE])/g;
	let exact = '';
	let copied = 0;
	for (let match = token.exec(json); match; match = token.exec(json)) {
		const [found] = match;
		if (found === '"') {
			token.lastIndex = endOfString(json, match.index);
		} else if (String(Number(found)) !== found) {
			exact += `${json.slice(copied, match.index)}"${found}"`;
			copied = token.lastIndex;
		}
	}
	return parseJson(exact + json.slice(copied));
}

export const textOrJson = (value: unknown): string =>
	typeof value === 'string' ? value : (JSON.stringify(value) ?? '');

/** A hash of the JSON of a value: 32 characters. */
export const hashOf = (value: unknown) =>
	createHash('sha256').update(JSON.stringify(value)).digest('base64url').slice(0, 32);

/** Whether a value is a JSON object: not an array, not `null`. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
	typeof value === 'object' && value !== null && !Array.isArray(value);

/** A value in the form that JSON has for it: a date is text, as the node of a database or `$now` gives one; one that is not valid is `null`. */
export const jsonForm = (value: unknown): unknown =>
	isObject(value) && typeof value.toJSON === 'function' ? parseJson(JSON.stringify(value)) : value;

export const isText = (value: unknown): value is string =>
	typeof value === 'string' && value.trim() !== '';

/** The texts that are there, in their order. */
export const said = (...texts: ReadonlyArray<string | readonly string[] | false | undefined>) =>
	texts.flat().filter(isText);

/** Text that is not blank, or a number as text. */
export function toText(value: unknown): string | undefined {
	if (typeof value === 'number' && Number.isFinite(value)) return String(value);
	return isText(value) ? value : undefined;
}

export const isBlank = (value: unknown): boolean =>
	value === undefined || value === null || (typeof value === 'string' && value.trim() === '');

export const objectOf = (value: unknown): Record<string, unknown> => (isObject(value) ? value : {});

export const listIn = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

export const objectsIn = (value: unknown) => listIn(value).filter(isObject);

const isDataObject = (value: IDataObject[string]): value is IDataObject => isObject(value);

/** Whether a text occurs in a value, at any depth, also as a number. */
export function hasText(value: unknown, text: string): boolean {
	if (typeof value === 'number') return String(value) === text;
	if (typeof value !== 'object' || value === null || Buffer.isBuffer(value)) return value === text;
	return Object.values(value).some((inner) => hasText(inner, text));
}

/** The object under `key`, which is made if there is none: for what is kept in an object of n8n's. */
export function objectIn(holder: IDataObject, key: string): IDataObject {
	const known = holder[key];
	if (isDataObject(known)) return known;
	const created: IDataObject = {};
	holder[key] = created;
	return created;
}

/** A schema for a JSON object, or the text of one. All its fields are kept, `__proto__` too, which zod's own record drops. */
export function jsonObject(message: string) {
	return z.preprocess(
		// An object of an expression may hold dates.
		(value) =>
			typeof value === 'string' ? parseExactJson(value) : parseJson(JSON.stringify(value)),
		z.custom<Record<string, unknown>>(isObject, message),
	);
}

const isGenericValue = (value: unknown): value is GenericValue =>
	!['undefined', 'bigint', 'symbol', 'function'].includes(typeof value);

/** An object in n8n's own type for JSON. What JSON cannot express is left out. */
export function toJson(value: object): IDataObject {
	return Object.fromEntries(
		Object.entries(value).flatMap(([name, inner]: [string, unknown]) =>
			isGenericValue(inner) ? [[name, inner] as const] : [],
		),
	);
}
