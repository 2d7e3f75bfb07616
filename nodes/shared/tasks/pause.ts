import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { callbackAddressProblem, unusualPort } from '../api/address';
import { hasEnded, readTaskRecord } from '../api/records';
import { withReference } from '../api/signedAddress';
import { itemError } from '../n8n/nodeErrors';
import { callbackFields } from '../n8n/options';
import { evaluatedOptions } from '../n8n/readOptions';
import { isBlank, isExpression, validationError } from '../n8n/parameters';
import {
	type AcceptedItem,
	besideTask,
	isAccepted,
	isLeftOut,
	outcomeStatus,
	taskJson,
	type TaskItem,
} from '../output/items';
import { clock } from '../util/clock';
import { toJson } from '../util/json';
import { parseWebUrl, toId, webUrl } from '../util/schema';
import type { PauseAddresses, TaskRun } from './taskRun';
import { HOST_LIMIT_AFTER_MS } from './waitingExecution';
import { ownAddressProblem, watchPause } from './watchPause';

const SET_WEBHOOK_URL =
	"Set n8n's environment variable WEBHOOK_URL to the address at which the service reaches this n8n, on port 80 or 443.";

const ON_OWN_NETWORK =
	'For a service on your own network, switch on "Allow Private Callbacks" in the credential.';

/**
 * Checks a callback base address. The service silently drops some addresses (spec, Events 6): a `NodeOperationError` says what
 * is wrong before anything is sent. Returns a note about an address that it may drop.
 */
function checkCallbackAddress(
	{ context, client }: TaskRun,
	address: string,
	hint: string,
	itemIndex?: number,
): string[] {
	const { allowPrivateCallbacks, baseUrl } = client.connection;
	if (allowPrivateCallbacks) return [];
	const problem = callbackAddressProblem(address, baseUrl);
	if (problem !== undefined) {
		const refusal = `The service would not call back: ${problem}`;
		throw itemError(
			context.getNode(),
			refusal,
			itemIndex,
			`${hint} ${ON_OWN_NETWORK} Nothing was sent to the service.`,
		);
	}
	const port = unusualPort(address);
	return port === undefined
		? []
		: [
				`The callback address uses the port ${port}. The service may call the ports 80 and 443 only.`,
			];
}

/** n8n counts the paused time against the workflow's timeout when the time limit of a pause resumes it, and cancels it. */
function checkWorkflowTimeout({ context, options }: TaskRun): string[] {
	const limit = context.getWorkflowSettings().executionTimeout;
	if (typeof limit !== 'number' || limit <= 0 || limit >= options.timeout) return [];
	return [
		`The pause lasts up to ${options.timeout} seconds, longer than the workflow's timeout of ${limit} seconds: n8n cancels the execution if no callback comes. Lower "Timeout" in the options, or raise the workflow's timeout.`,
	];
}

/** For each callback n8n loads the whole execution. With more items than this it answers nothing else for seconds, with a thousand for minutes. */
const MANY_ITEMS = 200;

function checkItemCount({ context }: TaskRun): string[] {
	const { length } = context.getInputData();
	if (length <= MANY_ITEMS) return [];
	return [
		`${length} items wait in one execution: n8n loads all of them for each callback, and may answer nothing else for seconds, or with a thousand items for minutes. Use Loop Over Items with batches of at most ${MANY_ITEMS}, or "Don't Wait" and the MediaGen Trigger.`,
	];
}

/** The address that is sent as `webhook`, and notes about it for the user. */
export interface CallbackAddress {
	url: string | undefined;
	notes: string[];
}

/** What an item says about its callback. */
interface ItemCallback {
	itemIndex: number;
	/** The option "Callback Base URL" as it was read. */
	callbackBaseUrl: unknown;
	reference: string | undefined;
}

/** n8n's own path of a trigger while it listens for a test event. */
const isTestUrl = (address: string) =>
	parseWebUrl(address)?.pathname.includes('/webhook-test/') === true;

const NO_CALLBACK =
	'The expression of "Callback Base URL" is empty: the service does not report the end of this task.';

const TEST_URL =
	'"Callback Base URL" is a test URL: n8n takes calls there only while it listens for a test event. Use the production URL of the trigger.';

function itemAddress(
	run: TaskRun,
	{ itemIndex, callbackBaseUrl, reference }: ItemCallback,
): CallbackAddress {
	if (isBlank(callbackBaseUrl)) {
		const isLost = isExpression(run.context.getNode(), ['options', 'callbackBaseUrl']);
		return { url: undefined, notes: isLost ? [NO_CALLBACK] : [] };
	}
	const read = webUrl().safeParse(toId(callbackBaseUrl));
	if (!read.success) {
		const issues = read.error.issues.map(({ message }) => ({
			path: ['callback_base_url'],
			message,
		}));
		throw validationError(run.context.getNode(), callbackFields, issues, itemIndex);
	}
	const notes = [
		...checkCallbackAddress(
			run,
			read.data,
			'Give a public address in "Callback Base URL".',
			itemIndex,
		),
		...(isTestUrl(read.data) ? [TEST_URL] : []),
	];
	return {
		url:
			reference === undefined
				? read.data
				: withReference(run.client.connection, read.data, reference),
		notes,
	};
}

/** Where the service reports the end of each item's task: this paused execution, or the address in the item's options. */
export function callbackAddresses(run: TaskRun): (item: ItemCallback) => CallbackAddress {
	const url = run.pauseAddresses?.resumeUrl;
	if (url === undefined) return (item) => itemAddress(run, item);
	const notes = [...checkCallbackAddress(run, url, SET_WEBHOOK_URL), ...checkWorkflowTimeout(run)];
	const ofFirst = [...notes, ...checkItemCount(run)];
	return ({ itemIndex }) => ({ url, notes: itemIndex === 0 ? ofFirst : notes });
}

function isOpen(outcome: TaskItem): outcome is AcceptedItem {
	return isAccepted(outcome) && outcome.error === undefined && !hasEnded(outcome.task.status);
}

/**
 * Whether the execution can pause: a task is still open, and no item has failed that would have to fail the node, which a paused
 * node cannot do any more.
 */
export function mayPause(context: IExecuteFunctions, outcomes: readonly TaskItem[]): boolean {
	const failed = outcomes.some((item) => item.error !== undefined && !isLeftOut(item));
	return outcomes.some(isOpen) && (!failed || context.continueOnFail());
}

/** The JSON of a waiting item: enough to resume, and what comes out if no callback comes before the time limit. */
function waitingJson(outcome: TaskItem, input: IDataObject, resumeUrl: string): IDataObject {
	const { options, recordKey } = outcome;
	const named = recordKey === undefined ? {} : { recordKey };
	const beside = {
		...besideTask(outcome),
		...(options.fileName === undefined ? {} : { fileName: options.fileName }),
		...named,
		input,
	};
	if (!isAccepted(outcome)) {
		const { message, description = null } = outcome.error;
		return {
			status: outcomeStatus(outcome),
			results: [],
			error: { message, description, ...named },
			...(isLeftOut(outcome) ? { leftOut: true } : {}),
			...beside,
		};
	}
	const { fields = [], urls = [] } = outcome.request ?? {};
	const sent = [...urls].filter((url) => url !== resumeUrl);
	return {
		...taskJson(outcome, true),
		...(isOpen(outcome) ? { status: 'submitted', results: [], url: null } : {}),
		...beside,
		...(sent.length > 0 ? { requestLinks: { fields: [...fields], urls: sent } } : {}),
	};
}

/** An end that is nearer than this is waited for here. */
const SOON_MS = 10_000;

/**
 * Whether the service expects all open tasks to end within seconds.
 *
 * @param began milliseconds since 1970: the estimates count from the submission, of which only this is known
 */
export function endsSoon(outcomes: readonly TaskItem[], began: number): boolean {
	const estimates = outcomes
		.filter(isOpen)
		.map(({ record }) => readTaskRecord(record)?.estimatedSeconds ?? Infinity);
	const expectedIn = began + Math.max(...estimates) * 1_000 - clock.now();
	return expectedIn > 0 && expectedIn <= SOON_MS;
}

/** Why the execution must not pause: it could not be resumed. `undefined` if it can. */
export async function pauseProblem(
	run: TaskRun,
	outcomes: readonly TaskItem[],
	{ resumeUrl }: PauseAddresses,
): Promise<string | undefined> {
	if (outcomes.some((outcome) => outcome.options.reused && isOpen(outcome)))
		return 'The node polled instead of pausing: of a task in "Existing Task", the service tells the execution that bought it.';
	const problem = await ownAddressProblem(run.context, resumeUrl);
	return problem && `The node polled instead of pausing: ${problem}. ${SET_WEBHOOK_URL}`;
}

/**
 * Pauses the execution until the service calls back, or until "Timeout" has passed. n8n keeps nothing of a waiting node but its
 * input items, so the tasks are written there.
 */
export async function pause(
	run: TaskRun,
	outcomes: readonly TaskItem[],
	addresses: PauseAddresses,
): Promise<INodeExecutionData[][]> {
	const { context, options } = run;
	const items = context.getInputData();
	// n8n shows no hint for a node that pauses.
	for (const note of new Set(outcomes.flatMap(({ notes }) => notes)))
		context.logger.warn(`MediaGen: ${note}`);
	const evaluated = toJson(
		evaluatedOptions({
			getNode: () => context.getNode(),
			getParameter: (name): unknown => context.getNodeParameter(name, 0, null),
		}),
	);
	for (const outcome of outcomes) {
		const item = items[outcome.itemIndex];
		if (!item) continue;
		item.json = waitingJson(outcome, item.json, addresses.resumeUrl);
		if (outcome.itemIndex === 0 && Object.keys(evaluated).length > 0)
			item.json.evaluatedOptions = evaluated;
		// After the time limit it would come out as if it were the task's file.
		delete item.binary;
	}
	const limit = clock.now() + options.timeout * 1_000;
	await context.putExecutionToWait(new Date(limit + HOST_LIMIT_AFTER_MS));
	watchPause(run, outcomes, addresses, limit);
	// With an error output n8n takes the items out of the array that it gets, and the input is all that it keeps.
	return [items.map((item) => ({ ...item }))];
}
