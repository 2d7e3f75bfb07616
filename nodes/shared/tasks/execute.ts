import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import type { TaskFamily } from '../api/family';
import { readWaitMode, runOptionsField, type WaitMode, waitModeField } from '../n8n/options';
import type { Operation, Resource } from '../n8n/describe';
import { awaitTasks } from './poll';
import { reachableAddress, resumeAddress } from './callbackAddress';
import { finish } from './finish';
import { SubmissionLedger } from '../purchase/purchaseRecords';
import { lookNow } from './lookNow';
import type { Outcome } from './outcome';
import { hasOpenTask, park } from './pause';
import { isPrepared, type PreparedItem, prepareItems, type RequestBody, type RequestShape } from './prepare';
import { type Precheck, precheckItems } from './checkParent';
import { openRun, type Run } from './run';
import { submitItems } from '../purchase/runPaidItems';

/** An operation that buys a task: see `docs/adding-an-operation.md`. */
export interface SubmissionOperation extends RequestShape, Omit<Operation, 'execute' | 'fields' | 'resource'> {
	family: TaskFamily;
	resource: Resource;
	/** The service answers with the finished task, so there is nothing to wait for. */
	synchronous?: boolean;
	/** What the service will change or ignore in this body, or the node has left out of it, without a word. */
	notes?(body: RequestBody, given: RequestBody): string[];
	/** Rules that only another task's record can show. */
	precheck?: Precheck;
}

function notesOf(operation: SubmissionOperation, prepared: ReadonlyArray<PreparedItem | Outcome>): string[] {
	const notes = prepared.filter(isPrepared).flatMap(({ body, given, notes: own = [] }) => [
		...own,
		...(operation.notes?.(body, given) ?? []),
	]);
	return [...new Set(notes)];
}

/** Throws what stands in the way of the first item that cannot be sent, before anything has been bought. */
function refuseEarly(context: IExecuteFunctions, prepared: ReadonlyArray<PreparedItem | Outcome>): void {
	const refused = prepared.find((item) => !isPrepared(item));
	if (refused && !isPrepared(refused) && refused.error && !context.continueOnFail()) throw refused.error;
}

/** "Retry On Fail" also runs a node again that has returned an item with an error instead of throwing it. */
function mayRunAgain(context: IExecuteFunctions, outcomes: readonly Outcome[]): boolean {
	return context.getNode().retryOnFail === true && outcomes.some(({ error }) => error !== undefined);
}

/** The address that is sent along: where this execution resumes, or the one that the options name. */
function callbackAddress({ context, client, options }: Run, waitMode: WaitMode): string | undefined {
	if (waitMode === 'callback') return resumeAddress(context, client.connection);
	const { callbackBaseUrl } = options;
	return callbackBaseUrl && reachableAddress(context, client.connection, callbackBaseUrl);
}

/** A parked node cannot fail any more, so an item that has failed already is waited for here, with all others. */
function mayPark(context: IExecuteFunctions, outcomes: readonly Outcome[]): boolean {
	const failed = outcomes.some(({ error }) => error !== undefined);
	return hasOpenTask(outcomes) && (!failed || context.continueOnFail());
}

async function execute(
	context: IExecuteFunctions,
	operation: SubmissionOperation,
): Promise<INodeExecutionData[][]> {
	const waitMode = readWaitMode(context);
	const run = await openRun(context, operation.family, operation.value);
	const readable = await prepareItems(context, operation);
	refuseEarly(context, readable);
	const prepared = await precheckItems(run, operation, readable);
	refuseEarly(context, prepared);

	const ledger = new SubmissionLedger(context);
	return await ledger.leavingOnThrow(async () => await buyAndDeliver(run, ledger, operation, prepared, waitMode));
}

async function buyAndDeliver(
	run: Run,
	ledger: SubmissionLedger,
	operation: SubmissionOperation,
	prepared: ReadonlyArray<PreparedItem | Outcome>,
	waitMode: WaitMode,
): Promise<INodeExecutionData[][]> {
	const { context } = run;
	const webhook = callbackAddress(run, waitMode);
	const taken = await submitItems({ run, ledger, shape: operation, webhook }, prepared);
	const submitted = operation.synchronous ? await lookNow(run, taken) : taken;
	// n8n turns a callback away that comes while the execution still runs, and the service does not repeat it: a task
	// that has ended by now must not be waited for.
	const looked = waitMode === 'callback' ? await lookNow(run, submitted) : submitted;
	if (waitMode === 'callback' && mayPark(context, looked)) {
		if (!mayRunAgain(context, looked)) ledger.forget();
		return await park(context, looked, run.options.timeout);
	}
	const outcomes = waitMode === 'none' ? looked : await awaitTasks(run, looked);
	for (const { taskId, read } of outcomes) {
		if (taskId !== undefined && read?.task.status === 'failed') ledger.drop(taskId);
	}
	const output = await finish(run, outcomes, notesOf(operation, prepared));
	if (!mayRunAgain(context, outcomes)) ledger.forget();
	return output;
}

/** Makes an operation of a request: adds how to wait for the task and what to do with its results. */
export function submission(operation: SubmissionOperation): Operation {
	const { resource, name, value, action, description, fields, family, synchronous = false } = operation;
	const options = runOptionsField({
		waits: !synchronous,
		submits: !synchronous,
		files: !synchronous,
		namesPath: family === 'video',
	});
	return {
		resource,
		name,
		value,
		action,
		description,
		fields: [...fields, ...(synchronous ? [] : [waitModeField]), options],
		execute: async (context) => await execute(context, operation),
	};
}

