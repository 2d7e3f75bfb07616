import type { z } from 'zod/v3';
import { invalid } from '../errors';

/**
 * Reads something that came in.
 * @throws ServiceError 400 that names the first field at fault
 */
export function parse<Output>(schema: z.ZodType<Output, z.ZodTypeDef, unknown>, input: unknown): Output {
	const parsed = schema.safeParse(input);
	if (parsed.success) return parsed.data;
	const issue = parsed.error.issues[0];
	const field = (issue?.path ?? []).reduce<string>(
		(path, part) => (typeof part === 'number' ? `${path}[${part}]` : path ? `${path}.${part}` : part),
		'',
	);
	throw invalid(field ? `${field}: ${issue?.message}` : (issue?.message ?? 'The request is invalid.'));
}

/** Names of the fields that were sent and are not among those that count. */
export function unknownFields(body: unknown, known: readonly string[]): string[] {
	if (typeof body !== 'object' || body === null) return [];
	return Object.keys(body).filter((name) => !known.includes(name));
}

/** Keeps logs small where a body carries whole files as text. */
const LONGEST_STRING = 65_536;

/** A copy in which very long strings are shortened. */
export function shortened(value: unknown): unknown {
	if (typeof value === 'string' && value.length > LONGEST_STRING) {
		return `${value.slice(0, 100)}… (${value.length} characters)`;
	}
	if (Array.isArray(value)) return value.map(shortened);
	if (typeof value === 'object' && value !== null) {
		return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, shortened(inner)]));
	}
	return value;
}
