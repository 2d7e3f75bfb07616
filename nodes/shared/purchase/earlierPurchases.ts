import { nameRecord } from '../n8n/failedItems';
import { LINE_END, type NodeError } from '../n8n/nodeErrors';
import type { PurchaseRecords, PurchaseState } from './purchaseRecords';

function inWords(purchase: PurchaseState): string {
	switch (purchase.state) {
		case 'accepted':
			return `An earlier attempt bought task ${purchase.taskId} for this item: get it with the resource Task, operation Get.`;
		case 'answered':
			return 'An earlier attempt bought the answer to this item.';
		case 'pending':
			return 'An earlier attempt may have bought this item.';
	}
}

/** Names what an earlier attempt bought for items that failed before they came to it, such as by a file that cannot be read any more. */
export function nameEarlier(
	records: PurchaseRecords,
	outcomes: ReadonlyArray<{ itemIndex: number; error?: NodeError }>,
): void {
	const left = new Map(records.leftByItem().map((each) => [each.itemIndex, each]));
	for (const { itemIndex, error } of outcomes) {
		const earlier = left.get(itemIndex);
		if (!error || !earlier || records.recordKey(itemIndex) !== undefined) continue;
		nameRecord(error, earlier.key);
		error.description = [error.description, inWords(earlier.purchase)]
			.filter(Boolean)
			.join(LINE_END);
	}
}
