import type { IExecuteFunctions } from 'n8n-workflow';

import {
	isBlank,
	type ParameterValues,
	readAdditionalBody,
	readParameters,
	refusal,
	toApiNames,
	validationError,
} from '../../shared/n8n/parameters';
import { z } from '../../shared/util/vendor/zod';
import { conversation, type Part, partsOf, prefixOf } from './conversation';
import { additionalField, cachedBlocksField, promptFields } from './fields';

/** Fields that the node makes from its own parameters. */
const OWN_FIELDS = ['model', 'max_tokens', 'system', 'messages'];

const rawBlocks = z.object({ block: z.array(z.record(z.unknown())) }).catch({ block: [] });

/**
 * Replaces blocks that the user left empty with `null`: the panel starts with one. A block whose expression gives no text is not replaced:
 * its question would be asked, and paid for, without its document.
 */
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

/**
 * Reads and validates one item. Throws a `NodeOperationError` that names the field.
 *
 * @param toPrompt makes the fields of the body that hold the prompt
 */
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
	if (additional.stream === true) {
		const message = 'must not set "stream" to true: the node reads the answer in one piece';
		throw refusal({ context, fields: [additionalField], itemIndex }, additionalField.name, message);
	}
	const { model, max_tokens } = read.data;
	const parts = partsOf(read.data);
	const body = { model, max_tokens, ...toPrompt(parts), ...additional };
	return { model, prefix: prefixOf(parts), body };
}
