import type {
	IDataObject,
	IExecuteFunctions,
	INode,
	INodeExecutionData,
	JsonObject,
} from 'n8n-workflow';
import { NodeApiError, NodeOperationError } from 'n8n-workflow';

import {
	ApiError,
	AuthenticationError,
	BlockedAddressError,
	CanceledError,
	ConnectionError,
	InsufficientBalanceError,
	InvalidRequestError,
	NotFoundError,
	PermissionError,
	RateLimitError,
	ServerError,
	TimeoutError,
	TooLargeError,
	UnreachableError,
	UnreadableResponseError,
} from '../api/errors';
import { clock } from '../util/clock';
import { isObject } from '../util/json';

export type NodeError = NodeApiError | NodeOperationError;

const ANOTHER_SERVER =
	'Check the base URL in the MediaGen credential: another server may be answering there.';

/** An item, as a sheet counts its rows and as n8n counts items. */
export const rowOf = (itemIndex: number) => `row ${itemIndex + 1} (item ${itemIndex})`;

/** A message with the item that it is about. n8n's editor adds its own "[item 2]" to a message without "item 2" only. */
export const atItem = (message: string, itemIndex: number | undefined) =>
	itemIndex === undefined ? message : `${message} [${rowOf(itemIndex)}]`;

/** What the user can do next, by what happened. */
const HINTS: ReadonlyArray<readonly [typeof ApiError, string]> = [
	[InvalidRequestError, 'Change the field that the service names and run the node again.'],
	[AuthenticationError, 'Check the API key in the MediaGen credential.'],
	[
		InsufficientBalanceError,
		'Top up the balance, then run the node again for the items without a result.',
	],
	[PermissionError, 'Use a key that has this permission, or ask the owner of the account for it.'],
	[
		NotFoundError,
		'Check the task ID, and that the credential belongs to the account that bought the task.',
	],
	[RateLimitError, 'Lower "Concurrency" in the options, or run the node again later.'],
	[ServerError, 'Run the node again later.'],
	[ConnectionError, 'Run the node again later.'],
	[TimeoutError, 'Run the node again later.'],
	[
		UnreachableError,
		'Check the base URL in the MediaGen credential, and that this n8n can reach it.',
	],
	[UnreadableResponseError, ANOTHER_SERVER],
	[TooLargeError, ANOTHER_SERVER],
	[BlockedAddressError, 'Check the address.'],
];

const LATER_FOR_THE_REST =
	'Run the node again later, with the items without a result only: the others would be bought again.';

/** The same where the request was a purchase, or came before one. */
const PURCHASE_HINTS: typeof HINTS = [
	[RateLimitError, `Lower "Concurrency" in the options. ${LATER_FOR_THE_REST}`],
	[ServerError, LATER_FOR_THE_REST],
	[ConnectionError, LATER_FOR_THE_REST],
	[TimeoutError, LATER_FOR_THE_REST],
	...HINTS,
];

interface ErrorContext {
	itemIndex?: number;
	/** Whether the request was a purchase, or came before one. */
	purchase?: boolean;
	/** What a request buys, if it buys something: an uncertain purchase must not be repeated before the balance was checked. */
	buys?: 'task' | 'answer';
	/** A sentence that comes first in the description. */
	context?: string;
	/** Replaces the usual hint. */
	hint?: string;
}

/** Whether the request of an item may have bought something although no answer says so. */
export const mayHaveBeenBought = (error: ApiError, { buys }: ErrorContext) =>
	buys !== undefined && error.sent === 'maybe' && !(error instanceof CanceledError);

/** Puts the key of the item's purchase record on its error: the error item names it, so that the node knows the item when it comes back. */
export function nameRecord(error: NodeError, recordKey: string | undefined): void {
	error.context.recordKey = recordKey;
}

/**
 * The key of the purchase record that an item names, where it came out of this node without a result: an error item, or the item
 * of a task that had not ended at the time limit of a pause.
 */
export function recordKeyIn({ error, status, recordKey }: IDataObject = {}): string | undefined {
	const named = isObject(error) ? error.recordKey : status === 'submitted' ? recordKey : undefined;
	return typeof named === 'string' ? named : undefined;
}

function hintFor(error: ApiError, context: ErrorContext): string | undefined {
	const { purchase, buys, hint } = context;
	if (mayHaveBeenBought(error, context)) {
		const places = buys === 'task' ? 'the balance and at your tasks at the service' : 'the balance';
		return `The ${buys} may have been bought anyway. Look at ${places} first. To send it again, set "If It May Have Been Bought" in the options to "Send Again".`;
	}
	return (
		hint ??
		(purchase ? PURCHASE_HINTS : HINTS).find(([ErrorClass]) => error instanceof ErrorClass)?.[1]
	);
}

/** Converts an `ApiError` to n8n's error for what a service said, with the item it belongs to and what to do next. */
function toNodeApiError(node: INode, error: ApiError, context: ErrorContext): NodeError {
	const { itemIndex } = context;
	const message = atItem(error.message, itemIndex);
	const response: JsonObject = { message };
	const { httpStatus, type, code, response: body } = error.details;
	const nodeError = new NodeApiError(node, response, {
		message,
		description: [context.context, hintFor(error, context)].filter(Boolean).join(' '),
		httpCode: httpStatus === undefined ? undefined : String(httpStatus),
		itemIndex,
	});
	Object.assign(nodeError.context, { code: code ?? null, type: type ?? null, response: body });
	return nodeError;
}

/** The message of an item's error without the item, for a list that names the items. */
export const withoutItem = (message: string) => message.replace(/ \[row \d+ \(item \d+\)\]$/, '');

/** Names items by their numbers, e.g. "Row 5 (item 4)" or "Rows 1, 4 to 20 (items 0, 3 to 19)". `indexes` in ascending order. */
export function itemRanges(indexes: readonly number[]): string {
	const ranges: Array<[first: number, last: number]> = [];
	for (const index of indexes) {
		const range = ranges[ranges.length - 1];
		if (range && range[1] === index - 1) range[1] = index;
		else ranges.push([index, index]);
	}
	const from = (start: number) =>
		ranges
			.map(([first, last]) =>
				first === last ? String(first + start) : `${first + start} to ${last + start}`,
			)
			.join(', ');
	const [row, item] = indexes.length === 1 ? ['Row', 'item'] : ['Rows', 'items'];
	return `${row} ${from(1)} (${item} ${from(0)})`;
}

/** Returns any error as one of n8n's own. */
export function asNodeError(node: INode, error: unknown, context: ErrorContext = {}): NodeError {
	if (error instanceof NodeApiError || error instanceof NodeOperationError) return error;
	if (error instanceof ApiError) return toNodeApiError(node, error, context);
	const cause = error instanceof Error ? error : String(error);
	return new NodeOperationError(node, cause, { itemIndex: context.itemIndex });
}

/** Whether the node has an output of its own for failed items. */
function hasErrorOutput(node: { onError?: string }): boolean {
	return node.onError === 'continueErrorOutput';
}

/**
 * What an item's `error` says: the message, the service's code, type and HTTP status where it gave them, the purchase record, and a
 * response that could not be read.
 */
function errorFields(error: NodeError, recordKey: unknown): IDataObject {
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
 * The output of a failed item, when the workflow continues. n8n drops everything but the message of an item that has an
 * `error` object of its own, and moves only items whose JSON is `{ error, message }` to the error output: there the item's
 * fields stand inside `error`, elsewhere beside it.
 *
 * @param recordKey the item's purchase record, where the error is not the item's own
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

/** An item that has no result. */
export interface FailedItem {
	itemIndex: number;
	error: NodeError;
}

export function isFailed<Item extends object>(item: Item): item is Item & FailedItem {
	return 'error' in item && item.error !== undefined;
}

/** Items after which n8n gets a turn: evaluating the parameters of thousands of items would stop it for seconds. */
const ITEMS_PER_TURN = 50;

/** Runs `work` for each input item in order. What it throws becomes that item's error. */
export async function forEachItem<Item extends object>(
	context: IExecuteFunctions,
	work: (itemIndex: number) => Item | Promise<Item>,
): Promise<Array<Item | FailedItem>> {
	const results: Array<Item | FailedItem> = [];
	for (let itemIndex = 0; itemIndex < context.getInputData().length; itemIndex++) {
		results.push(await itemOrError(context, itemIndex, () => work(itemIndex)));
		if (itemIndex % ITEMS_PER_TURN === ITEMS_PER_TURN - 1) await clock.sleep(0);
	}
	return results;
}

/** Runs `work` for one item. What it throws becomes the item's error. */
export async function itemOrError<Item extends object>(
	context: { getNode(): INode },
	itemIndex: number,
	work: () => Item | Promise<Item>,
): Promise<Item | FailedItem> {
	try {
		return await work();
	} catch (error) {
		return {
			itemIndex,
			error: asNodeError(context.getNode(), error, { itemIndex }),
		};
	}
}

/** Throws the first item's error, unless the node is set to continue. */
export function throwFirstError(context: IExecuteFunctions, items: readonly object[]): void {
	const failed = items.find(isFailed);
	if (failed && !context.continueOnFail()) throw failed.error;
}

/**
 * The error of a whole run: the first failed item's, with the number of failed items and what became of the others.
 *
 * @param others what became of the other items, for the description: they may have been paid for
 */
export function runError(
	node: INode,
	items: readonly object[],
	first: FailedItem,
	others: string | undefined,
): NodeError {
	const { error, itemIndex } = first;
	const failed = items.filter(isFailed).length;
	const message =
		items.length > 1
			? `${error.message} (${failed} of ${items.length} items have no result)`
			: error.message;
	const description = [error.description, others].filter(Boolean).join('\n\n');
	return error instanceof NodeApiError
		? new NodeApiError(
				node,
				{ message },
				{ message, description, itemIndex, httpCode: error.httpCode ?? undefined },
			)
		: new NodeOperationError(node, message, { description, itemIndex });
}
