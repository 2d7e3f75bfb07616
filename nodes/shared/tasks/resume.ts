import type { IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import type { TaskFamily } from '../api/family';
import { asError, ServiceFault } from '../api/faults';
import { readTaskRecord } from '../api/records';
import { hasEnded, TASK_STATUSES, toTaskStatus } from '../api/status';
import { readRunOptions } from '../n8n/options';
import { submittedTask } from '../output/task';
import { createClient } from '../api/client';
import { clock } from '../util/clock';
import { toNodeApiError } from '../n8n/nodeErrors';
import { isPassing } from '../api/retry';
import { pLimit } from '../util/vendor/pLimit';
import { z } from '../util/vendor/zod';
import { failureError } from './poll';
import { downloadAll, outputItems } from './deliver';
import { isTaken, type Outcome, type TakenOutcome } from './outcome';
import { type ResumeMemory, resumeMemory } from './resumeMemory';
import { lookAt, readAs, type Run } from './run';

type CallbackRun = Run<IWebhookFunctions>;

/** The service waits about ten seconds for an answer (spec, Events 5). */
const ANSWER_WITHIN_MS = 8_000;

const parkedItem = z.object({
	json: z
		.object({
			taskId: z.string().optional(),
			status: z.enum([...TASK_STATUSES, 'not submitted']).catch('submitted'),
			error: z.object({ message: z.string(), description: z.string().nullish() }).nullish().catch(null),
		})
		.passthrough(),
});

const parkedItems = z.array(parkedItem);

/** Reads the items as they were when the node parked: one outcome for each of them. */
function readParked(context: IWebhookFunctions, family: TaskFamily, operation: string): Outcome[] {
	const items = parkedItems.parse(context.evaluateExpression('{{ $input.all() }}'));
	return items.map(({ json: { taskId, status, error } }, itemIndex) => {
		if (taskId !== undefined && status !== 'not submitted') {
			return { itemIndex, taskId, read: { task: submittedTask({ taskId, family, operation }) } };
		}
		const message = error?.message ?? 'This item was not submitted';
		return {
			itemIndex,
			error: new NodeOperationError(context.getNode(), message, {
				itemIndex,
				description: error?.description ?? undefined,
			}),
		};
	});
}

async function openCallbackRun(
	context: IWebhookFunctions,
	family: TaskFamily,
	operation: string,
): Promise<CallbackRun> {
	const options = readRunOptions(context.getNode(), context.getNodeParameter('options', {}));
	return {
		context,
		family,
		operation,
		options,
		client: await createClient(context),
		signal: undefined,
		deadline: clock.now() + ANSWER_WITHIN_MS,
		limit: pLimit(options.concurrency),
	};
}

/** Looks at one task: its end, or `undefined` while it runs. Throws a `ServiceFault` that may pass. */
async function endOf(run: CallbackRun, outcome: TakenOutcome): Promise<Outcome | undefined> {
	const answer = await lookAt(run, outcome.taskId)();
	if (answer instanceof ServiceFault) {
		if (isPassing(answer)) throw answer;
		const { itemIndex } = outcome;
		return { ...outcome, error: toNodeApiError(run.context.getNode(), answer, { itemIndex }) };
	}
	if (!hasEnded(toTaskStatus(answer.status))) return undefined;
	const ended = { ...outcome, read: readAs(run, outcome.taskId, answer) };
	return { ...ended, error: failureError(run, ended) };
}

/** The task that the callback claims to be about: a hint where to look first, and nothing more. */
function claimedTask(context: IWebhookFunctions): string | undefined {
	const record = readTaskRecord(context.getBodyData());
	return record?.id ?? record?.task_id;
}

/**
 * Asks the service for the tasks not yet known to have ended: the one that the callback names, then the others in order,
 * up to the first that still runs. Each callback so costs about one look beyond the one that brings news, and a duplicate
 * none at all.
 */
async function allEnded(run: CallbackRun, parked: readonly Outcome[], memory: ResumeMemory): Promise<boolean> {
	const claimed = claimedTask(run.context);
	const open = parked.filter(isTaken).filter(({ taskId }) => !memory.ended.has(taskId));
	if (open.length > 0 && claimed !== undefined && memory.ended.has(claimed)) return false;
	const named = open.filter(({ taskId }) => taskId === claimed);
	for (const outcome of [...named, ...open.filter(({ taskId }) => taskId !== claimed)]) {
		const end = await endOf(run, outcome);
		if (!end) {
			run.context.logger.info(`MediaGen: callback received, task ${outcome.taskId} still runs`);
			return false;
		}
		memory.ended.set(outcome.taskId, end);
	}
	return true;
}

async function resumeOnce(
	run: CallbackRun,
	parked: readonly Outcome[],
	memory: ResumeMemory,
): Promise<IWebhookResponseData> {
	if (memory.resumed || !(await allEnded(run, parked, memory))) return {};
	const outcomes = parked.map((outcome) => {
		const end = isTaken(outcome) ? memory.ended.get(outcome.taskId) : undefined;
		return end ? { ...end, itemIndex: outcome.itemIndex } : outcome;
	});
	const items = outputItems(run, await downloadAll(run, outcomes));
	memory.resumed = true;
	return { workflowData: [items] };
}

/** Tells the service to call again later. A thrown error would make n8n resume with an empty item. */
function askToCallAgain(context: IWebhookFunctions, error: unknown): IWebhookResponseData {
	const { message } = asError(error);
	context.logger.warn(`MediaGen: a callback could not be verified: ${message}`);
	context.getResponseObject().status(503).json({ message: 'Not verified yet: call again later' });
	return { noWebhookResponse: true };
}

/**
 * Handles a callback for a parked execution: resumes it once all of its tasks have ended, and leaves it parked
 * before. Of the callback's body only the task's id is read, as a hint where to look first: what has become of the tasks is
 * asked at the service.
 */
export async function resumeOnCallback(
	context: IWebhookFunctions,
	family: TaskFamily,
): Promise<IWebhookResponseData> {
	try {
		const operation = z.string().catch('').parse(context.getNodeParameter('operation', ''));
		const executionId = z.coerce.string().parse(context.evaluateExpression('{{ $execution.id }}'));
		const parked = readParked(context, family, operation);
		const memory = resumeMemory(executionId, parked.filter(isTaken).map(({ taskId }) => taskId));
		const run = await openCallbackRun(context, family, operation);
		return await memory.inTurn(async () => await resumeOnce(run, parked, memory));
	} catch (error) {
		return askToCallAgain(context, error);
	}
}
