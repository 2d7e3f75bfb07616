import { z } from 'zod/v3';
import { invalid } from '../errors';
import { mapLeaves } from '../mapLeaves';

/**
 * Validates a request.
 * @throws ServiceError 400 that names the first invalid field
 */
export function parse<Output>(
	schema: z.ZodType<Output, z.ZodTypeDef, unknown>,
	input: unknown,
): Output {
	const parsed = schema.safeParse(input);
	if (parsed.success) return parsed.data;
	const issue = parsed.error.issues[0];
	const field = (issue?.path ?? []).reduce<string>(
		(path, part) =>
			typeof part === 'number' ? `${path}[${part}]` : path ? `${path}.${part}` : part,
		'',
	);
	throw invalid(
		field ? `${field}: ${issue?.message}` : (issue?.message ?? 'The request is invalid.'),
	);
}

/** Names of the fields that were sent and are not in `known`. */
export function unknownFields(body: unknown, known: readonly string[]): string[] {
	if (typeof body !== 'object' || body === null) return [];
	return Object.keys(body).filter((name) => !known.includes(name));
}

/** Keeps logs small when a body contains whole files as text. */
const LONGEST_STRING = 65_536;

/** A copy in which very long strings are shortened. */
export const shortened = (value: unknown) =>
	mapLeaves(value, (leaf) =>
		typeof leaf === 'string' && leaf.length > LONGEST_STRING
			? `${leaf.slice(0, 100)}… (${leaf.length} characters)`
			: leaf,
	);

/** Any asynchronous submission may have a callback base address (spec, Events, rule 1). */
export const webhookField = z.string().optional();

export const requiredText = z.string({ required_error: 'is required' }).min(1, 'is required');

/** A task id; a client of a dialect with numeric ids may send a number. */
export const taskIdField = z.preprocess(
	(id) => (typeof id === 'number' ? String(id) : id),
	requiredText,
);

/** A reference image: a plain URL or, as in the spec's own example, an object with a `url`. */
export const imageReference = z.union([
	z.string().min(1),
	z.object({ url: z.string().min(1) }).transform(({ url }) => url),
]);

/** Phrases in a prompt that trigger behavior of the real service. They are the sandbox's own. */
export const PHRASES = {
	/** Refused by the safety review, whatever `moderation` says. */
	unsafe: 'sandbox:unsafe',
	/** Refused by the safety review, unless `moderation` is `low`. */
	borderline: 'sandbox:borderline',
	/** Accepted, and fails at its end. */
	fail: 'sandbox:fail',
	/** In the prompt of a grid: a reroll of it is refused by the upstream service (502). In a question to the chat: a refusal. */
	refuse: 'sandbox:refuse',
} as const;

/** The reason of the failure that a prompt asks for, or `undefined`. */
export function promptedFailure(prompt: string | undefined): string | undefined {
	return prompt?.includes(PHRASES.fail)
		? 'The generation failed, as the prompt asked it to.'
		: undefined;
}
