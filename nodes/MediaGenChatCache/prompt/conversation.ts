import type { IExecuteFunctions } from 'n8n-workflow';

import { alternating, CHAT_ROLES, type ChatRole, textBlock } from '../../shared/api/chat';
import {
	type ParameterValues,
	readAdditionalBody,
	readParameters,
	refusal,
	toApiNames,
	validationError,
} from '../../shared/n8n/parameters';
import { isBlank } from '../../shared/util/json';
import { integer, oneOf, text } from '../../shared/util/schema';
import { z } from '../../shared/util/vendor/zod';
import { additionalField, cachedBlocksField, NOT_MARKED, promptFields } from '../fields';

const cachedBlock = z.object({
	text: text(),
	ttl: text().default('5m'),
	place: oneOf(CHAT_ROLES).default('system'),
});

const earlierTurn = z.object({ role: oneOf(['user', 'assistant']).default('user'), text: text() });

/** What one item asks, with the names of the API where it has one (spec §8). A block that the user left empty is `null`. */
const conversation = z.object({
	model: text(),
	max_tokens: integer(1),
	prompt: text(),
	cached_blocks: z.array(cachedBlock.nullable()).default([]),
	earlier_turns: z.array(earlierTurn).default([]),
});

/** A piece of the prompt, in the order in which the service reads it. */
export interface Part {
	role: ChatRole;
	text: string;
	/** How long the service keeps the prompt up to the end of this part; absent without a marker. */
	ttl?: string;
	/** Its number in the list "Cached Blocks", from 1. */
	block?: number;
}

/** The whole prompt: system blocks, other cached blocks, earlier turns, then the question, in a block that is never marked (cache rule 3). */
function partsOf(given: z.infer<typeof conversation>): Part[] {
	const cached = given.cached_blocks.flatMap((each, at): Part[] => {
		if (each === null) return [];
		const part = { role: each.place, text: each.text, block: at + 1 };
		return [each.ttl === NOT_MARKED ? part : { ...part, ttl: each.ttl }];
	});
	return [
		...cached.filter(({ role }) => role === 'system'),
		...cached.filter(({ role }) => role !== 'system'),
		...given.earlier_turns,
		{ role: 'user', text: given.prompt },
	];
}

export const blocksOf = (parts: readonly Part[]) =>
	parts.map(({ text, ttl }) => textBlock(text, ttl));

/** The turns of the given parts. Their content is a list of blocks: on plain text a marker has no effect (cache rule 2). */
export const turnsOf = (parts: readonly Part[]) =>
	alternating(parts.map((part) => ({ role: part.role, content: blocksOf([part]) })));

/** Fields that the node makes from its own parameters. */
const OWN_FIELDS = ['model', 'max_tokens', 'system', 'messages'];

const rawBlocks = z.object({ block: z.array(z.record(z.unknown())) }).catch({ block: [] });

/** Replaces blocks that the user left empty with `null`, but none whose expression gives no text: its question would be paid for in vain. */
function withoutEmptyBlocks(
	context: IExecuteFunctions,
	values: ParameterValues,
	itemIndex: number,
): ParameterValues {
	const { name } = cachedBlocksField;
	const given = values[name];
	if (!Array.isArray(given)) return values;
	const blocks = (options?: { rawExpressions: true }) =>
		rawBlocks.parse(context.getNodeParameter(name, itemIndex, {}, options)).block;
	// Blocks whose expressions are all empty are not among the values.
	const evaluated = blocks();
	const raw = blocks({ rawExpressions: true }).filter(
		(_, at) => !Object.values(evaluated[at] ?? {}).every(isBlank),
	);
	return {
		...values,
		[name]: given.map((each: unknown, at) => {
			const row = raw[at];
			return row !== undefined && isBlank(row.text) ? null : each;
		}),
	};
}

/** Reads and validates one item. Throws a `NodeOperationError` that names the field. `toPrompt` makes the fields that hold the prompt. */
export function prepareQuestion(
	context: IExecuteFunctions,
	itemIndex: number,
	toPrompt: (parts: readonly Part[]) => Record<string, unknown>,
) {
	const item = { context, fields: promptFields, itemIndex };
	const values = withoutEmptyBlocks(context, readParameters(item), itemIndex);
	const read = conversation.safeParse(toApiNames(values));
	if (!read.success) throw validationError(item, read.error.issues);
	const additional = readAdditionalBody(context, itemIndex, OWN_FIELDS);
	if ((additional.stream ?? false) !== false) {
		const message = 'must not set "stream": the node reads the answer in one piece';
		throw refusal({ context, fields: [additionalField], itemIndex }, additionalField.name, message);
	}
	const { model, max_tokens } = read.data;
	const parts = partsOf(read.data);
	const body = { model, max_tokens, ...toPrompt(parts), ...additional };
	// What is to be cached: everything up to the last marked part.
	const last = parts.map(({ ttl }) => ttl !== undefined).lastIndexOf(true);
	return { model, prefix: parts.slice(0, last + 1), body };
}
