import { createHash } from 'crypto';
import type { INodeExecutionData, IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import { createClient } from '../api/client';
import { getConnection } from '../api/connection';
import { type ApiError, asError, errorFromThrown, NotFoundError, UnreadableResponseError } from '../api/errors';
import type { TaskFamily } from '../api/families';
import { hasEnded, readTaskId, TASK_STATUSES } from '../api/records';
import { asMayHaveBeenBought, nameRecord } from '../n8n/nodeErrors';
import { readItemOptions, readRunOptions } from '../n8n/options';
import { countResumedCost } from '../output/cost';
import { isAccepted, NO_TASK_STATUSES, outputItems, type TaskOutcome, type AcceptedOutcome } from '../output/items';
import { clock, sleep } from '../util/clock';
import { isObject, toJson } from '../util/json';
import { KeyedLock } from '../util/keyedLock';
import { pLimit } from '../util/vendor/pLimit';
import { z } from '../util/vendor/zod';
import { failedTaskError, LateResults, retrieveError } from './poll';
import { acceptedTask, downloadResults, retrieveRecord, type TaskRun, withRecord } from './taskRun';

type CallbackRun = TaskRun<IWebhookFunctions>;

/** The service waits about ten seconds for an answer (spec, Events 5). */
const ANSWER_WITHIN_MS = 8_000;

/** A download goes on after the answer, up to this long. */
const DOWNLOAD_WITHIN_MS = 600_000;

const ownText = z.string().optional().catch(undefined);

const waitingItem = z.object({
	json: z
		.object({
			taskId: ownText,
			status: z.enum([...TASK_STATUSES, ...NO_TASK_STATUSES]).catch('submitted'),
			error: z.object({ message: z.string(), description: z.string().nullish() }).nullish().catch(null),
			notes: z.array(z.string()).catch([]),
			recordKey: ownText,
			leftOut: z.boolean().catch(false),
			input: z.unknown(),
			requestLinks: z
				.object({ fields: z.array(z.string()), urls: z.array(z.string()) })
				.transform(({ fields, urls }) => ({ fields: new Set(fields), urls: new Set(urls) }))
				.optional()
				.catch(undefined),
		})
		.passthrough(),
});

const waitingItems = z.array(waitingItem);

/** Reads the waiting items, which hold what the node wrote before it paused: one outcome for each. */
function readWaitingItems(run: CallbackRun): TaskOutcome[] {
	const items = waitingItems.parse(run.context.evaluateExpression('{{ $input.all() }}'));
	return items.map(({ json }, itemIndex) => {
		const { taskId, status, error, notes, recordKey, leftOut, input, requestLinks: request } = json;
		const own = run.options.includeInput && isObject(input) ? toJson(input) : undefined;
		const options = readItemOptions(json, own);
		if (taskId !== undefined && status !== 'not submitted' && status !== 'unknown') {
			return { itemIndex, taskId, task: { ...acceptedTask(run, taskId), status }, request, notes, options, recordKey };
		}
		const message = error?.message ?? 'This item was not submitted';
		const description = error?.description ?? undefined;
		const nodeError = new NodeOperationError(run.context.getNode(), message, { itemIndex, description });
		return { itemIndex, error: status === 'unknown' ? asMayHaveBeenBought(nodeError) : nodeError, notes, options, recordKey, leftOut };
	});
}

async function openCallbackRun(context: IWebhookFunctions, family: TaskFamily): Promise<CallbackRun> {
	const options = readRunOptions({
		getNode: () => context.getNode(),
		getParameter: (name): unknown => context.getNodeParameter(name, null),
	});
	return {
		context,
		family,
		operation: z.string().catch('').parse(context.getNodeParameter('operation', '')),
		options,
		client: createClient(context, await getConnection(context)),
		signal: undefined,
		deadline: clock.now() + DOWNLOAD_WITHIN_MS,
		limit: pLimit(options.concurrency),
	};
}

/** What this process knows of one waiting execution. After a restart, or in another process, the service is asked again. */
interface WaitingExecution {
	/** Tasks known to have ended, by id. */
	ended: Map<string, TaskOutcome>;
	/** The downloads under way. Repeated callbacks join them. */
	output?: Promise<INodeExecutionData[]>;
}

const waitingExecutions = new Map<string, WaitingExecution>();

/** Executions that resumed a moment ago: a callback that comes then starts nothing. */
const resumedExecutions = new Set<string>();

const MAX_EXECUTIONS = 5_000;

const lock = new KeyedLock();

function keepLatest(executions: { size: number; keys(): IterableIterator<string>; delete(key: string): boolean }): void {
	const [oldest] = executions.keys();
	if (executions.size > MAX_EXECUTIONS && oldest !== undefined) executions.delete(oldest);
}

/** A paused node can pause again in a loop, so the key has its tasks in it. */
function keyOf(executionId: string, outcomes: readonly TaskOutcome[]): string {
	const tasks = outcomes.map(({ taskId = '' }) => taskId).join('\n');
	return `${executionId}:${createHash('sha256').update(tasks).digest('base64url').slice(0, 16)}`;
}

/** Whether an error says for certain that the task cannot be read. A 404 counts with the service's own error envelope only. */
function isFinal(error: ApiError): boolean {
	return !error.transient && (!(error instanceof NotFoundError) || error.details.fromService === true);
}

const lateResults = new LateResults();

/** Asks for one task. Returns its end, or `undefined` while it runs. Throws an `ApiError` that may pass. */
async function retrieveEnd(run: CallbackRun, outcome: AcceptedOutcome): Promise<TaskOutcome | undefined> {
	try {
		const current = withRecord(run, outcome, await retrieveRecord(run, outcome.taskId, 'once'));
		if (!hasEnded(current.task.status)) return undefined;
		if (lateResults.mayCome(current)) throw new UnreadableResponseError(`the service shows no result of task ${outcome.taskId} yet`);
		return { ...current, error: failedTaskError(run, current) };
	} catch (thrown) {
		const error = errorFromThrown(thrown);
		if (!isFinal(error)) throw error;
		return { ...outcome, error: retrieveError(run, outcome, error) };
	}
}

/**
 * Asks for the tasks that are not known to have ended: the one that the callback names, then the others in order, up to the first
 * that still runs. So each callback costs about one request, and a duplicate none.
 */
async function allEnded(run: CallbackRun, outcomes: readonly TaskOutcome[], { ended }: WaitingExecution): Promise<boolean> {
	const open = outcomes.filter(isAccepted).filter(({ taskId }) => !ended.has(taskId));
	const claimed = readTaskId(run.context.getBodyData());
	if (open.length > 0 && claimed !== undefined && ended.has(claimed)) return false;
	const named = open.filter(({ taskId }) => taskId === claimed);
	for (const outcome of [...named, ...open.filter(({ taskId }) => taskId !== claimed)]) {
		const end = await retrieveEnd(run, outcome);
		if (!end) {
			run.context.logger.info(`MediaGen: callback received, task ${outcome.taskId} is still running`);
			return false;
		}
		ended.set(outcome.taskId, end);
	}
	return true;
}

async function makeOutput(run: CallbackRun, outcomes: readonly TaskOutcome[], { ended }: WaitingExecution): Promise<INodeExecutionData[]> {
	const final = outcomes.map((outcome) => {
		const end = outcome.taskId === undefined ? undefined : ended.get(outcome.taskId);
		return end ? { ...end, itemIndex: outcome.itemIndex, options: outcome.options, recordKey: outcome.recordKey } : outcome;
	});
	countResumedCost(run.context, outcomes, final);
	const delivered = await downloadResults(run, final);
	// A failed task was refunded: an item that comes back buys another one.
	for (const { error, task, recordKey } of delivered) if (error && task?.status !== 'failed') nameRecord(error, recordKey);
	const comesOut = delivered.filter(({ leftOut }) => !leftOut);
	return outputItems(run.context.getNode(), comesOut, run.options);
}

function answer(context: IWebhookFunctions, status: number, message: string): IWebhookResponseData {
	context.getResponseObject().status(status).json({ message });
	return { noWebhookResponse: true };
}

const CALL_AGAIN = 'Not ready yet: call again later';

/** Waits for `work` as long as the service waits for an answer. */
async function within(work: Promise<unknown>): Promise<boolean> {
	const stop = new AbortController();
	const late = sleep(ANSWER_WITHIN_MS, stop.signal).then(() => false);
	try {
		return await Promise.race([work.then(() => true), late]);
	} finally {
		stop.abort();
	}
}

/** The first callback that finds all tasks ended resumes the execution. `join` is for the callbacks after it. */
type Turn = { resume: Promise<INodeExecutionData[]> } | { join: Promise<INodeExecutionData[]> } | undefined;

async function takeTurn(run: CallbackRun, outcomes: readonly TaskOutcome[], key: string): Promise<Turn> {
	if (resumedExecutions.has(key)) return undefined;
	const execution = waitingExecutions.get(key) ?? { ended: new Map<string, TaskOutcome>() };
	// Inserting again keeps the map in the order of use.
	waitingExecutions.delete(key);
	waitingExecutions.set(key, execution);
	keepLatest(waitingExecutions);
	if (execution.output) return { join: execution.output };
	if (!(await allEnded(run, outcomes, execution))) return undefined;
	execution.output = makeOutput(run, outcomes, execution);
	return { resume: execution.output };
}

/**
 * Resumes with the output, once. Downloads that take longer than the service waits are answered 503 and go on. An early 200 would
 * lose the result if n8n were killed before it has the data.
 */
async function resumeWith(context: IWebhookFunctions, key: string, output: Promise<INodeExecutionData[]>): Promise<IWebhookResponseData> {
	try {
		const inTime = await within(output);
		if (!inTime) answer(context, 503, CALL_AGAIN);
		const items = await output;
		resumedExecutions.add(key);
		keepLatest(resumedExecutions);
		return { workflowData: [items], ...(inTime ? {} : { noWebhookResponse: true }) };
	} finally {
		waitingExecutions.delete(key);
	}
}

/**
 * Handles a callback for a paused execution: resumes it once all of its tasks have ended, and leaves it paused before. The body
 * only names the task to ask for first; the records are read from the service. Never throws: n8n would resume with the error.
 */
export async function resumeOnCallback(context: IWebhookFunctions, family: TaskFamily): Promise<IWebhookResponseData> {
	try {
		const run = await openCallbackRun(context, family);
		const outcomes = readWaitingItems(run);
		const key = keyOf(context.getExecutionId(), outcomes);
		const turn = await lock.run(key, async () => await takeTurn(run, outcomes, key));
		if (!turn) return {};
		if ('resume' in turn) return await resumeWith(context, key, turn.resume);
		return (await within(turn.join)) ? {} : answer(context, 503, CALL_AGAIN);
	} catch (error) {
		context.logger.warn(`MediaGen: a callback could not be verified: ${asError(error).message}`);
		return answer(context, 503, CALL_AGAIN);
	}
}
