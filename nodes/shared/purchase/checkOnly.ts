import type { INodeExecutionData } from 'n8n-workflow';

import type { MediaGenClient } from '../api/client';
import { asError } from '../api/errors';
import { type FailedItem, isFailed } from '../n8n/nodeErrors';
import type { ItemOptions } from '../n8n/options';
import { toJson } from '../util/json';
import type { SpendingGuard } from './spendingGuard';

/** An item that could be bought. */
interface CheckedItem {
	itemIndex: number;
	path: string;
	/** Pictures of the input stand as their fingerprints. */
	body: unknown;
	notes: string[];
	options: ItemOptions;
}

/** What is left, or why it cannot be read. */
async function balanceFields(client: MediaGenClient) {
	try {
		const { remain_balance: remaining, remain_credits: remainingCredits, unlimited_quota: unlimited } = await client.balance.retrieve();
		return unlimited ? { remaining: null, remainingCredits: null } : { remaining, remainingCredits };
	} catch (error) {
		return { error: asError(error).message };
	}
}

function problemsOf({ error }: FailedItem): string[] {
	const others = (error.description ?? '').split('\n').filter((line) => line !== '' && !line.startsWith('Nothing was sent'));
	return [error.message, ...others];
}

/**
 * The output of "Check Only": per item the request that would be sent and what is wrong with it, with the number of purchases and
 * the balance. Sends nothing but reads.
 */
export async function checkOnlyOutput(
	client: MediaGenClient,
	guard: SpendingGuard,
	items: ReadonlyArray<CheckedItem | FailedItem>,
): Promise<INodeExecutionData[]> {
	const tasks = items.filter((item) => !isFailed(item)).length;
	const limit = guard.problemWith(tasks);
	const common = { checkOnly: true, tasks, balance: await balanceFields(client), ...(limit === undefined ? {} : { limit }) };
	return items.map((item) => {
		const pairedItem = { item: item.itemIndex };
		if (isFailed(item)) return { json: toJson({ ...common, request: null, problems: problemsOf(item) }), pairedItem };
		const body: unknown = JSON.parse(JSON.stringify(item.body));
		const request = { method: 'POST', path: item.path, body };
		return { json: toJson({ ...common, request, problems: [], notes: item.notes, ...item.options }), pairedItem };
	});
}
