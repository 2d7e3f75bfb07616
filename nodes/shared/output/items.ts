import type { IBinaryKeyData, IDataObject, INode, INodeExecutionData } from 'n8n-workflow';
import { NodeApiError } from 'n8n-workflow';

import { type FailedItem, isFailed } from '../n8n/failedItems';
import { errorItem, itemError, type NodeError } from '../n8n/nodeErrors';
import type { RunOptions } from '../n8n/options';
import { goesOn, isTool, type ItemOptions } from '../n8n/readOptions';
import { clock, sleep, within } from '../util/clock';
import { isObject, toJson } from '../util/json';
import { pLimit } from '../util/vendor/pLimit';
import type { Connection } from '../api/connection';
import { errorFromThrown } from '../api/errors';
import { hasEnded, knownStatus, otherTaskIn, SPECIFIED_FAILURE } from '../api/records';
import { downloadFile, type DownloadedFile, type Downloads } from './download';
import { FileNames, isData } from './fileNames';
import type { SentRequest, ResultFile } from './resultFiles';
import { type Task, wordsOf } from './task';

/** What an item has on its whole way through a node that buys. */
export interface BuyingItem {
	itemIndex: number;
	/** What the service or the node changed or left out for this item, in words. */
	notes: string[];
	options: ItemOptions;
	/** The item's purchase record, while the execution is paused. */
	recordKey?: string;
}

/**
 * An item without a result.
 * - `rejected`: nothing was bought, because the node or the service refused it
 * - `unsure`: it was sent, and no answer says whether it was bought
 * - `leftOut`: it is beyond "Max Tasks"; it does not come out, and does not fail the node
 */
export interface UnboughtItem extends BuyingItem, FailedItem {
	state: 'rejected' | 'unsure' | 'leftOut';
}

/** The downloaded files, in the order of the task's results; `undefined` for one whose link is dead. */
type Files = ReadonlyArray<DownloadedFile | undefined>;

export interface AcceptedItem extends BuyingItem {
	state: 'accepted';
	taskId: string;
	task: Task;
	/** What its request asked for, where it was sent by this node. */
	request?: SentRequest;
	/** Whether the service reports its end to another execution, or to none. */
	callsElsewhere?: boolean;
	/** The record as it came; absent while only the acknowledgement is known. */
	record?: Record<string, unknown>;
	error?: NodeError;
	files?: Files;
}

export type TaskItem = UnboughtItem | AcceptedItem;

export function rejected(
	{ itemIndex, options }: Pick<BuyingItem, 'itemIndex' | 'options'>,
	error: NodeError,
): UnboughtItem {
	return { itemIndex, state: 'rejected', error, notes: [], options };
}

export const isAccepted = (item: TaskItem): item is AcceptedItem => item.state === 'accepted';

/** Whether the service refunded the task, so that the next attempt buys it again. The failure of another task says nothing about it. */
export const isRefunded = (item: TaskItem) =>
	isAccepted(item) &&
	SPECIFIED_FAILURE.test(item.task.serviceStatus) &&
	otherTaskIn(item.record ?? {}, item.taskId) === undefined;

export const isLeftOut = (item: { itemIndex: number; state?: string }) => item.state === 'leftOut';

/** The first item whose error fails the node; `undefined` if the node is set to continue. */
export const fatalItem = <Item extends { itemIndex: number; state?: string }>(
	context: Parameters<typeof goesOn>[0],
	items: readonly Item[],
) => (goesOn(context) ? undefined : items.filter(isFailed).find((item) => !isLeftOut(item)));

/** The last known status; for an item without a task, whether one may have been bought. */
export function outcomeStatus(
	item: TaskItem,
): Task['status'] | 'not found' | 'not submitted' | 'unknown' {
	if (!isAccepted(item)) return item.state === 'unsure' ? 'unknown' : 'not submitted';
	const { record, error, task } = item;
	const isMissing = error instanceof NodeApiError && error.httpCode === '404';
	return record === undefined && isMissing ? 'not found' : task.status;
}

type OutputRules = Pick<RunOptions, 'simplify' | 'output' | 'binaryPropertyName'>;

/** Milliseconds after which a dead link is tried once more: the storage may be a moment behind the record. */
const BEHIND_MS = 3_000;

/** Few, as each file passes through this process; enough to use the whole rate. */
const PARALLEL_DOWNLOADS = 3;

interface DownloadRun extends Pick<Downloads, 'context' | 'deadline' | 'end' | 'signal'> {
	client: { connection: Connection };
	options: Pick<RunOptions, 'downloadFiles' | 'maxDownloadSize'>;
	/** Reads a task once more whose links have expired, such as while others were waited for. */
	readAgain?: (item: AcceptedItem) => Promise<AcceptedItem>;
}

/** Whether an item that was read again has the same files, in their order, whatever their links. */
function hasSameFiles({ taskId, task, record = {} }: AcceptedItem, before: Task): boolean {
	const places = new Map(before.results.map(({ url }, at) => [url, at]));
	return (
		otherTaskIn(record, taskId) === undefined &&
		task.status === before.status &&
		task.results.length === before.results.length &&
		task.results.every(({ url }, at) => (places.get(url) ?? at) === at)
	);
}

/** A link for a message, or for the model of an agent: one that holds the file itself is shortened. */
const shownLink = (url: string) => (isData(url) && url.length > 60 ? `${url.slice(0, 60)}…` : url);

/** Downloads the files of completed tasks, if the options say so. An item fails if no file comes; else its notes name each that did not. */
export async function downloadResults(
	{ context, client, options, deadline, end = Infinity, signal, readAgain }: DownloadRun,
	outcomes: readonly TaskItem[],
): Promise<TaskItem[]> {
	const { downloadFiles, maxDownloadSize } = options;
	if (!downloadFiles) return [...outcomes];
	const { connection } = client;
	const silentHosts = new Set<string>();
	const downloads = { context, connection, maxDownloadSize, deadline, end, silentHosts, signal };
	const limit = pLimit(PARALLEL_DOWNLOADS);
	const fileNames = new FileNames();
	const download = async (outcome: AcceptedItem, names: readonly string[]): Promise<TaskItem> => {
		const { taskId, task } = outcome;
		const attempt = async (file: ResultFile, at: number) => {
			const name = names[at] ?? taskId;
			try {
				return await limit(async () => await downloadFile(downloads, file, name));
			} catch (thrown) {
				const failure = errorFromThrown(thrown);
				const link = shownLink(file.url);
				const description = `The link of the file is ${link}. The task itself is completed: get it again with the resource Task, operation Get.`;
				const error = itemError(context.getNode(), failure.message, outcome.itemIndex, description);
				const note = `A file of task ${taskId} is missing: ${failure.message}. Its link is ${link}`;
				const isDead = failure.details.httpStatus !== undefined && !failure.transient;
				return { error, note, isDead };
			}
		};
		let item = outcome;
		let attempts = await Promise.all(task.results.map(attempt));
		if (attempts.some((each) => 'error' in each && each.isDead)) {
			await sleep(Math.min(BEHIND_MS, end - clock.now()), signal);
			const renewed = await within(end - clock.now(), Promise.resolve(readAgain?.(outcome)));
			if (renewed && hasSameFiles(renewed, task)) item = renewed;
			attempts = await Promise.all(
				item.task.results.map(async (file, at) => {
					const before = attempts[at];
					const isNew = file.url !== task.results[at]?.url;
					const isLost = before && 'error' in before && (before.isDead || isNew);
					return before && !isLost ? before : await attempt(file, at);
				}),
			);
		}
		const failed = attempts.filter((each) => 'error' in each);
		const [first] = failed;
		if (first && (signal?.aborted || failed.length === attempts.length))
			return { ...item, error: first.error };
		const files = attempts.map((each) => ('error' in each ? undefined : each));
		return { ...item, files, notes: [...item.notes, ...failed.map(({ note }) => note)] };
	};
	return await Promise.all(
		outcomes.map(async (outcome) => {
			if (!isAccepted(outcome) || outcome.error !== undefined) return outcome;
			// While a task runs, its record may show a preview.
			const status = knownStatus(outcome.task.serviceStatus);
			if (status !== undefined && !hasEnded(status)) return outcome;
			// Names are given in the order of the items, whichever download ends first.
			const names = fileNames.namesFor(outcome.task, outcome.options.fileName);
			return await download(outcome, names);
		}),
	);
}

export function besideTask(item: TaskItem): IDataObject {
	const { reference, referenceVerified, purchaseKey, reused, input } = item.options;
	// A task that had not ended at the time limit of a pause: an item that is led back to the node uses its record.
	const isOpen = isAccepted(item) && item.error === undefined && item.task.status === 'submitted';
	return toJson({
		reference,
		referenceVerified,
		purchaseKey,
		reused: reused || undefined,
		recordKey: isOpen ? item.recordKey : undefined,
		notes: item.notes.length > 0 ? item.notes : undefined,
		input,
	});
}

export function taskJson(outcome: AcceptedItem, simplify: boolean): IDataObject {
	const { taskId, task, record } = outcome;
	if (!simplify)
		return toJson({ record: record ?? null, taskId, status: task.status, ...besideTask(outcome) });
	const { taskId: _, family, operation, ...rest } = task;
	return toJson({ taskId, family, operation, ...besideTask(outcome), ...rest });
}

const markdownOf = ({ kind, url, name }: ResultFile) =>
	`${kind === 'image' ? '!' : ''}[${name ?? kind}](${shownLink(url)})`;

function toolJson({ taskId, task, record = {}, notes }: AcceptedItem): IDataObject {
	const { status, results, url, cost } = task;
	return toJson({
		...wordsOf(record, task),
		taskId,
		status,
		url: url === null ? null : shownLink(url),
		urls: results.map((file) => shownLink(file.url)),
		markdown: results.map(markdownOf).join('\n'),
		cost,
		// Not named `error`, which n8n would turn into a failed item: the model has read the task.
		...(task.error && { reason: task.error.message, code: task.error.code }),
		// What this node could not read.
		record: isObject(task.record) ? task.record : undefined,
		notes: notes.length > 0 ? notes : undefined,
	});
}

/** What the item of each file says of its task: the rest under `task`, so that nobody adds up one task's cost once per file. */
function besideFile(outcome: AcceptedItem, simplify: boolean): IDataObject {
	if (!simplify) return taskJson(outcome, false);
	const { taskId, family, operation, status, results: _results, url: _url, ...task } = outcome.task;
	return toJson({ taskId, family, operation, status, ...besideTask(outcome), task });
}

function fileJson(file: ResultFile, downloaded: DownloadedFile | undefined): IDataObject {
	const { url, index, kind, name, expiresAt, ...beside } = file;
	const { fileName = null, mimeType = null, fileSize = null } = downloaded ?? {};
	return toJson({ ...beside, url, index, kind, name, fileName, mimeType, fileSize, expiresAt });
}

/** The files of one item: `data`, `data_2`, `data_3` … in the order of the results, also where one is missing. */
function binaryOf(name: string, files: Files): { binary?: IBinaryKeyData } {
	const fields = files.flatMap((file, at) =>
		file ? [[at === 0 ? name : `${name}_${at + 1}`, file.binary] as const] : [],
	);
	return fields.length > 0 ? { binary: Object.fromEntries(fields) } : {};
}

function toItems(node: INode, outcome: AcceptedItem, rules: OutputRules): INodeExecutionData[] {
	const { task, files = [] } = outcome;
	const item = (json: IDataObject, attached: Files): INodeExecutionData => ({
		json,
		pairedItem: { item: outcome.itemIndex },
		...binaryOf(rules.binaryPropertyName, attached),
	});
	if (isTool(node)) return [item(toolJson(outcome), [])];
	// The files of a failed task are not what was bought.
	if (rules.output === 'tasks' || task.results.length === 0 || task.error)
		return [item(taskJson(outcome, rules.simplify), files)];
	// Made once: a task can have thousands of fields, and as many files.
	const beside = besideFile(outcome, rules.simplify);
	return task.results.map((file, at) =>
		item({ ...fileJson(file, files[at]), ...beside }, files.slice(at, at + 1)),
	);
}

/** The node's output, in the order of the input: one item per task or per file, and an error item for each failed one. */
export function outputItems(
	node: INode,
	outcomes: readonly TaskItem[],
	rules: OutputRules,
): INodeExecutionData[] {
	return outcomes.flatMap((outcome) => {
		const { itemIndex } = outcome;
		const status = outcomeStatus(outcome);
		if (!isAccepted(outcome))
			return [errorItem(node, outcome.error, itemIndex, { ...besideTask(outcome), status })];
		if (outcome.error === undefined) return toItems(node, outcome, rules);
		const json = taskJson(outcome, rules.simplify);
		if (status === 'not found' && rules.simplify) json.serviceStatus = null;
		return [errorItem(node, outcome.error, itemIndex, { ...json, status })];
	});
}
