import { z } from './vendor/zod';

/** What a JSON text says; `undefined` for a text that is no JSON. */
export function parseJson(text: string): unknown {
	try {
		const value: unknown = JSON.parse(text);
		return value;
	} catch {
		return undefined;
	}
}

/**
 * A JSON object, or the text of one, kept to the letter: zod's own record would leave out a field called `__proto__`.
 *
 * @param message what is said of anything else
 */
export function jsonObject(message: string) {
	return z.preprocess(
		(value) => (typeof value === 'string' ? parseJson(value) : value),
		z.custom<Record<string, unknown>>((value) => typeof value === 'object' && value !== null && !Array.isArray(value), message),
	);
}
