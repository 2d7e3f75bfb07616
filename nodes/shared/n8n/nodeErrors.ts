import type { INode, JsonObject } from 'n8n-workflow';
import { NodeApiError, NodeOperationError } from 'n8n-workflow';

import { type FaultKind, ServiceFault } from '../api/faults';

const NEXT_STEP: Partial<Record<FaultKind, string>> = {
	badRequest: 'Change the field that the service names and run the node again.',
	authentication: 'Check the API key in the MediaGen credential.',
	payment: 'Top the balance up, then run the node again for the items that have no task yet.',
	permission: 'Use a key that may do this, or ask the owner of the account to allow it.',
	notFound: 'Check the task ID, and that the credential belongs to the account which bought the task.',
	rateLimit: 'Lower "Concurrency" in the options, or run the node again later.',
	server: 'Run the node again later.',
	gateway: 'Run the node again later.',
	notReached: 'Check the base URL in the MediaGen credential, and that this n8n can reach it.',
	network: 'Run the node again later.',
	timeout: 'Run the node again later.',
	refused: 'Check the address.',
	unsettled:
		'Look at the balance and at your tasks at the service. If it was not bought, start a new execution for this item.',
	malformed: 'Check the base URL in the MediaGen credential: something else may be answering there.',
};

const MAY_BE_BOUGHT =
	'The request may have been accepted and charged all the same: look at the balance and at your tasks at the service before you send it again.';

const SPEAKS_FOR_ITSELF = new Set<FaultKind>(['cancelled', 'unsettled']);

interface ErrorContext {
	itemIndex?: number;
	/** Whether the request would have bought something. */
	purchase?: boolean;
	/** What was being done, as a sentence for the description. */
	doing?: string;
}

/** Puts a fault into n8n's own words for what a service said, with the item it belongs to and what to do next. */
export function toNodeApiError(node: INode, fault: ServiceFault, context: ErrorContext = {}): NodeApiError {
	const advice =
		context.purchase && fault.accepted === 'unknown' && !SPEAKS_FOR_ITSELF.has(fault.kind)
			? MAY_BE_BOUGHT
			: NEXT_STEP[fault.kind];
	const item = context.itemIndex === undefined ? '' : ` [item ${context.itemIndex}]`;
	const message = fault.message + item;
	const response: JsonObject = { message };
	return new NodeApiError(node, response, {
		message,
		description: [context.doing, advice].filter(Boolean).join(' '),
		httpCode: fault.details.httpCode === undefined ? undefined : String(fault.details.httpCode),
		itemIndex: context.itemIndex,
	});
}

/** Any error as one of n8n's own: what is one stays as it is, a fault is put into n8n's words. */
export function asNodeError(
	node: INode,
	error: unknown,
	context: ErrorContext = {},
): NodeApiError | NodeOperationError {
	if (error instanceof NodeApiError || error instanceof NodeOperationError) return error;
	if (error instanceof ServiceFault) return toNodeApiError(node, error, context);
	const cause = error instanceof Error ? error : String(error);
	return new NodeOperationError(node, cause, { itemIndex: context.itemIndex });
}
