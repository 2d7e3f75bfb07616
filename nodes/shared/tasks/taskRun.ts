import type { IExecuteFunctions } from 'n8n-workflow';

import { type MediaGenClient, openClient } from '../api/client';
import { CanceledError, OtherTaskError } from '../api/errors';
import { FAMILIES, type TaskFamily, taskPath } from '../api/families';
import { DEFAULT_DEADLINE_MS, type ServiceContext } from '../api/http';
import { GRID_INDEX, MAKES_GRID } from '../api/grid';
import { knownStatus, namesTask, otherTaskIn, type TaskRecord } from '../api/records';
import { asNodeError } from '../n8n/nodeErrors';
import type { RunOptions } from '../n8n/options';
import { firstItemOf, readRunOptions } from '../n8n/readOptions';
import type { DownloadContext } from '../output/download';
import { type AcceptedItem, type BuyingItem, isAccepted, type TaskItem } from '../output/items';
import { kindsOf } from '../output/resultFiles';
import { isEmpty, isMain, isPartial, submittedTask, type Task, toTask } from '../output/task';
import type { PurchaseRecords } from '../purchase/purchaseRecords';
import type { SpendingGuard } from '../purchase/spendingGuard';
import { clock } from '../util/clock';
import { pLimit } from '../util/vendor/pLimit';
import { failureError } from './taskErrors';

export type TaskContext = ServiceContext & DownloadContext;

export interface TaskRun<Context extends TaskContext = IExecuteFunctions> {
	context: Context;
	family: TaskFamily;
	operation: string;
	options: RunOptions;
	client: MediaGenClient;
	signal: AbortSignal | undefined;
	/** Milliseconds since 1970 at which waiting stops. */
	deadline: number;
	/** Tasks that are read in one run: the record of one is not that of another. */
	taskIds?: ReadonlySet<string>;
	readAgain?: (item: AcceptedItem) => Promise<AcceptedItem>;
	/** Runs a job as soon as fewer than "Concurrency" others run. */
	limit: <Result>(job: () => Promise<Result>) => Promise<Result>;
}

type ReadingRun = TaskRun<TaskContext>;

export interface BuyingRun extends TaskRun {
	records: PurchaseRecords;
	guard: SpendingGuard;
}

/** Reads the options and the credential, once for all items. Throws n8n errors that name the field. */
export async function openTaskRun(
	context: IExecuteFunctions,
	family: TaskFamily,
	operation: string,
): Promise<TaskRun> {
	const options = readRunOptions(firstItemOf(context));
	const signal = context.getExecutionCancelSignal();
	const client = await openClient(context, signal);
	const deadline = clock.now() + options.timeout * 1_000;
	const limit = pLimit(options.concurrency);
	return { context, family, operation, options, client, signal, deadline, limit };
}

/** Milliseconds without data after which a caller that asks again by itself does so: a lost request must not delay a result. */
const IDLE_TIMEOUT_MS = 15_000;

/** Reads a task's record, within the run's limit. Throws an `ApiError`, also for that of another task that failed, or that is awaited here too. */
export async function retrieveRecord(
	run: ReadingRun,
	taskId: string,
	retry: 'once' | 'read',
	until = Infinity,
): Promise<TaskRecord> {
	return await run.limit(async () => {
		if (run.signal?.aborted) throw new CanceledError();
		// A caller that asks again by itself waits for a rate limit no longer than for the task.
		const once = { deadline: run.deadline, idleMs: IDLE_TIMEOUT_MS };
		const read = { deadline: Math.min(until, clock.now() + DEFAULT_DEADLINE_MS) };
		const rules = { retry, ...(retry === 'once' ? once : read) };
		const path = taskPath(run.options.taskQueryPath ?? FAMILIES[run.family].queryPath, taskId);
		const record = await run.client.tasks.retrieve(path, rules);
		const { id, raw, status } = record;
		const isOther = id !== undefined && id !== taskId && !namesTask(raw, taskId);
		if (isOther && knownStatus(status) === 'failed') throw new OtherTaskError(id);
		const other = otherTaskIn(raw, taskId);
		if (other !== undefined && run.taskIds?.has(other)) throw new OtherTaskError(other);
		return record;
	});
}

export function withTaskIds<Run extends ReadingRun>(run: Run, items: readonly TaskItem[]): Run {
	const taskIds = new Set(items.filter(isAccepted).map(({ taskId }) => taskId));
	const asking = { ...run, taskIds };
	return { ...asking, readAgain: async (item) => await readAgain(asking, item, 'read') };
}

/** The part of a run that records need. A callback may not show the family. */
type RecordRun = Pick<ReadingRun, 'context' | 'operation'> & {
	family: TaskFamily | null;
	client: Pick<MediaGenClient, 'connection'>;
};

/** An item whose task was just accepted, or that the user named. */
export function acceptedItem(
	{ family, operation }: Pick<RecordRun, 'family' | 'operation'>,
	{ itemIndex, notes, options }: BuyingItem,
	taskId: string,
): AcceptedItem {
	const task = submittedTask({ taskId, family, operation });
	return { itemIndex, state: 'accepted', taskId, task, notes, options };
}

/** Notes about what a record shows, which those about the next one replace. */
const OF_RECORD =
	/^(?:The service made \d+ of the \d+ pictures that were asked for$|The service calls task |The record also says: )/;

/** Says that there are fewer pictures than were asked for: the service bills what it made (spec §3b). A grid has four (spec §4). */
function fewerNote(
	{ family, operation }: RecordRun,
	{ request, options }: AcceptedItem,
	{ operation: made, status, results }: Task,
): string[] {
	if (options.reused || status !== 'completed') return [];
	// Only the operations of this package are known to mean pictures by `n`, and another execution may have asked for other ones.
	const counted = family === 'image' && operation !== 'submit' ? (request?.count ?? 0) : 0;
	const asked = MAKES_GRID.has(made) ? GRID_INDEX.max : counted;
	const pictures = results.filter(({ index }) => index !== null).length;
	return pictures > 0 && pictures < asked
		? [`The service made ${pictures} of the ${asked} pictures that were asked for`]
		: [];
}

/** Puts a record into an item. One that cannot be mapped comes out as it is, with a note: it must not take the other tasks down. */
export function withRecord(run: RecordRun, item: AcceptedItem, record: TaskRecord): AcceptedItem {
	const { taskId, request } = item;
	const { raw } = record;
	const { baseUrl, brandWords } = run.client.connection;
	const other = otherTaskIn(raw, taskId);
	const note = other && `${new OtherTaskError(other).message} in place of task ${taskId}`;
	const before = item.notes.filter((each) => each !== note && !OF_RECORD.test(each));
	try {
		const task = toTask(record, { ...run, taskId, request }, brandWords, baseUrl);
		const reason = task.status === 'completed' ? (record.failure?.message ?? '') : '';
		const fewer = fewerNote(run, item, task);
		const notes = [
			...before,
			...(note === undefined ? fewer : [note]),
			// A single word, such as "success", says nothing.
			...(/\S\s+\S/.test(reason) ? [`The record also says: ${reason}`] : []),
		];
		const isWhole = fewer.length > 0 || !isPartial(raw, task);
		if (!isEmpty(raw, task) && isWhole) return { ...item, task, record: raw, notes };
		const what = task.results.length > 0 ? kindsOf(run.family).join(' or ') : 'file';
		const lack = task.results.some((file) => isMain(file, run.family))
			? `The service calls task ${taskId} completed, but its record lacks some of its files. It is in the field "record".`
			: `The service calls task ${taskId} completed, but its record has no ${what} that this node can read. It is in the field "record".`;
		return { ...item, task: { ...task, record: raw }, record: raw, notes: [...notes, lack] };
	} catch (error) {
		const { message } = asNodeError(run.context.getNode(), error);
		const unread = `The record of task ${taskId} could not be read: ${message}. It is in the field "record".`;
		const status = knownStatus(record.status) ?? item.task.status;
		const task = { ...item.task, status, serviceStatus: record.status, record: raw };
		return { ...item, task, record: raw, notes: [...new Set([...item.notes, unread])] };
	}
}

/** Reads an item's record once more. Without an answer, the item stays as it is. */
export async function readAgain(run: ReadingRun, item: AcceptedItem, retry: 'once' | 'read') {
	const record = await retrieveRecord(run, item.taskId, retry).catch(() => undefined);
	return record ? withRecord(run, item, record) : item;
}

/** The item of a task that has ended, with an error if the service reports it as failed. */
export const endedItem = (run: ReadingRun, item: AcceptedItem): AcceptedItem => ({
	...item,
	error: item.task.error && failureError(run, item, item.task.error),
});
