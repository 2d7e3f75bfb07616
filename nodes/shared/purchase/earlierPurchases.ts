import type { INode } from 'n8n-workflow';

import { withParagraph } from '../n8n/failedItems';
import { asNodeError, LINE_END, type NodeError } from '../n8n/nodeErrors';
import { itemRanges } from '../util/names';
import type { PurchaseRecords, PurchaseState } from './purchaseRecords';

const EARLIER = 'Of earlier attempts:';

function inWords(purchase: PurchaseState): string {
	if (purchase.state === 'accepted')
		return `task ${purchase.taskId} (get it with the resource Task, operation Get)`;
	return purchase.state === 'answered' ? 'answered' : 'may have been bought';
}

/** The fields of an item that has it: the task, for Task: Wait, or the answer. */
function inItem(purchase: PurchaseState): object {
	if (purchase.state === 'accepted') return { taskId: purchase.taskId };
	return purchase.state === 'answered' ? { response: purchase.response } : {};
}

/** Says what earlier attempts bought for items that failed before they came to it, such as by a file that cannot be read any more. */
export function sayWhatIsLeft(
	records: PurchaseRecords,
	outcomes: ReadonlyArray<{ itemIndex: number; error?: NodeError }>,
): void {
	const left = new Map(records.leftByItem().map((each) => [each.itemIndex, each.purchase]));
	for (const { itemIndex, error } of outcomes) {
		const purchase = left.get(itemIndex);
		if (error && purchase)
			error.description = withParagraph(error.description, `${EARLIER} ${inWords(purchase)}.`);
	}
}

/** The error of an attempt that ends as a whole, with what earlier ones left: such as "Retry On Fail", once the credential is broken. */
export function withWhatIsLeft(node: INode, thrown: unknown, records: PurchaseRecords): NodeError {
	const error = asNodeError(node, thrown);
	const left = records.leftByItem();
	if (left.length === 0) return error;
	const lines = left.map(
		({ itemIndex, purchase }) => `${itemRanges([itemIndex])}: ${inWords(purchase)}.`,
	);
	error.description = withParagraph(error.description, [EARLIER, ...lines].join(LINE_END));
	const byItem = left.map(
		({ itemIndex, key, purchase }) => [itemIndex, { recordKey: key, ...inItem(purchase) }] as const,
	);
	Object.assign(error.context, { left: Object.fromEntries(byItem) });
	return error;
}
