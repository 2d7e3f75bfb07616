import type { IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';

import type { TaskFamily } from '../shared/api/families';
import { ApiError, asError } from '../shared/api/errors';
import type { TaskRecord } from '../shared/api/records';
import { hasEnded, knownStatus } from '../shared/api/status';
import { createClient, type MediaGenClient } from '../shared/api/client';
import { clock } from '../shared/util/clock';
import { handoverItem } from './handover';
import { claimedRecord, familyOf, taskIdOf } from './hint';
import { keyOf } from './seenTasks';
import { recentConnection } from './recentCredential';
import { readSettings, type Settings } from './settings';
import { readSeen, writeSeen } from './store';
import { executionsRunHere, type TriggerMemory, triggerMemory } from './triggerMemory';
import { findRecord } from './verify';

const NOT_CERTAIN = 'The execution has not begun yet: call again later';

/** Answers the service by ourselves; nothing starts. */
function answer(context: IWebhookFunctions, status: number, message: string): IWebhookResponseData {
	context.getResponseObject().status(status).json({ message });
	return { noWebhookResponse: true };
}

function ignore(context: IWebhookFunctions, taskId: string, reason: string): IWebhookResponseData {
	context.logger.info(`MediaGen Trigger: callback for task ${taskId} starts nothing: ${reason}`);
	return answer(context, 200, `Received, and ignored: ${reason}`);
}

/** What the record says of the task, or why no execution is to start. */
type Verdict = { record: TaskRecord; family: TaskFamily | undefined } | { status: number; reason: string };

async function judge(
	context: IWebhookFunctions,
	client: MediaGenClient | undefined,
	taskId: string,
	settings: Settings,
): Promise<Verdict> {
	const claimed = claimedRecord(context.getBodyData());
	const claimedFamily = claimed && familyOf(claimed);
	const found = client && (await findRecord(client, taskId, claimedFamily));
	if (client && !found) return { status: 200, reason: 'the service does not know the task' };
	const record = found?.record ?? claimed;
	if (!record) return { status: 400, reason: 'the callback does not say the state of the task' };

	const family = familyOf(record) ?? (found?.path === 'music' ? 'music' : claimedFamily);
	const status = (knownStatus(record.status) ?? 'running');
	const event = status === 'completed' || status === 'failed' ? status : 'other';
	if (event === 'other' && claimed && hasEnded((knownStatus(claimed.status) ?? 'running')) && !settings.events.includes('other')) {
		// The record may lag behind the callback by a moment: the service shall try again rather than lose the task.
		return { status: 503, reason: 'the service says that the task is still running' };
	}
	if (!settings.events.includes(event)) return { status: 200, reason: `the event is "${event}"` };
	if (settings.families.length > 0 && !settings.families.some((wanted) => wanted === family)) {
		return { status: 200, reason: `the family is ${family ?? 'not known'}` };
	}
	return { record, family };
}

/**
 * Whether an execution has been started for this task before. An `open` one was about to start when its process ended:
 * then nobody knows, and running it again is better than losing what was paid for.
 */
function wasStarted(memory: TriggerMemory, key: string, settings: Settings): boolean {
	const state = memory.seen.stateOf(key, memory.windowHours, clock.now());
	return state === 'started' || (state === 'open' && !settings.repeatInDoubt);
}

async function start(
	context: IWebhookFunctions,
	memory: TriggerMemory,
	taskId: string,
	settings: Settings,
): Promise<IWebhookResponseData> {
	const credential = settings.verify ? await recentConnection(context) : undefined;
	const client = credential && createClient(context, credential);
	const verdict = await judge(context, client, taskId, settings);
	if ('reason' in verdict) {
		if (verdict.status === 200) return ignore(context, taskId, verdict.reason);
		context.logger.info(`MediaGen Trigger: callback for task ${taskId} is not taken: ${verdict.reason}`);
		return answer(context, verdict.status, verdict.reason);
	}
	const { record, family } = verdict;
	const items = [
		handoverItem({ taskId, family: family ?? null, record: record.raw, verified: client !== undefined, storeStart: !executionsRunHere() }),
	];
	if (context.getMode() === 'manual') return { workflowData: [items] };

	const key = keyOf(taskId);
	memory.seen.note(key, 'open', clock.now());
	// With "Repeat When in Doubt" it is all the same whether a start is stored as about to happen or not at all.
	if (!settings.repeatInDoubt || memory.isDueToStore('call')) writeSeen(context, memory);
	answerWhenStarted(context, memory, key);
	return { noWebhookResponse: true, workflowData: [items] };
}

/**
 * Answers the service only when the execution runs. n8n itself would answer before it has written the execution: were
 * it killed in between, the task would be lost, for the service does not repeat what was answered 2xx.
 */
function answerWhenStarted(context: IWebhookFunctions, memory: TriggerMemory, key: string): void {
	void memory.starting(key).then((certain) => {
		if (certain) answer(context, 200, 'Received');
		else answer(context, 503, NOT_CERTAIN);
	});
}

async function handleTask(
	context: IWebhookFunctions,
	memory: TriggerMemory,
	taskId: string,
): Promise<IWebhookResponseData> {
	const settings = readSettings({
		events: context.getNodeParameter('events', undefined),
		verify: context.getNodeParameter('verify', undefined),
		options: context.getNodeParameter('options', {}),
	});
	const key = keyOf(taskId);
	if (context.getMode() !== 'manual') {
		memory.windowHours = settings.dedupeWindow;
		readSeen(context, memory);
		const settled = await memory.settled(key);
		// Other processes that serve the trigger have only what is stored to go by.
		if (memory.seen.isUnstored && !executionsRunHere()) writeSeen(context, memory);
		if (!settled || memory.seen.isUnderWayElsewhere(key, clock.now())) return answer(context, 503, NOT_CERTAIN);
		if (wasStarted(memory, key, settings)) return ignore(context, taskId, 'it has been received before');
	}
	try {
		return await start(context, memory, taskId, settings);
	} catch (error) {
		const { message: reason } = asError(error);
		context.logger.warn(`MediaGen Trigger: callback for task ${taskId} cannot be verified: ${reason}`);
		// Whatever it is, the service shall try again: a purchase hangs on it.
		return answer(context, error instanceof ApiError ? 503 : 500, 'Not verified yet: call again later');
	}
}

/** Takes one callback of the service (spec, Events): starts one execution per task, and none on a mere claim. */
export async function handleCallback(context: IWebhookFunctions): Promise<IWebhookResponseData> {
	const taskId = taskIdOf(context.getBodyData());
	if (taskId === undefined) return answer(context, 400, 'The body must be JSON and name the task as "id"');
	const memory = triggerMemory(context.getWorkflow().id ?? '', context.getNode().id);
	return await memory.inTurn(keyOf(taskId), async () => await handleTask(context, memory, taskId));
}

/** Answers whoever opens the base address in a browser. */
export function explainBaseAddress(context: IWebhookFunctions): IWebhookResponseData {
	return answer(context, 200, 'This is the base address of a MediaGen Trigger. The service adds /callback to it.');
}
