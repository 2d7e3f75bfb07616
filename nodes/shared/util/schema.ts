import { objectOf } from './json';
import { z } from './vendor/zod';

const NUMERIC = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i;

/** The number that a text stands for, ignoring blanks around it; `undefined` for any other text. Linear in the length of the text. */
export function parseNumber(text: string): number | undefined {
	const trimmed = text.trim();
	return NUMERIC.test(trimmed) ? Number(trimmed) : undefined;
}

/** A sheet has `TRUE` and `FALSE`. */
function toBoolean(value: unknown): unknown {
	const word = typeof value === 'string' ? value.trim().toLowerCase() : value;
	return word === 'true' ? true : word === 'false' ? false : value;
}

function range(min?: number, max?: number): string {
	if (min === undefined) return '';
	return max === undefined ? ` of at least ${min}` : ` from ${min} to ${max}`;
}

/** Text that an error can repeat. A longer one may be a key. */
const SHORT_TEXT = /^[\w .,:-]{1,12}$/;

/** A wrong value in words, if it is short: the editor shows the value of an expression in the first item only. */
function notThis(value: unknown): string {
	if (typeof value === 'number' || typeof value === 'boolean') return `, not ${value}`;
	return typeof value === 'string' && SHORT_TEXT.test(value) && value.trim() !== ''
		? `, not "${value}"`
		: '';
}

/** The message for a value that is not what it must be; an absent one is required. */
const mustBe =
	(words: string): z.ZodErrorMap =>
	(issue, { data }) => ({
		message:
			issue.code === 'invalid_type' && issue.received === 'undefined'
				? 'is required'
				: `must be ${words}${notThis(data)}`,
	});

const numberOf =
	(words: string, check: (schema: z.ZodNumber) => z.ZodNumber) => (min?: number, max?: number) => {
		const schema = z
			.number({ errorMap: mustBe(words + range(min, max)) })
			.min(min ?? -Infinity)
			.max(max ?? Infinity);
		// Expressions and spreadsheet cells give numbers as text; the service wants JSON numbers.
		return z.preprocess(
			(value) => (typeof value === 'string' ? (parseNumber(value) ?? value) : value),
			check(schema),
		);
	};

/** A JSON number within the given bounds, both included. */
export const number = numberOf('a number', (schema) => schema.finite());

/** A whole JSON number within the given bounds, both included. */
export const integer = numberOf('a whole number', (schema) => schema.int());

/** A JSON boolean, or the text `true` or `false`, in any case. */
export function flag() {
	return z.preprocess(toBoolean, z.boolean({ errorMap: mustBe('true or false') }));
}

/** A sheet gives a title such as 1984 as a number. */
const numberToText = (value: unknown) => (Number.isFinite(value) ? String(value) : value);

/** Text that is not empty, of at most `maxLength` characters, or a number as text. */
export function text(maxLength = Infinity) {
	return z.preprocess(
		numberToText,
		z
			.string({ required_error: 'is required', invalid_type_error: 'must be text' })
			.refine((value) => value.trim() !== '', 'is required')
			.refine(
				// An emoji is one character, but two units of a string.
				(value) => value.length <= maxLength || [...value].length <= maxLength,
				`must have at most ${maxLength} characters`,
			),
	);
}

/** The name of a field of an item. Under the name `__proto__`, its content would be lost. */
export const fieldName = () =>
	text().refine((name) => name !== '__proto__', 'must be another name');

export function oneOf<const Values extends readonly [string, ...string[]]>(values: Values) {
	return z.preprocess(toId, z.enum(values, { errorMap: mustBe(`one of ${values.join(', ')}`) }));
}

export function oneKeyOf<Key extends string>(table: Readonly<Record<Key, unknown>>) {
	const keys = Object.keys(table);
	const isKey = (given: unknown) => typeof given === 'string' && keys.includes(given);
	return z.preprocess(toId, z.custom<Key>(isKey, `must be one of ${keys.join(', ')}`));
}

/** Validates an object by the schema that `pick` returns for its fields. */
export function schemaFor<Output>(
	pick: (fields: Record<string, unknown>) => z.ZodType<Output, z.ZodTypeDef, unknown>,
) {
	return z.unknown().transform((value, issues): Output => {
		const read = pick(objectOf(value)).safeParse(value);
		if (read.success) return read.data;
		for (const issue of read.error.issues) issues.addIssue(issue);
		return z.NEVER;
	});
}

export function webUrl() {
	const message = 'must be a full http or https URL';
	return z
		.string({ required_error: 'is required', invalid_type_error: message })
		.trim()
		.min(1, 'is required')
		.refine((value) => value === '' || parseWebUrl(value), message);
}

/** Reads an absolute http or https address. Returns `undefined` for anything else. */
export function parseWebUrl(value: string): URL | undefined {
	const url = URL.canParse(value) ? new URL(value) : undefined;
	return url?.protocol === 'http:' || url?.protocol === 'https:' ? url : undefined;
}

/** A part of a URL's path without its escapes. A stray `%` is not an escape. */
export function decodedPart(part: string): string {
	try {
		return decodeURIComponent(part);
	} catch {
		return part;
	}
}

/** An id as text: some services have numeric ones. Any other value stays as it is. */
export function toId(value: unknown): unknown {
	const id = numberToText(value);
	return typeof id === 'string' ? id.trim() : id;
}

export function taskId() {
	return z.preprocess(toId, text());
}

/** Names the field that breaks a rule of a whole object, in a refinement of its schema. */
export const refuseIn = (issues: z.RefinementCtx) => (field: string, message: string) =>
	issues.addIssue({ code: z.ZodIssueCode.custom, path: [field], message });
