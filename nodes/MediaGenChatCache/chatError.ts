import type { INode } from 'n8n-workflow';
import { NodeApiError } from 'n8n-workflow';

import type { FaultKind, ServiceFault } from '../shared/api/faults';
import { toNodeApiError } from '../shared/n8n/nodeErrors';

const MAY_BE_PAID =
	'The request may have been answered and charged all the same: look at the balance before you send it again. A model that takes its time may need a longer "Timeout" in the options.';

/** What to do next, where an answer differs from a task. */
const NEXT_STEP: Partial<Record<FaultKind, string>> = {
	payment: 'Top the balance up, then run the node again for the items that have no answer yet.',
	notFound: 'Check the "Model", and the base URL in the MediaGen credential.',
};

/** Puts a fault of a chat request into n8n's words, with its item and what to do next. */
export function chatError(node: INode, fault: ServiceFault, itemIndex: number, doing?: string): NodeApiError {
	const general = toNodeApiError(node, fault, { itemIndex, doing });
	const mayBePaid = fault.accepted === 'unknown' && fault.kind !== 'cancelled';
	const advice = mayBePaid ? MAY_BE_PAID : NEXT_STEP[fault.kind];
	if (advice === undefined) return general;
	return new NodeApiError(
		node,
		{ message: fault.message },
		{
			message: fault.message,
			description: [doing, advice].filter(Boolean).join(' '),
			httpCode: general.httpCode ?? undefined,
			itemIndex,
		},
	);
}
