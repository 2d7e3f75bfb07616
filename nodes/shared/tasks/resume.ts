import type {
	INode,
	INodeExecutionData,
	IWebhookFunctions,
	IWebhookResponseData,
} from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import { createClient, type MediaGenClient, openClient } from '../api/client';
import {
	type ApiError,
	asError,
	errorFromThrown,
	NotFoundError,
	OtherTaskError,
} from '../api/errors';
import type { TaskFamily } from '../api/families';
import { namesTask, TASK_STATUSES } from '../api/records';
import { checkSecret } from '../api/signedAddress';
import { answer, DOWNLOAD_WITHIN_MS, inTimeToAnswer, readCallback } from '../callbacks/callback';
import { hasErrorOutput, type NodeError, serviceError } from '../n8n/nodeErrors';
import { readItemOptions, readRunOptions } from '../n8n/readOptions';
import {
	downloadResults,
	isAccepted,
	isLeftOut,
	isRefunded,
	outputItems,
	type TaskItem,
} from '../output/items';
import { countResumedCost } from '../report/customData';
import { withSummary } from '../report/hints';
import { clock } from '../util/clock';
import { isObject, toJson } from '../util/json';
import { KeyedLock } from '../util/keyedLock';
import { pLimit } from '../util/vendor/pLimit';
import { z } from '../util/vendor/zod';
import { acceptedItem, endedItem, retrieveRecord, withTaskIds } from './taskRun';
import { executionState } from './watchPause';
import {
	findRunning,
	forgetConnection,
	forgetWaiting,
	givenUpAfterMs,
	hasResumed,
	isOfResumed,
	isOverdue,
	keptConnection,
	keyOfPause,
	markResumed,
	NOT_READ,
	outputEnd,
	type PausedRun,
	readAll,
	waitingExecution,
	type WaitingExecution,
} from './waitingExecution';

/** A run whose input is the waiting items, as the node wrote them before it paused. */
type CallbackRun = PausedRun<IWebhookFunctions> & { waiting: z.infer<typeof waitingItems> };

type Call = Pick<CallbackRun, 'context' | 'family' | 'client' | 'isKept'>;

const ownText = z.string().optional().catch(undefined);
const ownNumber = z.number().nullable().catch(null);

/** With the binary mode "combined", n8n gives an expression the JSON in place of the item. */
const waitingItem = z.union([
	z.object({ json: z.record(z.unknown()) }),
	z
		.record(z.unknown())
		.refine((json) => 'status' in json)
		.transform((json) => ({ json })),
]);

const waitingItems = z.array(waitingItem);

/** What the node wrote before it paused, perhaps in an earlier version. */
const waitingJson = z.object({
	taskId: ownText,
	status: z.enum(TASK_STATUSES).catch('submitted'),
	serviceStatus: z.string().catch(''),
	progress: ownNumber,
	cost: ownNumber,
	creditsCost: ownNumber,
	error: z
		.object({
			message: z.string(),
			description: ownText,
			code: ownText,
			type: ownText,
			httpStatus: z.number().optional().catch(undefined),
			response: ownText,
		})
		.catch({ message: 'This item was not submitted' }),
	notes: z
		.array(z.string())
		.catch([])
		.transform((notes) => notes.filter((note) => note !== NOT_READ)),
	recordKey: ownText,
	purchaseKey: ownText,
	reused: z.boolean().optional().catch(undefined),
	leftOut: z.boolean().catch(false),
	requestLinks: z
		.object({
			fields: z.array(z.string()),
			urls: z.array(z.string()),
			count: z.number().optional().catch(undefined),
			namesTask: z.boolean().optional().catch(undefined),
		})
		.transform((sent) => ({ ...sent, fields: new Set(sent.fields), urls: new Set(sent.urls) }))
		.optional()
		.catch(undefined),
	// In the first item only.
	evaluatedOptions: z.record(z.unknown()).catch({}),
	pauseLimit: z.number().optional().catch(undefined),
});

const failureAsWritten = ({ error, ...task }: z.infer<typeof waitingJson>) => ({
	serviceStatus: task.serviceStatus,
	progress: task.progress,
	cost: task.cost,
	creditsCost: task.creditsCost,
	error: {
		message: error.message,
		code: error.code ?? null,
		type: error.type ?? null,
		httpStatus: null,
	},
});

function errorAsWritten(
	node: INode,
	{ message, description, code, type, httpStatus, response }: z.infer<typeof waitingJson>['error'],
	itemIndex: number,
): NodeError {
	const error =
		httpStatus === undefined
			? new NodeOperationError(node, message, { itemIndex, description })
			: serviceError(node, message, { description, itemIndex, httpCode: String(httpStatus) });
	Object.assign(error.context, { code, type, response });
	return error;
}

const addressOf = (context: IWebhookFunctions, name: 'resumeUrl' | 'resumeFormUrl'): string =>
	z.string().parse(context.evaluateExpression(`{{ $execution.${name} }}`, 0));

const onlyHostResumes = (run: CallbackRun) =>
	isOverdue(run) &&
	clock.now() >= run.pauseLimit + givenUpAfterMs(addressOf(run.context, 'resumeUrl'));

const rowIn = ({ input }: Record<string, unknown> = {}) =>
	isObject(input) ? toJson(input) : undefined;

/** Reads what the node wrote before it paused: one outcome for each waiting item. */
function readWaitingItems(run: Omit<CallbackRun, 'outcomes'>): TaskItem[] {
	return run.waiting.map(({ json }, itemIndex) => {
		const read = waitingJson.parse(json);
		const { taskId, status, error, notes, recordKey, purchaseKey, reused } = read;
		const row = run.options.includeInput ? rowIn(json) : undefined;
		const options = { ...readItemOptions(json, row), purchaseKey, reused };
		const item = { itemIndex, notes, options, recordKey };
		if (taskId !== undefined) {
			const accepted = acceptedItem(run, item, taskId);
			const failure = status === 'failed' ? failureAsWritten(read) : {};
			const task = { ...accepted.task, status, ...failure };
			return endedItem(run, { ...accepted, task, request: read.requestLinks, recordKey });
		}
		return {
			...item,
			state: read.leftOut ? 'leftOut' : json.status === 'unknown' ? 'unsure' : 'rejected',
			error: errorAsWritten(run.context.getNode(), error, itemIndex),
		};
	});
}

/** `undefined` if the items were not written by a pause. */
function openCallbackRun(call: Call): CallbackRun | undefined {
	const { context } = call;
	const items = waitingItems.parse(context.evaluateExpression('{{ $input.all() }}'));
	// n8n gave the node the first item only.
	const waiting = context.getNode().executeOnce === true ? items.slice(0, 1) : items;
	const { evaluatedOptions: evaluated, pauseLimit } = waitingJson.parse(waiting[0]?.json ?? {});
	if (pauseLimit === undefined) return undefined;
	const options = readRunOptions({
		getNode: () => context.getNode(),
		getParameter: (name): unknown =>
			name in evaluated ? evaluated[name] : context.getNodeParameter(name, null),
	});
	const run = {
		...call,
		operation: z.string().catch('').parse(context.getNodeParameter('operation', '')),
		options,
		signal: undefined,
		deadline: clock.now() + DOWNLOAD_WITHIN_MS,
		limit: pLimit(options.concurrency),
		waiting,
		key: keyOfPause(context, pauseLimit),
		pauseLimit,
	};
	const outcomes = readWaitingItems(run);
	return withTaskIds({ ...run, outcomes }, outcomes);
}

const lock = new KeyedLock();

/** Names the tasks that the service called back about to the items that are in doubt: one of them may be theirs. */
function withOthers(item: TaskItem, { others }: WaitingExecution): TaskItem {
	if (item.state !== 'unsure' || others.size === 0) return item;
	const ids = [...others].join(', ');
	const note = `This execution was called back for ${ids}, which no item names: it may be what was bought for this one. Get it with the resource Task, operation Get.`;
	return { ...item, notes: [...item.notes, note] };
}

/** What is known of each task. At the time limit, one that has not ended, and has shown no file, comes out as it was written before the pause. */
function finalOutcomes(run: CallbackRun, execution: WaitingExecution): TaskItem[] {
	return run.outcomes.map((outcome, at) => {
		if (!isAccepted(outcome)) return withOthers(outcome, execution);
		const { itemIndex, taskId, options, recordKey } = outcome;
		const known = execution.known.get(taskId);
		const end = execution.ended.get(taskId) ?? (known?.hasFiles ? known.result : undefined);
		if (end) return { ...end, itemIndex, options, recordKey };
		if (outcome.error) return outcome;
		const input = rowIn(run.waiting[at]?.json);
		const asWritten = { ...outcome, options: { ...outcome.options, input } };
		const reason = execution.unread.get(taskId);
		if (reason === undefined) return asWritten;
		const note = `At the end of the pause, this task could not be read: ${reason}`;
		return { ...asWritten, notes: [...asWritten.notes, note] };
	});
}

async function makeOutput(
	run: CallbackRun,
	execution: WaitingExecution,
): Promise<INodeExecutionData[]> {
	const final = finalOutcomes(run, execution);
	countResumedCost(run.context, run.outcomes, final);
	const read = final.map(asRead);
	const end = outputEnd(run);
	const delivered =
		clock.now() < end || !run.options.downloadFiles
			? await downloadResults({ ...run, end }, read)
			: read.map(withoutFiles);
	// A failed task was refunded: an item that comes back buys another one.
	for (const item of delivered)
		if (item.error && !isRefunded(item)) item.error.context.recordKey = item.recordKey;
	const comesOut = delivered.filter((item) => !isLeftOut(item));
	return outputOf(run, comesOut);
}

/** Results of a task that was completed before the pause are read again. If that failed, the item counts as submitted, to be taken up. */
const asRead = (item: TaskItem): TaskItem =>
	isAccepted(item) && item.task.status === 'completed' && item.record === undefined && !item.error
		? { ...item, task: { ...item.task, status: 'submitted' } }
		: item;

const NO_TIME =
	'The pause was over, so no file was downloaded. Get the task with the resource Task, operation Get.';

const withoutFiles = (item: TaskItem): TaskItem =>
	isAccepted(item) && !item.error && item.task.results.length > 0
		? { ...item, notes: [...item.notes, NO_TIME] }
		: item;

const PAIRED_BY_POSITION =
	'n8n pairs the items of a resumed execution by their position: after this node, $("…").item gives another row. Use "Reference" or "Include Input".';

/** The output, with a note where an item does not stand at the position of its row. */
function outputOf(run: CallbackRun, items: readonly TaskItem[]): INodeExecutionData[] {
	const node = run.context.getNode();
	const made = outputItems(node, withSummary(items), run.options);
	if (made.every((item, at) => rowOf(item) === at)) return made;
	const noted = outputItems(node, withSummary(items, PAIRED_BY_POSITION), run.options);
	return hasErrorOutput(node) ? withErrorsInPlace(noted, items) : noted;
}

const rowOf = ({ pairedItem }: INodeExecutionData): number | undefined =>
	typeof pairedItem === 'object' && 'item' in pairedItem ? pairedItem.item : undefined;

/** Puts each failed item at the position of its row: from another, n8n would pair it with that row, or lose all items where there is none. */
function withErrorsInPlace(
	made: readonly INodeExecutionData[],
	items: readonly TaskItem[],
): INodeExecutionData[] {
	const failedRows = new Set(items.filter(({ error }) => error).map(({ itemIndex }) => itemIndex));
	const isError = (item: INodeExecutionData) => failedRows.has(rowOf(item) ?? -1);
	const errors = new Map(made.filter(isError).map((item) => [rowOf(item), item]));
	const others = made.filter((item) => !isError(item)).values();
	return [
		...made.flatMap((_, at) => errors.get(at) ?? others.next().value ?? []),
		...[...errors.values()].filter((item) => (rowOf(item) ?? 0) >= made.length),
	];
}

const CALL_AGAIN = 'Not ready yet: call again later';

/** Answers a call that does not know the secret of the address. `undefined` if it does. */
function refuseStranger(
	context: IWebhookFunctions,
	{ connection }: MediaGenClient,
): IWebhookResponseData | undefined {
	const query: Record<string, unknown> = { ...context.getQueryData() };
	const secret = checkSecret(
		connection,
		addressOf(context, 'resumeUrl'),
		context.getExecutionId(),
		query,
		() => waitingItem.parse(context.evaluateExpression('{{ $input.first() }}')).json.secretDigest,
	);
	if (secret === 'right') return undefined;
	if (secret === 'missing') return answer(context, 401, 'The secret of the address is missing');
	context.logger.warn('MediaGen: a callback with a wrong secret was refused.');
	return answer(context, 503, CALL_AGAIN);
}

/**
 * The id of the own task that a callback is for, or the claimed one if the service does not know it; `undefined` if it is for another pause:
 * after a kill, n8n 1.123 goes on from the last pause that it stored, and would buy again.
 */
async function taskCalledFor(run: CallbackRun, claimed: string): Promise<string | undefined> {
	const own = run.outcomes.filter(isAccepted).map(({ taskId }) => taskId);
	if (own.includes(claimed)) return claimed;
	try {
		const { id, raw } = await retrieveRecord(run, claimed, 'once');
		// A record may have an id of its own beside `task_id`, which may also be that of the task's parent.
		const named = own.find((taskId) => namesTask(raw, taskId));
		if (named !== undefined && (await retrieveRecord(run, named, 'once')).id === id) return named;
		run.context.logger.info(
			`MediaGen: callback received for task ${claimed}, which this pause does not wait for`,
		);
		return undefined;
	} catch (error) {
		const refused = errorFromThrown(error);
		if (refused instanceof OtherTaskError && own.includes(refused.taskId)) return refused.taskId;
		// An id that the service does not know says nothing.
		if (refused.transient) throw refused;
		return claimed;
	}
}

/** `resume`: the first callback that finds all tasks ended. `join`: one after it. `running`: a task that keeps the execution waiting, and whether the call was for it. */
type Found =
	| { resume: Promise<INodeExecutionData[]> }
	| { join: Promise<INodeExecutionData[]> }
	| { running: string; isCalledFor: boolean }
	| undefined;

async function firstToFindAllEnded(run: CallbackRun, claimed: string | undefined): Promise<Found> {
	if (hasResumed(run.key)) return undefined;
	const execution = waitingExecution(run.key);
	if (execution.output) return { join: execution.output };
	if (onlyHostResumes(run)) return undefined;
	const calledFor = claimed === undefined ? undefined : await taskCalledFor(run, claimed);
	if (claimed !== undefined && calledFor === undefined) {
		if (!isOfResumed(claimed)) execution.others.add(claimed);
		return undefined;
	}
	if (isOverdue(run)) {
		await readAll(run, execution);
	} else {
		const isKnown = calledFor !== undefined && execution.ended.has(calledFor);
		// Its own callback will come. After a read that failed, all are read again.
		if (isKnown && execution.running !== undefined) return undefined;
		const running = await findRunning(run, execution, calledFor);
		if (running) return { running: running.taskId, isCalledFor: running.taskId === calledFor };
	}
	execution.output = makeOutput(run, execution);
	return { resume: execution.output };
}

/** Resumes with the output, once. Longer downloads are answered 503 and go on: after an early 200, a kill would lose the result. */
async function resumeWith(
	run: CallbackRun,
	output: Promise<INodeExecutionData[]>,
): Promise<IWebhookResponseData> {
	const { context, key } = run;
	try {
		const inTime = await inTimeToAnswer(output);
		const answered = inTime ? {} : answer(context, 503, CALL_AGAIN);
		const items = await output;
		// n8n 1.123 would continue an execution that was stopped meanwhile.
		if (!inTime && (await executionState(context, addressOf(context, 'resumeFormUrl'))) === 'over')
			return answered;
		markResumed(key, run.outcomes);
		// n8n has resumed the execution meanwhile, and 1.123 would run the next nodes a second time.
		return onlyHostResumes(run) ? answered : { workflowData: [items], ...answered };
	} finally {
		forgetWaiting(key);
	}
}

/** Resumes the execution once all of its tasks have ended. The body only names the task to read first. Throws an `ApiError` that may pass. */
async function resumeWithClient(call: Call): Promise<IWebhookResponseData> {
	const { context, client } = call;
	// Before the waiting rows are read: anybody who guesses the execution's number can call.
	const refusal = refuseStranger(context, client);
	if (refusal) return refusal;
	const run = openCallbackRun(call);
	// n8n stores the output of a resume in place of the waiting items. A busy 1.123 may show the execution as waiting at its next pause
	// before it has stored that: resumed from there, it would buy again what it has bought since.
	if (!run) return answer(context, 503, CALL_AGAIN);
	const { taskId, claimsEnd, isEmpty, pause } = await readCallback(context);
	if (pause !== undefined && hasResumed(pause))
		return answer(context, 409, 'This pause has finished');
	// With the API key masked, as in the waiting items.
	const claimed = taskId && client.connection.redactText(taskId);
	const found = await lock.run(run.key, async () => await firstToFindAllEnded(run, claimed));
	if (!found) return {};
	if ('running' in found) {
		const { running, isCalledFor } = found;
		context.logger.info(`MediaGen: callback received, task ${running} is still running`);
		// The record may be a moment behind the callback. After a 2xx, neither the service nor the node itself would call for the end again.
		const isBehind = isEmpty || (claimsEnd && isCalledFor);
		return isBehind ? answer(context, 503, CALL_AGAIN) : {};
	}
	if ('resume' in found) return await resumeWith(run, found.resume);
	return (await inTimeToAnswer(found.join)) ? {} : answer(context, 503, CALL_AGAIN);
}

/** Whether a later request with the same connection would fail too. A task that is unknown may be known a moment later. */
const isLasting = (error: ApiError) => !error.transient && !(error instanceof NotFoundError);

/** Handles a callback. Never throws: n8n would resume with the error. */
async function resumeOnCallback(
	context: IWebhookFunctions,
	family: TaskFamily,
): Promise<IWebhookResponseData> {
	const kept = keptConnection(context);
	try {
		const client = kept ? createClient(context, kept) : await openClient(context);
		return await resumeWithClient({ context, family, client, isKept: kept !== undefined });
	} catch (error) {
		// The credential may have another key, or another address, by now.
		forgetConnection(context);
		if (kept && isLasting(errorFromThrown(error))) return await resumeOnCallback(context, family);
		context.logger.warn(`MediaGen: a callback could not be verified: ${asError(error).message}`);
		return answer(context, 503, CALL_AGAIN);
	}
}

export const webhookOf = (family: TaskFamily) =>
	async function webhook(this: IWebhookFunctions): Promise<IWebhookResponseData> {
		return await resumeOnCallback(this, family);
	};
