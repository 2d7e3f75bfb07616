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

/** Milliseconds to the next request: the interval, or to the expected end if that is near. `seconds`, the estimate, count from before `began`. */
function untilNextPoll(seconds: number | undefined, began: number, intervalMs: number): number {
	if (seconds === undefined) return intervalMs;
	const expectedIn = began + seconds * 1_000 + ESTIMATE_MARGIN_MS - clock.now();
	return expectedIn > 0 && expectedIn < intervalMs * (1 + PUT_OFF) ? expectedIn : intervalMs;
}

/** Milliseconds for which a part of the service may not know a task. */
export const UNKNOWN_FOR_MS = 60_000;

/** Milliseconds for which a completed record without its result, or without a part of it, is read again. */
const FILLED_WITHIN_MS = 30_000;

/** Milliseconds since the end of a task after which its record is not behind. The clocks of service and n8n may differ by a part of that. */
const OLD_AFTER_MS = 60_000;

const filesIn = ({ task }: AcceptedItem): number =>
	task.status === 'completed' ? task.results.filter((file) => isMain(file, task.family)).length : 0;

/** What reads have shown of one task, and whether more may come. */
export class KnownTask<Item extends AcceptedItem = AcceptedItem> {
	/** Until when what a completed record lacks may come, in milliseconds since 1970: counted anew for a task that has run again. */
	private filledUntil?: number;

	/** The last read. `item` is the one with the most files. */
	private last?: Item;

	/** @param absentSince since when the service has not known the task, in milliseconds since 1970. Default: from a 404 on. */
	constructor(
		public item: Item,
		private absentSince?: number,
	) {}

	get hasFiles(): boolean {
		return filesIn(this.item) > 0;
	}

	/** What comes out if nothing more is read. */
	get result(): Item {
		const { item, last = item } = this;
		const { taskId, status, error } = last.task;
		if (status === 'completed' || !this.hasFiles) return item;
		const note = error
			? `The service calls task ${taskId} failed now: ${error.message}`
			: `The service calls task ${taskId} running again: use Task: Wait`;
		return { ...item, notes: [...item.notes, note] };
	}

	/** Puts in one more read: files that the completed task has shown stay, whatever it shows. Returns whether it shows an end. */
	add(read: Item): boolean {
		this.absentSince = undefined;
		if (filesIn(read) >= filesIn(this.item)) this.item = read;
		const ends = hasEnded(read.task.status);
		const age = clock.now() - (toMilliseconds(read.record?.completed) ?? Infinity);
		// The end of a task that has run since the first read is not long past, whatever its record says.
		if (!this.last && age > OLD_AFTER_MS) this.filledUntil = 0;
		if (this.last && ends !== hasEnded(this.last.task.status)) this.filledUntil = undefined;
		this.last = read;
		return ends;
	}

	/** Whether it is completed, and its result, or a part of it, may still come: the service may say so a moment before its record has it. */
	resultMayCome(): boolean {
		const { task, record = {} } = this.item;
		if (!isEmpty(record, task) && !isPartial(record, task)) return false;
		this.filledUntil ??= clock.now() + FILLED_WITHIN_MS;
		return clock.now() < this.filledUntil;
	}

	hasCome(): boolean {
		return hasEnded(this.item.task.status) && !this.resultMayCome();
	}

	/** Whether a read that failed may succeed later. A refusal without the service's own error comes from another server, such as a proxy. */
	mayPass(error: ApiError): boolean {
		const isOfService = error.details.fromService === true;
		const isRefusal = isKeyRefused(error);
		if (isRefusal && isOfService) return false;
		const isUnknown = error instanceof NotFoundError || error instanceof OtherTaskError;
		if (!isRefusal && !isUnknown) return error.transient;
		this.absentSince ??= clock.now();
		return (isUnknown && !isOfService) || clock.now() - this.absentSince < UNKNOWN_FOR_MS;
	}
}

/** Asks after a second, at every interval, and at the expected end, until the task ends. An error that may pass does not end the wait. */
async function pollTask(run: TaskRun, accepted: AcceptedItem): Promise<TaskItem> {
	const { deadline, signal } = run;
	const intervalMs = run.options.pollInterval * 1_000;
	const began = clock.now();
	const known = new KnownTask(accepted, began);
	let nextIn = Math.min(FIRST_POLL_MS, intervalMs);
	let isOver = known.hasCome();
	let last: ApiError | undefined;
	while (!isOver) {
		await sleep(Math.min(nextIn, deadline - clock.now()), signal);
		try {
			const record = await retrieveRecord(run, accepted.taskId, 'once');
			isOver = known.add(withRecord(run, known.item, record)) && known.hasCome();
			last = undefined;
			nextIn = untilNextPoll(record.estimatedSeconds, began, intervalMs);
		} catch (error) {
			last = errorFromThrown(error);
			const { item } = known;
			if (last instanceof CanceledError) return { ...item, error: canceledError(run, item) };
			if (known.hasFiles) isOver = known.hasCome();
			else if (!known.mayPass(last)) return { ...item, error: retrieveError(run, item, last) };
			nextIn = Math.max(intervalMs, Math.min(last.details.retryAfterMs ?? 0, READS_HELD_UP_MS));
		}
		isOver ||= clock.now() >= deadline;
	}
	const item = known.result;
	if (hasEnded(item.task.status)) return endedItem(run, item);
	return { ...item, error: timeoutError(run, item, last) };
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
