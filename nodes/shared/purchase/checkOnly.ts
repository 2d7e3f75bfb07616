import type { INodeExecutionData } from 'n8n-workflow';

import type { MediaGenClient } from '../api/client';
import { asError } from '../api/errors';
import { remainingOf } from '../api/records';
import type { FailedItem } from '../n8n/nodeErrors';
import type { BuyingItem, UnboughtItem } from '../output/items';
import { toJson } from '../util/json';
import type { SpendingGuard } from './spendingGuard';

/** What is left, or why it cannot be read. */
async function balanceFields(client: MediaGenClient) {
	try {
		const record = await client.balance.retrieve();
		return {
			remaining: remainingOf(record, 'balance'),
			remainingCredits: remainingOf(record, 'credits'),
		};
	} catch (error) {
		return { error: asError(error).message };
	}
}

function problemsOf({ error }: FailedItem): string[] {
	const others = (error.description ?? '')
		.split('\n')
		.filter((line) => line !== '' && !line.startsWith('Nothing was sent'));
	return [error.message, ...others];
}

/**
 * The output of "Check Only": per item the request that would be sent and what is wrong with it, with the number of purchases,
 * how many of them the limits let through, and the balance. Sends nothing but reads.
 *
 * @param requestOf the path and the body of an item, and its file where the request is form data. Files stand as their fingerprints
 */
export async function checkOnlyOutput<Item extends BuyingItem & { state: 'ready' }>(
	client: MediaGenClient,
	guard: SpendingGuard,
	items: ReadonlyArray<Item | UnboughtItem>,
	requestOf: (item: Item) => object,
): Promise<INodeExecutionData[]> {
	const tasks = items.filter(({ state, options }) => state === 'ready' && !options.reused).length;
	const common = {
		checkOnly: true,
		tasks,
		...(await guard.check(tasks)),
		balance: await balanceFields(client),
	};
	return items.map((item) => {
		const pairedItem = { item: item.itemIndex };
		if (item.state !== 'ready')
			return { json: toJson({ ...common, request: null, problems: problemsOf(item) }), pairedItem };
		const request: unknown = JSON.parse(JSON.stringify({ method: 'POST', ...requestOf(item) }));
		return {
			json: toJson({ ...common, request, problems: [], notes: item.notes, ...item.options }),
			pairedItem,
		};
	});
}
