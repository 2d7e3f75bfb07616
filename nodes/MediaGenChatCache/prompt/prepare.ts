import type { IExecuteFunctions } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import { toApiName } from '../shared/util/case';
import { displayNameOf } from '../shared/n8n/names';
import { readParameters } from '../shared/n8n/parameters';
import { asNodeError } from '../shared/n8n/nodeErrors';
import type { z } from '../shared/util/vendor/zod';
import { type Conversation, conversation, type Part, partsOf, prefixOf } from './conversation';
import { chatFields } from './fields';
import type { Outcome } from './outcome';

/** An item whose question is checked and ready to be sent. */
export interface Prepared {
	itemIndex: number;
	given: Conversation;
	parts: Part[];
	prefix: Part[];
}

/** The options are read once for all items, and the extra fields go out as they are. */
const FIELDS = chatFields.filter(({ name }) => name !== 'options' && name !== 'extraBody');

function sentenceOf({ path, message }: z.ZodIssue): string {
	const place = path.map((step) =>
		typeof step === 'number' ? step + 1 : (displayNameOf(chatFields, step) ?? step),
	);
	return `"${place.join(' › ')}" ${message}`;
}

function refusal(context: IExecuteFunctions, issues: z.ZodIssue[], itemIndex: number): NodeOperationError {
	const sentences = issues.map(sentenceOf);
	return new NodeOperationError(context.getNode(), `${sentences[0] ?? ''} [item ${itemIndex}]`, {
		itemIndex,
		description: [...sentences.slice(1), 'Nothing was sent to the service.'].join('\n'),
	});
}

const isEmpty = (value: unknown) =>
	value === undefined || value === null || (typeof value === 'string' && value.trim() === '');

function prepareItem(context: IExecuteFunctions, itemIndex: number): Prepared | Outcome {
	try {
		const values = readParameters(context, FIELDS, itemIndex);
		const extra: unknown = context.getNodeParameter('extraBody', itemIndex, '');
		const named = Object.fromEntries(Object.entries(values).map(([name, value]) => [toApiName(name), value]));
		const read = conversation.safeParse(isEmpty(extra) ? named : { ...named, extra_body: extra });
		if (!read.success) return { itemIndex, error: refusal(context, read.error.issues, itemIndex) };
		const parts = partsOf(read.data);
		return { itemIndex, given: read.data, parts, prefix: prefixOf(parts) };
	} catch (error) {
		return { itemIndex, error: asNodeError(context.getNode(), error, { itemIndex }) };
	}
}

/** Reads and checks every item before the first is sent, so that nothing is paid for while the last is still wrong. */
export function prepareItems(context: IExecuteFunctions): Array<Prepared | Outcome> {
	return context.getInputData().map((_, itemIndex) => prepareItem(context, itemIndex));
}

export function isPrepared(item: Prepared | Outcome): item is Prepared {
	return 'given' in item;
}
