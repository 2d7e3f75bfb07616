import type { IExecuteFunctions, INodeExecutionData, INodeProperties } from 'n8n-workflow';

import type { AcceptedTask } from '../api/records';
import type { TaskFamily } from '../api/families';
import type { Operation } from '../n8n/describe';
import { type FailedItem, isFailed, runError, throwFirstError } from '../n8n/nodeErrors';
import {
	additionalBodyFieldsField,
	downloadFilesAfterWaitField,
	optionsField,
	optionsOfFailedItem,
	outputField,
	purchaseOptions,
	waitModeField,
} from '../n8n/options';
import { countCost, runHints } from '../output/cost';
import { isAccepted, outputItems, statusOf, type TaskOutcome } from '../output/items';
import { type RequestLinks, requestLinksOf } from '../output/resultFiles';
import { type CheckedItem, checkOnlyOutput, SpendingGuard } from '../purchase/spendingGuard';
import { PurchaseRecords } from '../purchase/purchaseRecords';
import { dropRecords, type PaidItem, type PaidOutcome, runPaidItems } from '../purchase/runPaidItems';
import { clock, sleep } from '../util/clock';
import { checkParents, type ParentRule } from './checkParent';
import { type CallbackAddress, callbackAddress, endsSoon, mayPause, pause, pauseProblem } from './pause';
import { pollTasks, refreshTasks } from './poll';
import { type PreparedItem, prepareItems, type TaskRequest, type TaskTarget, toSubmission } from './prepare';
import { acceptedTask, downloadResults, openTaskRun, type TaskRun, withRecord } from './taskRun';

/** An operation that buys a task: see CONTRIBUTING.md. */
export interface TaskOperation extends TaskRequest, Omit<Operation, 'execute' | 'fields'> {
	family: TaskFamily;
	/** Those of `fields` that the panel shows below the output, because few users need them. */
	advanced?: readonly INodeProperties[];
	/** The response is the completed task: there is nothing to wait for, and no file. */
	synchronous?: boolean;
	/** Rules that only another task's record can show. */
	parent?: ParentRule;
}

/** A body with the callback address. "Additional Body Fields" may give another one. */
const sentBody = ({ body }: TaskTarget, webhook: string | undefined) => (webhook === undefined ? body : { webhook, ...body });

function toCheckedItem({ itemIndex, target, notes, options }: PreparedItem, webhook: CallbackAddress): CheckedItem {
	const { path, file } = target;
	return { itemIndex, path, body: sentBody(target, webhook.url), file, notes: [...notes, ...webhook.notes], options };
}

/** What an item buys: its request is the purchase, and `links` are those that the request sent. */
function toPaidItem(
	run: TaskRun,
	operation: TaskOperation,
	records: PurchaseRecords,
	webhook: string | undefined,
	links: Map<number, RequestLinks>,
	{ itemIndex, target }: PreparedItem,
): PaidItem<AcceptedTask> {
	const { file } = target;
	const purchase = {
		itemIndex,
		operation: `${run.family}.${operation.value}`,
		path: target.path,
		body: file ? [target.body, file] : target.body,
	};
	return {
		itemIndex,
		purchase,
		prepare: async () => {
			const sent = { ...target, body: sentBody(target, webhook) };
			const submission = await toSubmission(run, records, sent);
			links.set(itemIndex, requestLinksOf('json' in submission ? submission.json : target.body));
			return async () => {
				const accepted = await run.client.tasks.submit(target.path, submission, run.deadline);
				// If n8n is killed before it saves the execution, this line is the only trace of the purchase.
				const late = run.signal?.aborted ? ' after the execution was canceled' : '';
				run.context.logger.info(`MediaGen: task ${accepted.taskId} submitted for item ${itemIndex}${late}`);
				return accepted;
			};
		},
		fromRecord: (state) => (state.state === 'accepted' ? { taskId: state.taskId } : undefined),
		record: (to, { taskId }) => to.markAccepted(purchase, taskId),
	};
}

function toOutcome(
	run: TaskRun,
	paid: PaidOutcome<AcceptedTask> | FailedItem,
	{ notes, options }: Pick<TaskOutcome, 'notes' | 'options'>,
	links: RequestLinks | undefined,
): TaskOutcome {
	const { itemIndex } = paid;
	if (isFailed(paid)) return { itemIndex, error: paid.error, notes, options };
	const { taskId, record } = paid.receipt;
	const outcome = { itemIndex, taskId, task: acceptedTask(run, taskId), notes, options };
	return record ? withRecord(run, outcome, record, links) : outcome;
}

/** A failed task was refunded: the next attempt buys it again. */
const isRefunded = ({ task }: TaskOutcome) => task?.status === 'failed';

const isUnsure = (outcome: TaskOutcome) => statusOf(outcome) === 'unknown';

function line(outcome: TaskOutcome): string {
	const why = outcome.error ? ` (${outcome.error.message})` : '';
	if (isUnsure(outcome)) return `Item ${outcome.itemIndex}: may have been bought${why}`;
	const task = outcome.taskId === undefined ? 'no task' : `task ${outcome.taskId}`;
	return `Item ${outcome.itemIndex}: ${task}, ${statusOf(outcome)}${why}`;
}

/** Names every task of the run and every item that may have been bought, so that what was paid for can be fetched. */
function taskList(outcomes: readonly TaskOutcome[]): string | undefined {
	if (!outcomes.some(isAccepted) && outcomes.filter(isUnsure).length < 2) return undefined;
	const lines = outcomes.map(line).join('\n');
	return `Tasks of this run, to be fetched with the resource Task, operation Get:\n${lines}`;
}

/** What the purchases of a run left. */
interface Bought {
	records: PurchaseRecords;
	guard: SpendingGuard;
}

/**
 * Downloads the files and returns the node's output, in the order of the input. Unless the node is set to continue, the first
 * failed item ends it with an error that names every task.
 */
export async function deliver(run: TaskRun, outcomes: readonly TaskOutcome[], bought?: Bought): Promise<INodeExecutionData[][]> {
	const { context, options } = run;
	countCost(context, outcomes, bought ? 'bought' : 'read');
	const delivered = await downloadResults(run, outcomes);
	const failed = delivered.find(isFailed);
	if (bought) dropRecords(context, bought.records, delivered, isRefunded);
	if (failed && !context.continueOnFail()) throw runError(context.getNode(), delivered, failed, taskList(delivered));
	context.addExecutionHints(...runHints(delivered, bought?.guard.lastRemaining));
	return [outputItems(context.getNode(), delivered, options)];
}

/** Buys a task per item, waits as "Wait for Result" says, and returns the output. */
async function execute(context: IExecuteFunctions, operation: TaskOperation): Promise<INodeExecutionData[][]> {
	const run = await openTaskRun(context, operation.family, operation.value);
	const { checkOnly } = run.options;
	const guard = new SpendingGuard(context, run.options, run.client);
	const read = await prepareItems(run, operation);
	if (!checkOnly) throwFirstError(context, read);
	const prepared = await checkParents(run, operation, read);
	if (!checkOnly) throwFirstError(context, prepared);
	const webhook = callbackAddress(run);
	if (checkOnly) {
		const checked = prepared.map((item) => (isFailed(item) ? item : toCheckedItem(item, webhook)));
		return [await checkOnlyOutput(run.client, guard, checked)];
	}

	const records = new PurchaseRecords(context);
	try {
		const links = new Map<number, RequestLinks>();
		const items = prepared.map((item) =>
			isFailed(item) ? item : toPaidItem(run, operation, records, webhook.url, links, item),
		);
		const { options, signal, deadline, client } = run;
		const { concurrency, whenUnsure } = options;
		const paid = await runPaidItems(
			{ context, client, records, guard, buys: 'task', concurrency, whenUnsure, deadline, signal },
			items,
		);
		const accepted = paid.map((each, at) => {
			const item = prepared[at];
			const { notes, options } =
				item && !isFailed(item) ? item : { notes: [], options: optionsOfFailedItem(context, each.itemIndex) };
			return toOutcome(run, each, { notes: [...notes, ...webhook.notes], options }, links.get(each.itemIndex));
		});
		return await waitAndDeliver(run, operation, { records, guard }, accepted, links, webhook.url ?? '');
	} finally {
		records.close();
	}
}

async function waitAndDeliver(
	run: TaskRun,
	operation: TaskOperation,
	bought: Bought,
	accepted: readonly TaskOutcome[],
	links: ReadonlyMap<number, RequestLinks>,
	resumeUrl: string,
): Promise<INodeExecutionData[][]> {
	const { waitMode } = run.options;
	const began = clock.now();
	if (waitMode === 'none' && !operation.synchronous) return await deliver(run, accepted, bought);
	// n8n refuses a callback to an execution that still runs, and the service does not repeat it: a task that has ended by now
	// must not be waited for.
	let current = operation.synchronous || waitMode === 'callback' ? await refreshTasks(run, accepted, links) : accepted;
	if (waitMode === 'callback') {
		while (endsSoon(current, began) && !run.signal?.aborted) {
			await sleep(1_000, run.signal);
			current = await refreshTasks(run, current, links);
		}
		if (mayPause(run.context, current)) {
			const problem = await pauseProblem(run, resumeUrl);
			if (problem === undefined) {
				dropRecords(run.context, bought.records, current, isRefunded);
				countCost(run.context, current, 'waiting');
				return await pause(run, current, resumeUrl);
			}
			current = current.map((outcome) => ({ ...outcome, notes: [...outcome.notes, problem] }));
		}
	}
	return await deliver(run, await pollTasks(run, current, links), bought);
}

/** Makes an operation of a task request: adds the purchase, the wait, the output and their fields. */
export function taskOperation(operation: TaskOperation): Operation {
	const { resource, name, value, action, description, fields, advanced = [], synchronous = false } = operation;
	const options = optionsField(purchaseOptions({ makesFiles: !synchronous }));
	const waitFields = synchronous ? [] : [waitModeField, outputField, downloadFilesAfterWaitField];
	return {
		resource,
		name,
		value,
		action,
		description,
		fields: [...fields.filter((field) => !advanced.includes(field)), ...waitFields, ...advanced, additionalBodyFieldsField, options],
		execute: async (context) => await execute(context, operation),
	};
}
