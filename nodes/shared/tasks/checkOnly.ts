import type { INodeExecutionData } from 'n8n-workflow';

import { asError } from '../api/errors';
import { type FailedItem, isFailed } from '../n8n/nodeErrors';
import type { SpendingGuard } from '../purchase/spendingGuard';
import { toJson } from '../util/json';
import type { PreparedItem } from './prepare';
import type { TaskRun } from './taskRun';

/** What is left, or why it cannot be read. */
async function balanceFields({ client }: TaskRun) {
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
 * The output of "Check Only": per item the request that would be sent and what is wrong with it, with the number of tasks and the
 * balance. Pictures of the input stand as their fingerprints. Sends nothing but reads.
 */
export async function checkOnlyOutput(
	run: TaskRun,
	guard: SpendingGuard,
	items: ReadonlyArray<PreparedItem | FailedItem>,
): Promise<INodeExecutionData[][]> {
	const tasks = items.filter((item) => !isFailed(item)).length;
	const limit = guard.problemWith(tasks);
	const common = { checkOnly: true, tasks, balance: await balanceFields(run), ...(limit === undefined ? {} : { limit }) };
	const output = items.map((item) => {
		const pairedItem = { item: item.itemIndex };
		if (isFailed(item)) return { json: toJson({ ...common, request: null, problems: problemsOf(item) }), pairedItem };
		const { target, notes, options } = item;
		const body: unknown = JSON.parse(JSON.stringify(target.body));
		const request = { method: 'POST', path: target.path, body };
		return { json: toJson({ ...common, request, problems: [], notes, ...options }), pairedItem };
	});
	return [output];
}
