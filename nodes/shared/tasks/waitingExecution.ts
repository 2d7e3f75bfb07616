import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import type { Connection } from '../api/connection';
import { asError, errorFromThrown, isKeyRefused, UnreadableResponseError } from '../api/errors';
import { Memory } from '../util/memory';
import { type AcceptedItem, isAccepted, type TaskItem } from '../output/items';
import { isSigned } from '../api/signedAddress';
import { clock, HOUR_MS, within } from '../util/clock';
import { KnownTask } from './poll';
import { retrieveError } from './taskErrors';
import { endedItem, retrieveRecord, type TaskContext, type TaskRun, withRecord } from './taskRun';

/** What this process knows of one waiting execution. After a restart, or in another process, the service is asked again. */
export class WaitingExecution {
	readonly ended = new Map<string, TaskItem>();
	readonly known = new Map<string, KnownTask>();
	/** Tasks that the service called back about, and that no item names. In queue mode, those of the process that was called. */
	readonly others = new Set<string>();
	/** The task that ran when the tasks were last read; absent if one of them could not be read. */
	running?: string;
	/** Why a task could not be read at the end of the pause, by id. */
	readonly unread = new Map<string, string>();
	/** The downloads under way. Repeated callbacks join them. */
	output?: Promise<INodeExecutionData[]>;
	/** Aborted when the execution resumes, so that nobody who waits for that keeps its data in memory. */
	readonly resumed = new AbortController();
}

const MAX_EXECUTIONS = 5_000;

const waitingExecutions = new Memory<WaitingExecution>(MAX_EXECUTIONS);

/** Executions that have resumed: a callback that comes then starts nothing. */
const resumedExecutions = new Memory<true>(MAX_EXECUTIONS);

/** Tasks of pauses that have resumed: a late callback for one is none for a pause that follows. */
const resumedTasks = new Memory<true>(MAX_EXECUTIONS);

type PausingContext = Pick<IExecuteFunctions, 'getExecutionId' | 'getNode'>;

const keyOfNode = (context: PausingContext): string =>
	[context.getExecutionId(), context.getNode().name].join(':');

/** The key of a pause: a paused node can pause again in a loop, for the same tasks if their items are led back. */
export const keyOfPause = (context: PausingContext, pauseLimit: number): string =>
	[keyOfNode(context), pauseLimit].join(':');

export function waitingExecution(key: string): WaitingExecution {
	const execution = waitingExecutions.get(key) ?? new WaitingExecution();
	waitingExecutions.set(key, execution);
	return execution;
}

export const hasResumed = (key: string): boolean => resumedExecutions.get(key) === true;

export const isOfResumed = (taskId: string): boolean => resumedTasks.get(taskId) === true;

export function markResumed(key: string, outcomes: readonly TaskItem[] = []): void {
	for (const { taskId } of outcomes.filter(isAccepted)) resumedTasks.set(taskId, true);
	resumedExecutions.set(key, true);
	waitingExecutions.get(key)?.resumed.abort();
}

export function forgetWaiting(key: string): void {
	waitingExecutions.delete(key);
}

/**
 * n8n's own time limit comes this much later, in milliseconds: for executions whose pause no process watches. n8n then outputs the items as
 * they were written before the pause. Up to 70 seconds before, n8n sets a timer that nothing cancels: if the execution has already resumed
 * when it fires, 1.123 runs the next nodes a second time, and the next pause would end at once. There, one that has resumed but waits for
 * n8n's concurrency limit still counts as paused, and would run twice, too: it gets an hour.
 */
export const hostLimitAfterMs = (resumeUrl: string): number =>
	isSigned(resumeUrl) ? 180_000 : HOUR_MS;

/** A note of an open task while it waits. n8n's own time limit passes it on, and a Webhook that answers then; the node's output is without it. */
export const NOT_READ =
	'This is the task as it was when the node paused: it was not read again. Send the item to Task: Wait.';

/** Milliseconds after the limit for the files of what has ended. */
const FILES_WITHIN_MS = 50_000;

/** Milliseconds after the limit from which only n8n resumes the execution: before n8n sets that timer. */
export const givenUpAfterMs = (resumeUrl: string): number => hostLimitAfterMs(resumeUrl) - 80_000;

export type PausedRun<Context extends TaskContext = IExecuteFunctions> = TaskRun<Context> & {
	/** Its items, with what was known of their tasks before the pause. */
	outcomes: readonly TaskItem[];
	key: string;
	/** Milliseconds since 1970 at which it goes on with what there is. */
	pauseLimit: number;
	/** Whether its client is the one from before the pause: by now, the credential may have another key, or another address. */
	isKept?: boolean;
};

type ReadingPause = PausedRun<TaskContext>;

type Limited = Pick<PausedRun, 'pauseLimit'>;

/** Until when the output must be made, in milliseconds since 1970. */
export const outputEnd = ({ pauseLimit }: Limited): number => pauseLimit + FILES_WITHIN_MS;

export const isOverdue = ({ pauseLimit }: Limited): boolean => clock.now() >= pauseLimit;

/** The connections of pauses that this process watches, each with its limit. */
const connections = new Memory<Limited & { connection: Connection }>(MAX_EXECUTIONS);

/** Keeps the connection of a pause for its callbacks: for each credential that a webhook reads, n8n 2.41 makes an isolate. */
export function keepConnection({ context, client, pauseLimit }: PausedRun): void {
	connections.set(keyOfNode(context), { connection: client.connection, pauseLimit });
}

/** The connection with which the node paused. At the limit there is no second try, so the credential is read again. */
export function keptConnection(context: PausingContext): Connection | undefined {
	const kept = connections.get(keyOfNode(context));
	return kept && !isOverdue(kept) ? kept.connection : undefined;
}

/** @param pauseLimit of the pause that has ended, if the node may have paused again meanwhile */
export function forgetConnection(context: PausingContext, pauseLimit?: number): void {
	const key = keyOfNode(context);
	const isOther = pauseLimit !== undefined && connections.get(key)?.pauseLimit !== pauseLimit;
	if (!isOther) connections.delete(key);
}

/** Asks for one task, and notes its end. Returns whether it has ended. Throws an `ApiError` that may pass. */
async function noteEnd(
	run: ReadingPause,
	outcome: AcceptedItem,
	{ ended, known }: WaitingExecution,
): Promise<boolean> {
	const { taskId } = outcome;
	const task = known.get(taskId) ?? new KnownTask(outcome);
	known.set(taskId, task);
	try {
		const record = await retrieveRecord(run, taskId, 'once');
		if (!task.add(withRecord(run, outcome, record))) return false;
		if (!task.hasCome())
			throw new UnreadableResponseError(`the service shows no result of task ${taskId} yet`);
		ended.set(taskId, endedItem(run, task.result));
	} catch (thrown) {
		const error = errorFromThrown(thrown);
		if (task.hasFiles && task.hasCome()) {
			ended.set(taskId, endedItem(run, task.result));
			return true;
		}
		const mayPass = task.hasFiles || task.mayPass(error);
		// The next call, or the next check, reads the credential again.
		if (mayPass || run.isKept || (isKeyRefused(error) && !isOverdue(run))) throw error;
		ended.set(taskId, { ...outcome, error: retrieveError(run, outcome, error) });
	}
	return true;
}

const openTasks = ({ outcomes }: ReadingPause, { ended }: WaitingExecution): AcceptedItem[] =>
	outcomes.filter(isAccepted).filter(({ taskId, error }) => !error && !ended.has(taskId));

/** Returns a task that still runs, asking for `first` before the others, and for more and more at once: mostly, that is one request per call. */
export async function findRunning(
	run: ReadingPause,
	execution: WaitingExecution,
	first?: string,
): Promise<AcceptedItem | undefined> {
	const isFirst = ({ taskId }: AcceptedItem) => Number(taskId === first);
	execution.running = undefined;
	const queue = openTasks(run, execution).sort((one, other) => isFirst(other) - isFirst(one));
	for (let done = 0; done < queue.length;) {
		const asked = queue.slice(done, done + Math.max(1, done - 1));
		done += asked.length;
		const ends = await Promise.all(asked.map(async (item) => await noteEnd(run, item, execution)));
		const running = asked[ends.indexOf(false)];
		execution.running = running?.taskId;
		if (running) return running;
	}
	return undefined;
}

/** Milliseconds of {@link FILES_WITHIN_MS} for a last read of the tasks. */
const READ_WITHIN_MS = 25_000;

/** Asks for all tasks that are not known to have ended. One that cannot be read, or not in time, stays open. */
export async function readAll(run: ReadingPause, execution: WaitingExecution): Promise<void> {
	const { unread } = execution;
	const reads = openTasks(run, execution).map(async (item) => {
		unread.set(item.taskId, 'the service did not answer in time');
		try {
			await noteEnd(run, item, execution);
			unread.delete(item.taskId);
		} catch (error) {
			unread.set(item.taskId, asError(error).message);
		}
	});
	await within(READ_WITHIN_MS, Promise.all(reads));
}
