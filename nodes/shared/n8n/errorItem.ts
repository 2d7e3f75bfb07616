import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import type { NodeApiError, NodeOperationError } from 'n8n-workflow';

/**
 * What comes out for an item that went wrong, when the workflow goes on all the same. n8n throws away all but the
 * message of an item that carries an `error` object, and sends to an error output only items whose JSON is
 * `{ error, message }`: so there the item's own fields stand inside `error`, and beside it everywhere else.
 */
export function errorItem(
	error: NodeApiError | NodeOperationError,
	itemIndex: number,
	toErrorOutput: boolean,
	fields: IDataObject = {},
): INodeExecutionData {
	const told = { message: error.message, description: error.description ?? null };
	const json = toErrorOutput
		? { error: { ...fields, ...told }, message: error.message }
		: { ...fields, error: told };
	return { json, pairedItem: { item: itemIndex } };
}

/** Whether the node has an output of its own for items that went wrong. */
export function hasErrorOutput(node: { onError?: string }): boolean {
	return node.onError === 'continueErrorOutput';
}
