import type { NodeApiError } from 'n8n-workflow';

import { asError, ServiceFault } from '../api/faults';
import { submissionAnswer, type TakenTask } from '../api/records';
import { toJson } from '../output/items';
import { submittedTask } from '../output/task';
import { headline } from '../api/classify';
import { asNodeError, toNodeApiError } from '../n8n/nodeErrors';
import { pLimit } from '../util/vendor/pLimit';
import { z } from '../util/vendor/zod';
import { remainingBalance } from '../tasks/balance';
import type { SubmissionLedger } from './purchaseRecords';
import type { Outcome } from '../tasks/outcome';
import { isPrepared, type PreparedItem, type RequestBody, type RequestShape } from '../tasks/prepare';
import { readAs, type Run } from '../tasks/run';
import { resolveUploads } from '../tasks/uploads';

const requestBody = z.record(z.unknown());

/** Faults that every further submission of the same key would meet as well. */
const HALTING = new Set(['authentication', 'payment', 'permission', 'cancelled']);

interface Submission {
	run: Run;
	ledger: SubmissionLedger;
	shape: RequestShape;
	/** Base address that the service is to call when a task has ended. */
	webhook?: string;
}

async function buy({ run, ledger, shape, webhook }: Submission, item: PreparedItem): Promise<TakenTask> {
	const { itemIndex, body: wanted } = item;
	if (ledger.isUnsettled(itemIndex, wanted)) throw new ServiceFault('unsettled', headline('unsettled'), 'unknown');
	const bought = ledger.find(itemIndex, wanted);
	if (bought !== undefined) return { taskId: bought };

	const { path, body } = shape.toRequest(webhook === undefined ? wanted : { ...wanted, webhook });
	const resolved = requestBody.parse(await resolveUploads(run.context, run.client, ledger, body));
	ledger.open(itemIndex, wanted);
	const taken = await purchase(run, path, resolved, () => ledger.withdraw(itemIndex, wanted));
	ledger.record(itemIndex, wanted, taken.taskId);
	// The one trace of a purchase that is left if this process is killed before the execution is saved.
	run.context.logger.info(`MediaGen: task ${taken.taskId} submitted for item ${itemIndex}`);
	return taken;
}

async function purchase(
	run: Run,
	path: string,
	body: RequestBody,
	onRefusal: () => void,
): Promise<TakenTask> {
	const request = { method: 'POST', path, body: toJson(body), retry: 'purchase', giveUpAt: run.deadline } as const;
	try {
		return await run.client.send(request, submissionAnswer);
	} catch (error) {
		if (error instanceof ServiceFault && error.accepted === 'no') onRefusal();
		throw asError(error);
	}
}

async function explain(run: Run, fault: ServiceFault, itemIndex: number): Promise<NodeApiError> {
	const remaining = fault.kind === 'payment' ? await remainingBalance(run.client) : undefined;
	return toNodeApiError(run.context.getNode(), fault, {
		itemIndex,
		purchase: true,
		doing: remaining,
	});
}

/**
 * Submits every prepared item with at most "Concurrency" requests in flight, and gives back what became of each
 * item, in order. A task that this execution has already bought for the same item and request is taken up again.
 * After an answer that every other item would get too (401, 402, 403), no further one is sent.
 */
export async function submitItems(
	submission: Submission,
	prepared: ReadonlyArray<PreparedItem | Outcome>,
): Promise<Outcome[]> {
	const { run } = submission;
	const limit = pLimit(run.options.concurrency);
	let halted: ServiceFault | undefined;

	async function submit(item: PreparedItem): Promise<Outcome> {
		const { itemIndex } = item;
		if (halted) return { itemIndex, error: toNodeApiError(run.context.getNode(), halted, { itemIndex }) };
		try {
			const { taskId, record } = await buy(submission, item);
			const origin = { taskId, family: run.family, operation: run.operation };
			const read = record ? readAs(run, taskId, record) : { task: submittedTask(origin) };
			return { itemIndex, taskId, read };
		} catch (error) {
			if (!(error instanceof ServiceFault)) {
				return { itemIndex, error: asNodeError(run.context.getNode(), error, { itemIndex }) };
			}
			if (HALTING.has(error.kind)) halted = error;
			return { itemIndex, error: await explain(run, error, itemIndex) };
		}
	}

	return await Promise.all(
		prepared.map(async (item) => (isPrepared(item) ? await limit(async () => await submit(item)) : item)),
	);
}
