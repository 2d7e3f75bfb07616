import type { IExecuteFunctions, INodeProperties } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import { displayNameOf } from '../n8n/names';
import { type ParameterValues, readParameters, toApiNames } from '../n8n/parameters';
import { asNodeError } from '../n8n/nodeErrors';
import { z } from '../util/vendor/zod';
import type { Outcome } from './outcome';

/** A request body, checked, in the API's names. Binary pictures still stand in it as `PendingUpload`. */
export type RequestBody = Record<string, unknown>;

/** What a submission sends for one item. */
export interface RequestShape {
	fields: INodeProperties[];
	/** Checks the body, under the API's names. Its messages begin with "must" or "is". */
	schema: z.ZodType<RequestBody, z.ZodTypeDef, unknown>;
	/** Turns what the user has set into the body's fields, where a field is not simply sent as it is. */
	toBody?(values: ParameterValues, context: IExecuteFunctions, itemIndex: number): Promise<ParameterValues>;
	/** Where the body goes. A field that belongs into the path is taken out of the body here. */
	toRequest(body: RequestBody): { path: string; body: RequestBody };
}

/** An item that is ready to be submitted. */
export interface PreparedItem {
	itemIndex: number;
	body: RequestBody;
	/** What the user set, in the API's names, with what the schema then left out of the body. */
	given: RequestBody;
	/** What the user is told about this item when all went well. */
	notes?: string[];
}

const givenFields = z.record(z.unknown());

/** The error for a request that breaks rules: it names the fields by their labels, and the item. */
export function refusal(
	context: IExecuteFunctions,
	shape: RequestShape,
	issues: ReadonlyArray<Pick<z.ZodIssue, 'path' | 'message'>>,
	itemIndex: number,
): NodeOperationError {
	const sentences = issues.map((issue) => {
		const field = String(issue.path[0] ?? '');
		const label = displayNameOf(shape.fields, field) ?? field;
		const place = issue.path.slice(1).map((step) => (typeof step === 'number' ? step + 1 : step));
		return `"${[label, ...place].join(' › ')}" ${issue.message}`;
	});
	return new NodeOperationError(context.getNode(), `${sentences[0] ?? ''} [item ${itemIndex}]`, {
		itemIndex,
		description: [...sentences.slice(1), 'Nothing was sent to the service.'].join('\n'),
	});
}

async function prepareItem(
	context: IExecuteFunctions,
	shape: RequestShape,
	itemIndex: number,
): Promise<PreparedItem | Outcome> {
	try {
		const values = readParameters(context, shape.fields, itemIndex);
		const named = toApiNames((await shape.toBody?.(values, context, itemIndex)) ?? values);
		const read = shape.schema.safeParse(named);
		if (read.success) return { itemIndex, body: read.data, given: givenFields.catch({}).parse(named) };
		return { itemIndex, error: refusal(context, shape, read.error.issues, itemIndex) };
	} catch (error) {
		return { itemIndex, error: asNodeError(context.getNode(), error, { itemIndex }) };
	}
}

export function isPrepared(item: PreparedItem | Outcome): item is PreparedItem {
	return 'body' in item;
}

/**
 * Reads and checks the request of every item before the first one is sent, so that a mistake in the last item does
 * not cost what the others buy. Items that cannot be sent come back as outcomes with their error.
 */
export async function prepareItems(
	context: IExecuteFunctions,
	shape: RequestShape,
): Promise<Array<PreparedItem | Outcome>> {
	const prepared: Array<PreparedItem | Outcome> = [];
	for (let itemIndex = 0; itemIndex < context.getInputData().length; itemIndex++) {
		prepared.push(await prepareItem(context, shape, itemIndex));
	}
	return prepared;
}
