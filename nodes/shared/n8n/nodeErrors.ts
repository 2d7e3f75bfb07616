import type { IDataObject, IExecuteFunctions, INode, INodeExecutionData } from 'n8n-workflow';
import { NodeApiError, NodeOperationError } from 'n8n-workflow';

import {
	answerInWords,
	ApiError,
	asError,
	AuthenticationError,
	BlockedAddressError,
	CanceledError,
	InsufficientBalanceError,
	InvalidRequestError,
	NotFoundError,
	PermissionError,
	RateLimitError,
	TooLargeError,
	TransientError,
	UnreachableError,
	UnreadableResponseError,
} from '../api/errors';
import { atItem } from '../util/names';

/** Ends a line of a description: the editor shows it as HTML. */
export const LINE_END = '<br>\n';

export type NodeError = NodeApiError | NodeOperationError;

export const isNodeError = (error: unknown): error is NodeError =>
	error instanceof NodeApiError || error instanceof NodeOperationError;

const ANOTHER_SERVER =
	'Check the base URL in the MediaGen credential: another server may be answering there.';

export const CHECK_KEY = 'Check the API key in the MediaGen credential.';

/** For a 404 to a request that names no task. */
export const NO_ENDPOINT = {
	words: 'Endpoint not found',
	hint: 'Check "Base URL" in the credential: it must lead to the service.',
};

/** The hint for the error of such a request; `undefined` for the usual one. */
export const endpointHint = (error: unknown) =>
	error instanceof NotFoundError ? NO_ENDPOINT.hint : undefined;

const OTHER_WORDS =
	'If the service has another name for the model or the path, set "Brand Words" in the credential.';

const LATER_FOR_THE_REST =
	'Run the node again later, with the items without a result only: the others would be bought again.';

/** What the user can do next, by what happened; with another hint where the request was a purchase, or came before one. */
const HINTS: ReadonlyArray<readonly [typeof ApiError, string, ofPurchase?: string]> = [
	[InvalidRequestError, 'Change the field that the service names.'],
	[AuthenticationError, CHECK_KEY],
	[
		InsufficientBalanceError,
		'Top up the balance, then run the node again for the items without a result.',
	],
	[PermissionError, 'Use a key that has this permission, or ask the owner of the account for it.'],
	[
		NotFoundError,
		'Check the task ID, that this is the node of its family, and that the credential belongs to the account that bought the task.',
	],
	[
		RateLimitError,
		'Lower "Concurrency" in the options, or run the node again later.',
		`Lower "Concurrency" in the options. ${LATER_FOR_THE_REST}`,
	],
	[
		UnreachableError,
		'Check the base URL in the MediaGen credential, and that this n8n can reach it.',
	],
	[UnreadableResponseError, ANOTHER_SERVER],
	[TooLargeError, ANOTHER_SERVER],
	[BlockedAddressError, 'Check the address.'],
	// All others that may pass.
	[TransientError, 'Run the node again later.', LATER_FOR_THE_REST],
];

/** Whether the service may not know the word for the model, or the path. */
const mayMeanWord = (error: ApiError): boolean =>
	(error instanceof InvalidRequestError || error instanceof NotFoundError) &&
	(error.details.fromService !== true || /model|path|endpoint|route/i.test(error.message));

interface ErrorContext {
	itemIndex?: number;
	/** Whether the request was a purchase, or came before one. */
	purchase?: boolean;
	/** What a request buys, if it buys something: an uncertain purchase must not be repeated before the balance has been checked. */
	buys?: 'task' | 'answer';
	/** Whether the user has stopped the execution; absent where the error does not end it. */
	isStopped?: boolean;
	/** A sentence that comes first in the description. */
	context?: string;
	hint?: string;
}

/** Whether the request of an item may have bought something although no answer says so. */
export const mayHaveBeenBought = (error: ApiError, { buys }: ErrorContext) =>
	buys !== undefined && error.sent === 'maybe' && !(error instanceof CanceledError);

function hintFor(error: ApiError, context: ErrorContext): string | undefined {
	const { purchase, buys, hint } = context;
	if (mayHaveBeenBought(error, context)) {
		const places = buys === 'task' ? 'the balance and at your tasks at the service' : 'the balance';
		return `The ${buys} may have been bought anyway. Look at ${places} first. To send it again, set "If It May Have Been Bought" in the options to "Send Again" and retry this execution with the saved workflow, or, if it did not fail, run the workflow with this item only.`;
	}
	const [, usual, ofPurchase] = HINTS.find(([ErrorClass]) => error instanceof ErrorClass) ?? [];
	if (hint !== undefined || !purchase) return hint ?? usual;
	return mayMeanWord(error) ? `${usual} ${OTHER_WORDS}` : (ofPurchase ?? usual);
}

export const serviceError = (
	node: INode,
	message: string,
	details: { description?: string; itemIndex?: number; httpCode?: string },
) => new NodeApiError(node, { message }, { message, ...details });

export function asNodeError(node: INode, error: unknown, context: ErrorContext = {}): NodeError {
	const nodeError = isNodeError(error) ? error : toNodeError(node, error, context);
	// n8n counts an execution whose error says "canceled" as stopped by its user, and starts no error workflow.
	if (context.isStopped === false)
		nodeError.message = nodeError.message.replaceAll('canceled', 'cancelled');
	return nodeError;
}

function toNodeError(node: INode, error: unknown, context: ErrorContext): NodeError {
	const { itemIndex } = context;
	if (!(error instanceof ApiError)) {
		const cause = asError(error);
		const message = atItem(cause.message, itemIndex);
		return new NodeOperationError(node, cause, { itemIndex, message });
	}
	const { httpStatus, type, code, response } = error.details;
	const answer = mayHaveBeenBought(error, context) ? answerInWords(response, error.message) : '';
	const nodeError = serviceError(node, atItem(error.message + answer, itemIndex), {
		description: [context.context, hintFor(error, context)].filter(Boolean).join(' '),
		httpCode: httpStatus === undefined ? undefined : String(httpStatus),
		itemIndex,
	});
	Object.assign(nodeError.context, { code: code ?? null, type: type ?? null, response });
	return nodeError;
}

/** How an execution is run again. n8n's editor has no "Retry" for a canceled one, such as after a time limit. */
export const retryOf = (
	context: Pick<IExecuteFunctions, 'getExecutionCancelSignal' | 'getExecutionId'>,
) =>
	context.getExecutionCancelSignal()?.aborted
		? `A retry by n8n's API (POST /api/v1/executions/${context.getExecutionId()}/retry; the editor has none for a canceled execution)`
		: '"Retry" in the list of executions';

/** The error for what the user gave in an item: the message names the item. */
export const itemError = (
	node: INode,
	message: string,
	itemIndex: number | undefined,
	description?: string,
) => new NodeOperationError(node, atItem(message, itemIndex), { itemIndex, description });

export const hasErrorOutput = ({ onError }: INode) => onError === 'continueErrorOutput';

/** What an item's `error` says: what the service gave of it, the purchase record, and a response that could not be read. */
export function errorFields(error: NodeError, recordKey: unknown): IDataObject {
	const { code, type, response } = error.context;
	return {
		message: error.message,
		description: error.description ?? null,
		code: typeof code === 'string' ? code : null,
		type: typeof type === 'string' ? type : null,
		httpStatus:
			error instanceof NodeApiError && error.httpCode !== null ? Number(error.httpCode) : null,
		...(typeof recordKey === 'string' ? { recordKey } : {}),
		...(typeof response === 'string' ? { response } : {}),
	};
}

/**
 * The output of a failed item, when the workflow continues. n8n moves only items whose JSON is `{ error, message }` to the error output: there
 * the item's fields stand inside `error`, elsewhere beside it. `recordKey` is the item's, where the error is that of all items.
 */
export function errorItem(
	node: INode,
	error: NodeError,
	itemIndex: number,
	fields: IDataObject = {},
	recordKey: unknown = error.context.recordKey,
): INodeExecutionData {
	const ownFields = errorFields(error, recordKey);
	const json = hasErrorOutput(node)
		? { error: { ...fields, ...ownFields }, message: error.message }
		: { ...fields, error: ownFields };
	return { json, pairedItem: { item: itemIndex } };
}
