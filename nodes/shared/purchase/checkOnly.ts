import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { type BrandWordMap, inDeploymentWords, toDeploymentWords } from '../api/brandWords';
import type { MediaGenClient } from '../api/client';
import { asError, NOTHING_SENT } from '../api/errors';
import { remainingFields } from '../api/balance';
import type { FailedItem } from '../n8n/failedItems';
import type { BuyingItem, UnboughtItem } from '../output/items';
import { hint, repeated } from '../report/hints';
import { toJson } from '../util/json';
import type { PaidRequest } from './purchaseRecords';
import type { SpendingGuard } from './spendingGuard';

function problemsOf({ error }: FailedItem): string[] {
	const others = (error.description ?? '')
		.split('\n')
		.filter((line) => line !== '' && !line.startsWith(NOTHING_SENT));
	return [error.message, ...others];
}

/** The line above the output: how many items would buy, and what holds the others back. */
function summary(
	items: ReadonlyArray<BuyingItem & { state: string }>,
	{ tasks, withinLimits, limit }: { tasks: number; withinLimits: number; limit?: string },
): string {
	const ready = items.filter(({ state }) => state === 'ready');
	const problems = items.length - ready.length;
	const reused = ready.length - tasks;
	return [
		`Check Only bought nothing: ${tasks} of ${items.length} ${items.length === 1 ? 'item' : 'items'} would buy`,
		...(reused > 0 ? [`${reused} would use an existing task`] : []),
		...repeated(ready),
		...(problems > 0 ? [`${problems} with problems`] : []),
		...(limit === undefined ? [] : [`the limits let ${withinLimits} through: ${limit}`]),
	].join(', ');
}

type ShownRequest = Pick<PaidRequest, 'path' | 'body' | 'file'>;

/** A request as it would be sent. Files are shown as their fingerprints. */
function asSent({ path, body, file }: ShownRequest, words: BrandWordMap): unknown {
	const sent = { path: toDeploymentWords(path, words), body: inDeploymentWords(body, words) };
	return JSON.parse(JSON.stringify({ method: 'POST', ...sent, file }));
}

/**
 * The output of "Check Only": per item the request that would be sent and what is wrong with it, with the number of purchases, how many of
 * them the limits let through, and the balance; a hint sums up. Sends only read requests.
 */
export async function checkOnlyOutput<Item extends BuyingItem & { state: 'ready' }>(
	context: Pick<IExecuteFunctions, 'addExecutionHints'>,
	client: MediaGenClient,
	guard: SpendingGuard,
	items: ReadonlyArray<Item | UnboughtItem>,
	requestOf: (item: Item) => ShownRequest,
): Promise<INodeExecutionData[]> {
	const { brandWords } = client.connection;
	const tasks = items.filter(({ state, options }) => state === 'ready' && !options.reused).length;
	const allowed = await guard.check(tasks);
	const unread = (error: unknown) => ({ error: asError(error).message });
	const balance = await client.balance.retrieve().then(remainingFields, unread);
	const common = { checkOnly: true, tasks, ...allowed, balance };
	const isFine = items.every(({ state }) => state === 'ready') && allowed.limit === undefined;
	const words = summary(items, { tasks, ...allowed });
	context.addExecutionHints(hint(words, isFine ? 'info' : 'warning'));
	return items.map((item) => {
		const { itemIndex, notes, options } = item;
		const found =
			item.state === 'ready'
				? { request: asSent(requestOf(item), brandWords), problems: [], notes }
				: { request: null, problems: problemsOf(item) };
		return { json: toJson({ ...common, ...found, ...options }), pairedItem: { item: itemIndex } };
	});
}
