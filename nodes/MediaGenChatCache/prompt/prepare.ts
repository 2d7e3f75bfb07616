import type { IExecuteFunctions } from 'n8n-workflow';

import { markersIn } from '../../shared/api/chat';
import {
	type ParameterValues,
	readAdditionalBody,
	readParameters,
	toApiNames,
	validationError,
} from '../../shared/n8n/parameters';
import { z } from '../../shared/util/vendor/zod';
import { type Conversation, conversation, type Part, partsOf, prefixOf } from './conversation';
import { additionalField, cachedBlocksField, promptFields } from './fields';

/** An item whose question is validated and ready to be sent. */
export interface PreparedQuestion {
	itemIndex: number;
	given: Conversation;
	parts: Part[];
	/** The parts up to the last marked one. */
	prefix: Part[];
	/** Fields of the body that this node does not show. */
	additional: Record<string, unknown>;
	/** Number of cache markers in the request. */
	markers: number;
}

/** Fields that the node makes from its own parameters. */
const OWN_FIELDS = ['model', 'max_tokens', 'system', 'messages'];

const rawBlocks = z
	.object({ block: z.array(z.object({ text: z.string().catch('') })) })
	.catch({ block: [] });

/**
 * Replaces blocks that the user left empty by `null`: the panel starts with one. A block whose expression gives no text is not
 * among them, because its question would be asked, and paid for, without its document.
 */
function withoutEmptyBlocks(
	context: IExecuteFunctions,
	values: ParameterValues,
	itemIndex: number,
): ParameterValues {
	const { name } = cachedBlocksField;
	const given = values[name];
	if (!Array.isArray(given)) return values;
	const { block: raw } = rawBlocks.parse(
		context.getNodeParameter(name, itemIndex, {}, { rawExpressions: true }),
	);
	return {
		...values,
		[name]: given.map((each: unknown, at) => (raw[at]?.text.trim() === '' ? null : each)),
	};
}

/** Reads and validates one item. Throws a `NodeOperationError` that names the field. */
export function prepareQuestion(context: IExecuteFunctions, itemIndex: number): PreparedQuestion {
	const values = withoutEmptyBlocks(
		context,
		readParameters(context, promptFields, itemIndex),
		itemIndex,
	);
	const read = conversation.safeParse(toApiNames(values));
	if (!read.success)
		throw validationError(context.getNode(), promptFields, read.error.issues, itemIndex);
	const additional = readAdditionalBody(context, itemIndex, OWN_FIELDS);
	if (additional.stream === true) {
		const issue = {
			path: [additionalField.name],
			message: 'must not set "stream" to true: the node reads the answer in one piece',
		};
		throw validationError(context.getNode(), [additionalField], [issue], itemIndex);
	}
	const parts = partsOf(read.data);
	const prefix = prefixOf(parts);
	const markers =
		prefix.filter(({ ttl }) => ttl !== undefined).length + markersIn(additional).length;
	return { itemIndex, given: read.data, parts, prefix, additional, markers };
}
