import { errorFromThrown, OtherTaskError } from '../api/errors';
import { FAMILIES } from '../api/families';
import { ATTEMPT_TIMEOUT_MS, withHardEnd } from '../api/http';
import { type AcceptedTask, otherTaskIn, SPECIFIED_FAILURE, type TaskRecord } from '../api/records';
import { asNodeError, itemError } from '../n8n/nodeErrors';
import { openFile } from '../output/download';
import { rejected } from '../output/items';
import type { ResultFile } from '../output/resultFiles';
import { isCover } from '../output/task';
import { clock, sleep } from '../util/clock';
import { UNKNOWN_FOR_MS } from './poll';
import type { PreparedItem } from './prepare';
import { acceptedItem, type BuyingRun, retrieveRecord, type TaskRun, withRecord } from './taskRun';

/** What a file's server answers if the file no longer exists. Any other answer does not say so. */
const GONE = new Set([404, 410]);

/** Reads the record; `undefined` if there is no such task. Unless the specification shows the path, a 404 may be about the path. */
async function recordOf(run: TaskRun, taskId: string): Promise<TaskRecord | undefined> {
	try {
		return await retrieveRecord(run, taskId, 'read', run.deadline);
	} catch (thrown) {
		const error = errorFromThrown(thrown);
		const isPathSure =
			run.options.taskQueryPath === undefined && !FAMILIES[run.family].isQueryPathGuessed;
		const { httpStatus, type } = error.details;
		if (isPathSure && httpStatus === 404 && type === 'not_found_error') return undefined;
		throw error;
	}
}

/** Whether a link leads to nothing. Only the head of the answer is read. */
async function isGone(run: TaskRun, { url, expiresAt }: ResultFile): Promise<boolean> {
	return await run.limit(async () => {
		const open = async (signal: AbortSignal) =>
			await openFile(run.context, url, run.client.connection, signal);
		try {
			const late = 'The link did not answer in time';
			(await withHardEnd(ATTEMPT_TIMEOUT_MS, late, run.signal, open)).body.destroy();
			return false;
		} catch (error) {
			const { httpStatus = 0 } = errorFromThrown(error).details;
			// A 403 says that a link has expired, or may not be used from here.
			const mayHaveExpired = expiresAt === null || Date.parse(expiresAt) <= clock.now();
			return GONE.has(httpStatus) || (httpStatus === 403 && mayHaveExpired);
		}
	});
}

type Found =
	| AcceptedTask
	| 'failed'
	| 'unknown to the service'
	| 'completed, and its files are gone'
	| 'over without a result';

async function retrieveState(run: TaskRun, taskId: string): Promise<Found> {
	const record = await recordOf(run, taskId);
	if (!record) return 'unknown to the service';
	const other = otherTaskIn(record.raw, taskId);
	if (other !== undefined) throw new OtherTaskError(other);
	const accepted = acceptedItem(run, { itemIndex: 0, notes: [], options: {} }, taskId);
	const { task } = withRecord(run, accepted, record);
	const { status, results } = task;
	if (status === 'failed')
		return SPECIFIED_FAILURE.test(record.status) ? 'failed' : 'over without a result';
	const existing = { taskId, record };
	if (status !== 'completed' || results.length === 0) return existing;
	const made = results.filter((file) => !isCover(task, file));
	// As for a download, one available file is enough.
	for (const file of made.length > 0 ? made : results)
		if (!(await isGone(run, file))) return existing;
	return 'completed, and its files are gone';
}

const WAY_OUT =
	'Set "Existing Task: When Files Are Gone" to "Buy Again", or remove the ID from "Existing Task". Nothing was sent to the service for this item.';

/** Finds the task that an item names; `undefined` if it was refunded, or may be bought again. Throws if it is lost, or no answer says whether. */
async function findTask(
	run: TaskRun,
	itemIndex: number,
	taskId: string,
): Promise<AcceptedTask | undefined> {
	const buysAgain = run.options.whenFilesAreGone === 'buyAgain';
	let found = await retrieveState(run, taskId);
	const isLost = typeof found === 'string' && found !== 'failed';
	if (isLost && buysAgain && !run.options.checkOnly) {
		// A part of the service may not know a task yet that was bought a moment ago, and a link may be refused once.
		await sleep(UNKNOWN_FOR_MS, run.signal);
		found = await retrieveState(run, taskId);
	}
	if (typeof found === 'object') return found;
	if (found === 'failed' || buysAgain) return undefined;
	const message = `"Existing Task": task ${taskId} is ${found}`;
	throw itemError(run.context.getNode(), message, itemIndex, WAY_OUT);
}

const UNCLEAR =
	'It is not known what became of the task in "Existing Task", so nothing was bought for this item.';

const STILL_UNSURE =
	'It is not known what became of the task in "Existing Task", so nothing was sent now for this item, which an earlier attempt may have bought.';

/** Finds the tasks that items name in "Existing Task", before anything is bought. */
export async function findExistingTasks(
	run: BuyingRun,
	items: readonly PreparedItem[],
): Promise<PreparedItem[]> {
	return await Promise.all(
		items.map(async (item) => {
			if (item.state !== 'ready' || item.existingTaskId === undefined) return item;
			const state = run.records.stateOf(item.purchase);
			if (state !== undefined && state !== 'pending') return item;
			const { itemIndex, existingTaskId } = item;
			try {
				const existing = await findTask(run, itemIndex, existingTaskId);
				if (!existing) return item;
				return { ...item, existing, options: { ...item.options, reused: true } };
			} catch (error) {
				// Its record says that it may have been bought.
				const isUnsure = state === 'pending';
				if (isUnsure && run.options.whenUnsure === 'doNotSend') return item;
				const context = { itemIndex, context: isUnsure ? STILL_UNSURE : UNCLEAR };
				const failed = rejected(item, asNodeError(run.context.getNode(), error, context));
				return isUnsure ? { ...failed, state: 'unsure' } : failed;
			}
		}),
	);
}
