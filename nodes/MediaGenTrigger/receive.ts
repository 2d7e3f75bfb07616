import { randomUUID } from 'crypto';
import type { IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';

import { asError } from '../shared/api/errors';
import { hasEnded } from '../shared/api/records';
import { readReference } from '../shared/api/signedAddress';
import { answer, readCallback } from '../shared/callbacks/callback';
import { KnownTask } from '../shared/tasks/poll';
import { toText } from '../shared/util/json';
import { BASE_ADDRESS, readSettings, type Settings } from './description';
import { payloadItem } from './output';
import { keyOf } from './processedTasks';
import { recentConnection } from './recentCredential';
import { Refusal } from './requestBounds';
import { type TriggerState, triggerState } from './triggerState';
import { checkSignature, isUsableId, type TaskReport, type TriggerCall, verify } from './verify';

/**
 * Handles a callback (spec, Events): parse, deduplicate, verify, start, answer. n8n starts the execution when this has returned.
 *
 * - A duplicate starts nothing and is answered 200. Of two at once, the second waits until the execution of the first runs.
 * - A forged callback only names a task: an execution starts for what the service itself says of it.
 * - A 2xx is final for the service, so it is sent only when the execution runs. After a kill before that, the service calls again, and
 *   the task starts again: twice rather than never, unless "Repeat When in Doubt" is off.
 */
export async function receive(context: IWebhookFunctions): Promise<IWebhookResponseData> {
	if (context.getWebhookName() === BASE_ADDRESS) {
		return answer(
			context,
			200,
			'This is the base address of a MediaGen Trigger. The service adds /callback to it.',
		);
	}
	const callback = await parse(context);
	if (!callback) return answer(context, 400, NO_ID);
	const trigger = triggerState(context);
	const failed = async (error: unknown) => await answerError(context, callback, asError(error));
	const work = async () => await handle(context, trigger, callback).catch(failed);
	return await trigger.lock.run(callback.taskId, work);
}

/** Returns what the execution begins with. Throws a `Refusal`, or the error that keeps the task from being verified now. */
async function handle(
	context: IWebhookFunctions,
	trigger: TriggerState,
	callback: TriggerCall,
): Promise<IWebhookResponseData> {
	const settings = readSettings((name): unknown => context.getNodeParameter(name, null));
	// "Listen for test event" treats every callback as new.
	const isTest = context.getMode() === 'manual';
	const isSigned = (await checkSignature(context, callback, settings)) === 'right';

	// Most duplicates repeat the end of a task: they are found without a request to the service.
	const endKey = keyOf(callback.taskId);
	if (!isTest) await refuseDuplicate(context, trigger, endKey, settings);
	const { bounds } = trigger;
	const check = async () => await verify(context, callback, settings, { bounds, isSigned });
	const current = await readTask(trigger, callback, settings, check);
	refuseUnwanted(callback, current, settings);
	const { taskId, task, record, verified } = current.report;
	const key = eventKey(current.report);
	// Also if the key is the same: during the verification, a call under another id of the task may have started it.
	if (!isTest) await refuseDuplicate(context, trigger, key, settings);

	const startId = randomUUID();
	// In queue mode another process runs the execution: it stores that the execution has started, and this one reads that.
	const storeForHours = trigger.runsExecutions ? undefined : settings.dedupeWindow;
	const { reference } = callback.address;
	const named = reference === undefined ? {} : { reference, referenceVerified: isSigned };
	const item = payloadItem({
		taskId,
		family: task.family,
		record: { raw: record, status: task.serviceStatus },
		verified,
		...named,
		key,
		startId,
		storeForHours,
	});
	if (isTest) return { workflowData: [[item]] };
	// The first step of the execution, in `execute`, confirms that it runs.
	void trigger.begin(context, key, settings).then((runs) => {
		if (runs) trigger.known.delete(callback.taskId);
		answer(context, runs ? 200 : 503, runs ? 'Received' : NOT_STARTED);
	});
	return { noWebhookResponse: true, workflowData: [[item]] };
}

const NO_ID =
	'The body must be JSON with the id of a task: at most 128 characters, without control characters, blanks at its ends, and / \\ ? # %';

const NOT_STARTED = 'The execution has not begun yet: call again later';

/** Reads the body and the query. Returns `undefined` for a body without a usable id. */
async function parse(context: IWebhookFunctions): Promise<TriggerCall | undefined> {
	const callback = await readCallback(context);
	const { taskId } = callback;
	if (taskId === undefined || !isUsableId(taskId)) return undefined;
	return { ...callback, taskId, address: readReference({ ...context.getQueryData() }) };
}

/** What is known of a task. */
interface Current {
	report: TaskReport;
	/** Whether it is completed, and its record may have the result, or the rest of it, a moment later. */
	isLate: boolean;
}

/** Reads a task. If completed tasks are wanted, what one has shown of its files stays, whatever a later read shows. */
async function readTask(
	{ known }: TriggerState,
	{ taskId }: TriggerCall,
	{ events }: Settings,
	verifyTask: () => Promise<TaskReport>,
): Promise<Current> {
	const before = events.includes('completed') ? known.get(taskId) : undefined;
	try {
		const read = await verifyTask();
		const task = before ?? new KnownTask(read);
		task.add(read);
		const isLate = read.verified && task.resultMayCome();
		if (isLate) known.set(taskId, task);
		return { report: task.item, isLate };
	} catch (error) {
		if (!before?.hasFiles || !before.hasCome()) throw asError(error);
		return { report: before.item, isLate: false };
	}
}

/** The key of what happened: a task ends once, and each status before the end is an event of its own. A `task_id` may be the parent's. */
function eventKey({ taskId, task, record }: TaskReport): string {
	const event = hasEnded(task.status) ? '' : `\n${task.serviceStatus.toLowerCase()}`;
	return keyOf((toText(record.id) ?? taskId) + event);
}

/** Waits for a start under way. Refuses an event whose execution has started; one in doubt only if the user wants no repetition. */
async function refuseDuplicate(
	context: IWebhookFunctions,
	trigger: TriggerState,
	key: string,
	settings: Settings,
): Promise<void> {
	const state = await trigger.stateOf(context, key, settings.dedupeWindow);
	if (state === 'starting') throw new Refusal(503, NOT_STARTED);
	if (state === 'started' || (state === 'inDoubt' && !settings.repeatInDoubt))
		throw new Refusal(200, 'it has been received before');
}

/** Refuses an end that the service does not confirm yet, and what "Trigger on Status" and "Only From" leave out. */
function refuseUnwanted(
	{ claimed, claimsEnd }: TriggerCall,
	{ report, isLate }: Current,
	{ events, families }: Settings,
): void {
	const { status, serviceStatus, family } = report.task;
	const event = status === 'completed' || status === 'failed' ? status : 'other';
	// The record may be a moment behind the callback. After a 2xx, the service would not call for the end again.
	const isBehind = claimsEnd && claimed?.status !== serviceStatus;
	if (event === 'other' && isBehind)
		throw new Refusal(503, 'the service says that the task is still running');
	if (!events.includes(event)) throw new Refusal(200, `the event is "${event}"`);
	if (isLate) throw new Refusal(503, 'the service shows no result of the task yet');
	if (families.length > 0 && family !== null && !families.includes(family))
		throw new Refusal(200, `the family is ${family}`);
}

/** Answers 503 if the next call may have another outcome, and logs why nothing starts. */
async function answerError(
	context: IWebhookFunctions,
	{ taskId }: TriggerCall,
	error: Error,
): Promise<IWebhookResponseData> {
	const connection = await recentConnection(context).catch(() => undefined);
	const callback = `MediaGen Trigger: callback for task ${connection?.redactText(taskId) ?? taskId}`;
	if (!(error instanceof Refusal)) {
		context.logger.warn(`${callback} cannot be verified: ${error.message}`);
		return answer(context, 503, 'Not verified yet: call again later');
	}
	const { status, message, hint } = error;
	const line = `${callback} ${status === 200 ? 'starts nothing' : 'is refused'}: ${message}`;
	if (hint === undefined) context.logger.info(line);
	else context.logger.warn(`${line}. ${hint}`);
	return answer(context, status, status === 200 ? `Received, and ignored: ${message}` : message);
}
