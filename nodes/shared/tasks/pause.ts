import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { readTaskRecord } from '../api/records';
import { below, isSigned, secretDigest } from '../api/signedAddress';
import { errorFields } from '../n8n/nodeErrors';
import { evaluatedOptions, firstItemOf } from '../n8n/readOptions';
import {
	besideTask,
	fatalItem,
	isAccepted,
	isLeftOut,
	isRefunded,
	outcomeStatus,
	taskJson,
	type TaskItem,
} from '../output/items';
import { isData } from '../output/fileNames';
import { sayWhatIsLeft } from '../purchase/earlierPurchases';
import { isRunAgain } from '../purchase/runPaidItems';
import { countCost } from '../report/customData';
import { clock, sleep } from '../util/clock';
import { isObject, objectOf, toJson } from '../util/json';
import { isOpen, refreshTasks } from './poll';
import { type BuyingRun, endedItem, type TaskRun } from './taskRun';
import { hostLimitAfterMs, keyOfPause, NOT_READ } from './waitingExecution';
import { ownAddressProblem, type PauseAddresses, pauseAddressesOf, watchPause } from './watchPause';

export const SET_WEBHOOK_URL =
	"Set n8n's environment variable WEBHOOK_URL to the address at which the service reaches this n8n, on port 80 or 443.";

/** A note if a pause may last too long: if its limit ends it, n8n counts its time against the workflow's timeout, and cancels. */
export function checkWorkflowTimeout({ context, options }: TaskRun) {
	const limit = context.getWorkflowSettings().executionTimeout;
	if (typeof limit !== 'number' || limit <= 0 || limit >= options.timeout) return undefined;
	return `The pause lasts up to ${options.timeout} seconds, longer than the workflow's timeout of ${limit} seconds: n8n cancels the execution if no callback comes. Lower "Timeout" in the options, or raise the workflow's timeout.`;
}

/** For each callback n8n loads the whole execution. With more items than this it answers nothing else for seconds, with a thousand for minutes. */
const MANY_ITEMS = 200;

export function checkItemCount({ context }: TaskRun) {
	const { length } = context.getInputData();
	return (
		length > MANY_ITEMS &&
		`${length} items wait in one execution: n8n loads all of them for each callback, and may answer nothing else for seconds, or with a thousand items for minutes. Use Loop Over Items with batches of at most ${MANY_ITEMS}, or "Don't Wait" and the MediaGen Trigger.`
	);
}

/** The JSON of a waiting item: enough to resume, and what comes out if no callback comes before the time limit. */
function waitingJson(outcome: TaskItem, input: IDataObject, resumeUrl: string): IDataObject {
	const { recordKey } = outcome;
	const { fileName } = outcome.options;
	const isToRead = isAccepted(outcome) && outcome.error === undefined;
	const notes = [...outcome.notes, ...(isToRead ? [NOT_READ] : [])];
	const beside = toJson({ ...besideTask({ ...outcome, notes }), fileName, recordKey, input });
	if (!isAccepted(outcome)) {
		return {
			status: outcomeStatus(outcome),
			results: [],
			error: errorFields(outcome.error, recordKey),
			...(isLeftOut(outcome) ? { leftOut: true } : {}),
			...beside,
		};
	}
	const { request } = outcome;
	// A link that holds the picture itself may be megabytes long.
	const own = [resumeUrl, below(resumeUrl, '/callback')];
	const urls = [...(request?.urls ?? [])].filter((url) => !own.includes(url) && !isData(url));
	return {
		...taskJson(outcome, true),
		...(isOpen(outcome) ? { status: 'submitted', results: [], url: null } : {}),
		...beside,
		...toJson({ requestLinks: request && { ...request, fields: [...request.fields], urls } }),
	};
}

/** When the service expects the last open task to end, in milliseconds since 1970; `Infinity` if it does not say. Estimates count from `began`. */
function expectedEnd(outcomes: readonly TaskItem[], began: number): number {
	const estimates = outcomes
		.filter(isOpen)
		.map(({ record }) => readTaskRecord(record)?.estimatedSeconds ?? Infinity);
	return began + Math.max(...estimates) * 1_000;
}

/** If the end is expected within this time, in milliseconds, the node waits for it instead of pausing. */
const SOON_MS = 10_000;

/** Whether the end is seconds away, and the wait since `began` has not taken that long yet: a service may postpone the end again and again. */
function isSoon(expected: number, began: number): boolean {
	const expectedIn = expected - clock.now();
	return expectedIn > 0 && expectedIn <= SOON_MS && clock.now() - began <= SOON_MS;
}

/** Whether a workflow that waits for this one goes on at its resume. n8n's context has the execution's data, although its type does not say so. */
function resumesCaller(context: object): boolean {
	const { parentExecution } = objectOf(objectOf(context).runExecutionData);
	return isObject(parentExecution) && parentExecution.shouldResume !== false;
}

/** Why the execution must not pause: it could not be resumed. `undefined` if it can. */
async function pauseProblem(
	run: TaskRun,
	outcomes: readonly TaskItem[],
	{ resumeUrl }: PauseAddresses,
): Promise<string | undefined> {
	// By then the rows have become tasks, from which other requests would be made.
	if (isRunAgain(run.context, outcomes[0]))
		return 'The node polled instead of pausing: "Retry On Fail" would run it again at once, because the first item has an error.';
	if (outcomes.some((outcome) => isOpen(outcome) && outcome.callsElsewhere))
		return 'The node polled instead of pausing: the service does not report the end of a task to this execution, which did not buy it.';
	if (resumesCaller(run.context) && !isSigned(resumeUrl))
		return 'The node polled instead of pausing: when a sub-workflow resumes, this version of n8n runs its caller again, with the input of the sub-workflow.';
	const problem = await ownAddressProblem(run.context, resumeUrl);
	return problem && `The node polled instead of pausing: ${problem}. ${SET_WEBHOOK_URL}`;
}

/** Pauses until the service calls back, or "Timeout" has passed. n8n keeps nothing of the node but its input: the tasks are written there. */
async function pause(
	run: TaskRun,
	outcomes: readonly TaskItem[],
	addresses: PauseAddresses,
	expected: number,
): Promise<INodeExecutionData[][]> {
	const { context, options } = run;
	const items = context.getInputData();
	// n8n shows no hint for a node that pauses.
	for (const note of new Set(outcomes.flatMap(({ notes }) => notes)))
		context.logger.warn(`MediaGen: ${note}`);
	const evaluated = toJson(evaluatedOptions(firstItemOf(context)));
	const pauseLimit = clock.now() + options.timeout * 1_000;
	const ofAll = toJson({
		pauseLimit,
		evaluatedOptions: Object.keys(evaluated).length > 0 ? evaluated : undefined,
		secretDigest: secretDigest(addresses.resumeUrl),
	});
	for (const outcome of outcomes) {
		const item = items[outcome.itemIndex];
		if (!item) continue;
		const json = waitingJson(outcome, item.json, addresses.resumeUrl);
		item.json = outcome.itemIndex === 0 ? { ...json, ...ofAll } : json;
		// After the time limit, the row's file would come out as if it were the task's.
		delete item.binary;
	}
	await context.putExecutionToWait(new Date(pauseLimit + hostLimitAfterMs(addresses.resumeUrl)));
	const key = keyOfPause(context, pauseLimit);
	watchPause({ ...run, outcomes, key, pauseLimit }, addresses, expected);
	const waiting = context.getExecuteData();
	// n8n disables the node that waits, and would thereby skip another run of it that is due in this execution: both share the object.
	waiting.node = { ...waiting.node };
	// n8n gave the node only the first item, but would output all of them at its own time limit.
	const { main } = waiting.data;
	if (context.getNode().executeOnce === true && main?.[0]) main[0] = main[0].slice(0, 1);
	// With an error output, n8n removes items from the array that it gets, and the input is all that it keeps.
	return [items.map((item) => ({ ...item }))];
}

/** Pauses the execution and returns its output. Without a pause: the items alone, with a note where it could not be resumed. */
export async function pauseUnlessEnded(
	run: BuyingRun,
	accepted: readonly TaskItem[],
): Promise<{ items: TaskItem[]; output?: INodeExecutionData[][] }> {
	const { context, signal, records } = run;
	const began = clock.now();
	// n8n refuses callbacks while the execution runs, and the service does not repeat them: a task that has ended must not be waited for.
	let items = await refreshTasks(run, accepted);
	while (isSoon(expectedEnd(items, began), began) && !signal?.aborted) {
		await sleep(1_000, signal);
		items = await refreshTasks(run, items);
	}
	// Once it is paused, the node cannot fail any more.
	if (!items.some(isOpen) || fatalItem(context, items) || signal?.aborted) return { items };
	const addresses = pauseAddressesOf(run);
	const problem = await pauseProblem(run, items, addresses);
	if (problem !== undefined)
		return { items: items.map((item) => ({ ...item, notes: [...item.notes, problem] })) };
	for (const { itemIndex } of items.filter(isRefunded)) records.drop(itemIndex);
	countCost(context, items, 'waiting');
	records.markPaused();
	sayWhatIsLeft(records, items);
	// What has failed is not read again: the service may have dropped it by the end.
	const waiting = items.map((item) => ({
		...(isAccepted(item) && item.task.error ? endedItem(run, item) : item),
		recordKey: records.recordKey(item.itemIndex),
	}));
	return { items, output: await pause(run, waiting, addresses, expectedEnd(items, began)) };
}
