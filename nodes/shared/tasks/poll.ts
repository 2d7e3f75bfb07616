import {
	type ApiError,
	CanceledError,
	errorFromThrown,
	isKeyRefused,
	NotFoundError,
	OtherTaskError,
} from '../api/errors';
import { READS_HELD_UP_MS } from '../api/http';
import { hasEnded, toMilliseconds } from '../api/records';
import { type AcceptedItem, isAccepted, type TaskItem } from '../output/items';
import { isEmpty, isMain, isPartial } from '../output/task';
import { clock, sleep } from '../util/clock';
import { canceledError, retrieveError, timeoutError } from './taskErrors';
import { endedItem, readAgain, retrieveRecord, type TaskRun, withRecord } from './taskRun';

const FIRST_POLL_MS = 1_000;

/** The service gives whole seconds: a request right at the expected end would often come a moment too early. */
const ESTIMATE_MARGIN_MS = 250;

/** A request is delayed by at most this part of the interval to meet the expected end, instead of asking twice. */
const PUT_OFF = 0.25;

/** Milliseconds to the next request: the interval, or to the expected end if that is near. The estimate counts from before `began`. */
function untilNextPoll(
	estimatedSeconds: number | undefined,
	began: number,
	intervalMs: number,
): number {
	if (estimatedSeconds === undefined) return intervalMs;
	const expectedIn = began + estimatedSeconds * 1_000 + ESTIMATE_MARGIN_MS - clock.now();
	return expectedIn > 0 && expectedIn < intervalMs * (1 + PUT_OFF) ? expectedIn : intervalMs;
}

/** Milliseconds for which a part of the service may not know a task. */
export const UNKNOWN_FOR_MS = 60_000;

/** How long the service has not known a task. */
export class Absence {
	/** @param since milliseconds since 1970. Default: it begins with a 404. */
	constructor(private since?: number) {}

	/** Whether a later request may succeed. A refusal without the service's own error comes from another server, such as a proxy. */
	mayPass(error: ApiError): boolean {
		const isOfService = error.details.fromService === true;
		const isRefusal = isKeyRefused(error);
		if (isRefusal && isOfService) return false;
		const isUnknown = error instanceof NotFoundError || error instanceof OtherTaskError;
		if (!isRefusal && !isUnknown) return error.transient;
		this.since ??= clock.now();
		return (isUnknown && !isOfService) || clock.now() - this.since < UNKNOWN_FOR_MS;
	}
}

/** Milliseconds for which a completed record without its result, or without a part of it, is read again. */
const FILLED_WITHIN_MS = 30_000;

/** Milliseconds since the end of a task after which its record is not behind. The clocks of service and n8n may differ by a part of that. */
const OLD_AFTER_MS = 60_000;

const MAX_TASKS = 5_000;

/** Since when tasks are completed and lack a result, by id, in milliseconds since 1970. */
const emptySince = new Map<string, number>();

/** Whether the task is completed, and its result, or a part of it, may still come: the service may say so a moment before its record has it. */
export function resultMayCome({ taskId, task, record = {} }: AcceptedItem): boolean {
	const isOld = clock.now() - (toMilliseconds(record.completed) ?? Infinity) > OLD_AFTER_MS;
	if (isOld || !(isEmpty(record, task) || isPartial(record, task))) {
		emptySince.delete(taskId);
		return false;
	}
	const since = emptySince.get(taskId) ?? clock.now();
	emptySince.set(taskId, since);
	const [oldest = ''] = emptySince.keys();
	if (emptySince.size > MAX_TASKS) emptySince.delete(oldest);
	return clock.now() - since < FILLED_WITHIN_MS;
}

/** Whether the task has ended, and its result has come. To be checked whenever a record is read: a status may go back. */
export const hasCome = (outcome: AcceptedItem): boolean =>
	!resultMayCome(outcome) && hasEnded(outcome.task.status);

/** How many files a completed task has shown. */
export const filesIn = ({ task }: AcceptedItem): number =>
	task.status === 'completed' ? task.results.filter((file) => isMain(file, task.family)).length : 0;

/** What is known of a task after one more read. What shows less, or failed, takes no file away that the completed task has shown. */
export const withFilesKept = (before: AcceptedItem, read: AcceptedItem): AcceptedItem =>
	filesIn(read) >= filesIn(before) ? read : before;

/** Asks after a second, at every interval, and at the expected end, until the task ends. An error that may pass does not end the wait. */
async function pollTask(run: TaskRun, accepted: AcceptedItem): Promise<TaskItem> {
	const { deadline, signal } = run;
	const intervalMs = run.options.pollInterval * 1_000;
	const began = clock.now();
	let absence = new Absence(began);
	let nextIn = Math.min(FIRST_POLL_MS, intervalMs);
	let outcome = accepted;
	let isOver = hasCome(outcome);
	let last: ApiError | undefined;
	while (!isOver) {
		await sleep(Math.min(nextIn, deadline - clock.now()), signal);
		if (signal?.aborted) return { ...outcome, error: canceledError(run, outcome) };
		try {
			const record = await retrieveRecord(run, outcome.taskId, 'once');
			const read = withRecord(run, outcome, record);
			outcome = withFilesKept(outcome, read);
			// What has come is kept, but a task that runs again is waited for.
			isOver = hasCome(hasEnded(read.task.status) ? outcome : read);
			absence = new Absence();
			last = undefined;
			nextIn = untilNextPoll(record.estimatedSeconds, began, intervalMs);
		} catch (error) {
			last = errorFromThrown(error);
			if (last instanceof CanceledError) return { ...outcome, error: canceledError(run, outcome) };
			if (filesIn(outcome) > 0) isOver = hasCome(outcome);
			else if (!absence.mayPass(last))
				return { ...outcome, error: retrieveError(run, outcome, last) };
			nextIn = Math.max(intervalMs, Math.min(last.details.retryAfterMs ?? 0, READS_HELD_UP_MS));
		}
		isOver ||= clock.now() >= deadline;
	}
	if (hasEnded(outcome.task.status)) return endedItem(run, outcome);
	return { ...outcome, error: timeoutError(run, outcome, last) };
}

/** Waits for all tasks together: as long as the slowest of them takes, not their sum. */
export async function pollTasks(run: TaskRun, items: readonly TaskItem[]): Promise<TaskItem[]> {
	return await Promise.all(
		items.map(async (item) =>
			isAccepted(item) && item.error === undefined ? await pollTask(run, item) : item,
		),
	);
}

export const isOpen = (item: TaskItem): item is AcceptedItem =>
	isAccepted(item) && item.error === undefined && !hasEnded(item.task.status);

/** Asks once for every task that has not ended. A transient error changes nothing. */
export async function refreshTasks(run: TaskRun, items: readonly TaskItem[]): Promise<TaskItem[]> {
	return await Promise.all(
		items.map(async (item) => (isOpen(item) ? await readAgain(run, item, 'once') : item)),
	);
}
