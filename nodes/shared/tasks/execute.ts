import type { IExecuteFunctions, INodeExecutionData, INodeProperties } from 'n8n-workflow';

import { NotFoundError } from '../api/errors';
import type { TaskFamily } from '../api/families';
import type { AcceptedTask } from '../api/records';
import type { Operation } from '../n8n/describe';
import { runError, throwFirstError } from '../n8n/failedItems';
import { optionsField, purchaseOptions, waitFields } from '../n8n/options';
import { NO_ENDPOINT } from '../n8n/nodeErrors';
import { isTool } from '../n8n/readOptions';
import {
	type AcceptedItem,
	downloadResults,
	fatalItem,
	isLeftOut,
	isRefunded,
	outputItems,
	type TaskItem,
} from '../output/items';
import { checkOnlyOutput } from '../purchase/checkOnly';
import { withWhatIsLeft } from '../purchase/earlierPurchases';
import { PurchaseRecords } from '../purchase/purchaseRecords';
import { dropRecords, runPaidItems } from '../purchase/runPaidItems';
import { SpendingGuard } from '../purchase/spendingGuard';
import { countCost, countLeftOut } from '../report/customData';
import { hint, runHints } from '../report/hints';
import { clock } from '../util/clock';
import { checkParents, type ParentRule } from './checkParent';
import { findExistingTasks } from './existingTask';
import { pauseUnlessEnded } from './pause';
import { pollTasks, refreshTasks } from './poll';
import {
	prepareItems,
	type PreparedItem,
	type ReadyTask,
	requestOf,
	type TaskRequest,
	toSubmission,
	withKnownLinks,
} from './prepare';
import { taskList } from './taskList';
import {
	acceptedItem,
	type BuyingRun,
	openTaskRun,
	type TaskRun,
	withRecord,
	withTaskIds,
} from './taskRun';

export interface BuyingOperation extends TaskRequest, Omit<Operation, 'execute' | 'fields'> {
	family: TaskFamily;
	/** The response is the completed task: there is nothing to wait for, and no file. */
	synchronous?: boolean;
	parent?: ParentRule;
	/** What a 404 means, and what to do about it, if it may mean something other than a missing task. */
	notFound?: { words: string; hint: string };
}

/** Milliseconds for which a run that does not poll buys after the last accepted task, such as under a rate limit. A pause begins after them. */
const ACCEPTED_WITHIN_MS = 600_000;

/** A task with what its request asked for, and whether the service reports its end to another execution, or to none. */
type BoughtTask = AcceptedTask & Pick<AcceptedItem, 'request' | 'callsElsewhere'>;

/** Buys a task for each item that is ready. Also returns when the last one was accepted, in milliseconds since 1970. */
async function buyTasks(
	run: BuyingRun,
	operation: BuyingOperation,
	items: readonly PreparedItem[],
): Promise<{ accepted: TaskItem[]; lastAccepted: number }> {
	const { client, context, options } = run;
	let lastAccepted = clock.now();
	// Without the time that uploads took.
	let idleSince = lastAccepted;
	const timeoutAt = options.waitMode === 'none' ? Infinity : run.deadline;
	const idleAt = () => (options.waitMode === 'poll' ? Infinity : idleSince + ACCEPTED_WITHIN_MS);
	const deadline = {
		at: () => Math.min(timeoutAt, idleAt()),
		message: () =>
			idleAt() < timeoutAt
				? 'The service accepted no task for ten minutes, so this one was not sent'
				: 'The timeout passed before the task was bought',
	};
	const execution = options.waitMode === 'callback' ? context.getExecutionId() : undefined;
	const namesTask = operation.fields.some(({ name }) => name === 'taskId');
	const notFound = operation.notFound ?? (namesTask ? undefined : NO_ENDPOINT);
	const paid = await runPaidItems(
		{
			...run,
			buys: 'task',
			deadline,
			prepare: async (item: ReadyTask) => {
				const began = clock.now();
				const submission = await toSubmission(run, item, deadline.at);
				idleSince = Math.min(clock.now(), idleSince + clock.now() - began);
				const request = requestOf(item, submission.fields);
				return async (): Promise<BoughtTask> => {
					const words = notFound?.words;
					const { path } = item.target;
					const accepted = await client.tasks.submit(path, submission, deadline.at, words);
					lastAccepted = clock.now();
					idleSince = lastAccepted;
					return { ...accepted, request };
				};
			},
			existing: ({ existing, request }) =>
				existing && { ...existing, request, callsElsewhere: true },
			fromRecord: (state, { request }) =>
				state.state === 'accepted'
					? { taskId: state.taskId, request, callsElsewhere: state.execution !== execution }
					: undefined,
			toRecord: ({ taskId }) => ({ state: 'accepted', taskId, execution }),
			// If n8n is killed before it saves the execution, this line is the only trace of the purchase.
			logLine: ({ taskId, others = [] }) => `task ${[taskId, ...others].join(', ')} submitted`,
			hintFor: (error) => (error instanceof NotFoundError ? notFound?.hint : undefined),
		},
		items.map((item) => (item.state === 'ready' ? withKnownLinks(run, item) : item)),
	);
	const accepted = paid.map((item): TaskItem => {
		if (item.state !== 'ready') return item;
		const { taskId, record, request, callsElsewhere, others = [] } = item.receipt;
		const more = `The service made more tasks from this request: ${others.join(', ')}. Get them with the resource Task, operation Get.`;
		const notes = others.length > 0 ? [...item.notes, more] : item.notes;
		const bought = { ...acceptedItem(run, { ...item, notes }, taskId), request, callsElsewhere };
		return record ? withRecord(run, bought, record) : bought;
	});
	return { accepted, lastAccepted };
}

/** Returns the output, with its files, in the order of the input. Throws the first failed item's error, with all tasks, unless set to continue. */
export async function deliver(run: TaskRun | BuyingRun, outcomes: readonly TaskItem[]) {
	const { context, options } = run;
	const bought = 'records' in run ? run : undefined;
	countCost(context, outcomes, bought ? 'bought' : 'read');
	// Files of a run that fails would be thrown away.
	const delivered = fatalItem(context, outcomes) ? outcomes : await downloadResults(run, outcomes);
	const comesOut = delivered.filter((item) => !isLeftOut(item));
	if (bought) {
		dropRecords(context, bought.records, comesOut, isRefunded);
		const refunds = comesOut.filter((item) => isRefunded(item) && !item.options.reused).length;
		// For an agent's tool, n8n does not distinguish the next try from the next call.
		if (refunds > 0 && !isTool(context.getNode())) bought.guard.refunded(refunds);
	}
	const failed = fatalItem(context, delivered);
	if (failed) {
		const others = taskList(run, delivered, bought !== undefined);
		throw runError(context.getNode(), delivered, failed, others);
	}
	context.addExecutionHints(...runHints(comesOut, bought?.guard));
	if (bought) tellLeftOut(bought, delivered);
	return [outputItems(context.getNode(), comesOut, options)];
}

/** Counts the items that are left out in the custom data, and reports them if no item comes out that could have the note. */
function tellLeftOut({ context, guard }: BuyingRun, outcomes: readonly TaskItem[]): void {
	countLeftOut(context, outcomes.filter(isLeftOut).length);
	const note = outcomes.every(isLeftOut) ? guard.leftOutNote(outcomes) : undefined;
	if (note === undefined) return;
	context.logger.warn(`MediaGen: ${note}`);
	context.addExecutionHints(hint(note));
}

/** Puts the note about items that are left out on the first one that comes out. */
function withLeftOutNote(outcomes: readonly TaskItem[], guard: SpendingGuard): TaskItem[] {
	const note = guard.leftOutNote(outcomes);
	const first = outcomes.find((item) => !isLeftOut(item));
	if (note === undefined) return [...outcomes];
	return outcomes.map((outcome) =>
		outcome === first ? { ...outcome, notes: [note, ...outcome.notes] } : outcome,
	);
}

/** Passes on the node's own output. Its options cannot be read: their expressions refer to the original rows. */
function passOn(context: IExecuteFunctions): INodeExecutionData[][] {
	const why =
		'These are the results of the execution that was retried. The node passes them on, and buys nothing.';
	context.addExecutionHints(hint(why));
	return [context.getInputData()];
}

async function execute(context: IExecuteFunctions, operation: BuyingOperation) {
	const { family, value, fields, parent } = operation;
	const records = new PurchaseRecords(context);
	try {
		if (records.isOwnOutput()) return passOn(context);
		const opened = await openTaskRun(context, family, value);
		const { checkOnly, timeout } = opened.options;
		const guard = new SpendingGuard(context, opened.options, opened.client, records.runIndex);
		const checked = <Items extends readonly object[]>(items: Items): Items => {
			if (!checkOnly) throwFirstError(context, items);
			return items;
		};
		const buying = { ...opened, records, guard };
		const read = checked(await prepareItems(opened, operation));
		// What this execution bought before is used, whatever has become of the tasks that the items name.
		const found = read.some((item) => item.state === 'ready' && item.existingTaskId !== undefined)
			? checked(await findExistingTasks(buying, read))
			: read;
		const items = parent ? checked(await checkParents(buying, fields, parent, found)) : found;
		if (checkOnly)
			return [await checkOnlyOutput(context, opened.client, guard, items, ({ target }) => target)];
		// Checking existing tasks may have taken a minute.
		const run = { ...buying, deadline: clock.now() + timeout * 1_000 };
		const { accepted, lastAccepted } = await buyTasks(run, operation, items);
		// Each task has the whole time, also one that was bought late, such as after a rate limit.
		const waits = withTaskIds({ ...run, deadline: lastAccepted + timeout * 1_000 }, accepted);
		return await waitAndDeliver(waits, operation, withLeftOutNote(accepted, guard));
	} catch (error) {
		throw withWhatIsLeft(context.getNode(), error, records);
	} finally {
		records.close();
	}
}

async function waitAndDeliver(
	run: BuyingRun,
	operation: BuyingOperation,
	accepted: readonly TaskItem[],
): Promise<INodeExecutionData[][]> {
	const { waitMode } = run.options;
	if (waitMode === 'none' && !operation.synchronous) return await deliver(run, accepted);
	if (waitMode === 'callback') {
		const { items, output } = await pauseUnlessEnded(run, accepted);
		if (!output) return await deliver(run, await pollTasks(run, items));
		tellLeftOut(run, items);
		return output;
	}
	const current = operation.synchronous ? await refreshTasks(run, accepted) : accepted;
	return await deliver(run, await pollTasks(run, current));
}

/** The collections come last: the panel begins with what is made. */
const isAdditional = ({ type }: INodeProperties) => type === 'collection';

/** Makes an operation of a task request: adds the purchase, the wait, the output and their fields. */
export function buyingOperation(operation: BuyingOperation): Operation {
	const { fields, synchronous = false } = operation;
	const options = optionsField(purchaseOptions({ makesFiles: !synchronous }));
	return {
		...operation,
		fields: [
			...fields.filter((field) => !isAdditional(field)),
			...(synchronous ? [] : waitFields),
			...fields.filter(isAdditional),
			options,
		],
		execute: async (context) => await execute(context, operation),
	};
}
