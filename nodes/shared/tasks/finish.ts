import type { IBinaryData, INodeExecutionData } from 'n8n-workflow';
import { NodeApiError, NodeOperationError } from 'n8n-workflow';

import { downloadResult } from '../results/download';
import { errorItem, hasErrorOutput } from '../results/errorItem';
import { toItems, toJson } from '../results/items';
import { asNodeError } from '../transport/nodeError';
import { pLimit } from '../vendor/pLimit';
import { isTaken, type Outcome, stateOf, type TakenOutcome } from './outcome';
import type { Run } from './run';

/** An outcome with its files in n8n's binary storage, in the order of the task's results. */
interface Delivered extends Outcome {
	files?: IBinaryData[];
}

async function download(run: Run, outcome: TakenOutcome): Promise<Delivered> {
	const { context, client, options, signal } = run;
	const files: IBinaryData[] = [];
	try {
		for (const file of outcome.read?.task.results ?? []) {
			files.push(await downloadResult(context, client.connection, outcome.taskId, file, { ...options, signal }));
		}
		return { ...outcome, files };
	} catch (error) {
		const { itemIndex } = outcome;
		return { ...outcome, error: asNodeError(context.getNode(), error, { itemIndex }) };
	}
}

/** As few files at once as keeps the line busy: each one passes through this process. */
const PARALLEL_DOWNLOADS = 3;

async function downloadAll(run: Run, outcomes: readonly Outcome[]): Promise<Delivered[]> {
	if (!run.options.downloadResults) return [...outcomes];
	const limit = pLimit(PARALLEL_DOWNLOADS);
	return await Promise.all(
		outcomes.map(async (outcome) =>
			isTaken(outcome) && outcome.error === undefined
				? await limit(async () => await download(run, outcome))
				: outcome,
		),
	);
}

/** The error's item, with whatever is known of the task. */
function brokenItem(run: Run, outcome: Outcome, error: NodeApiError | NodeOperationError): INodeExecutionData {
	const { itemIndex, taskId, read } = outcome;
	return errorItem(error, itemIndex, hasErrorOutput(run.context.getNode()), {
		...(read ? toJson(read.task) : {}),
		...(taskId === undefined ? {} : { taskId }),
		status: stateOf(outcome),
	});
}

/**
 * With "Retry On Fail" n8n takes any `error` field of the first item, even `null`, for a sign to run the node again.
 * A run that went well must not give that sign.
 */
function withoutEmptyError(item: INodeExecutionData): INodeExecutionData {
	const { error, ...json } = item.json;
	return error === null || error === undefined ? { ...item, json } : item;
}

function line(outcome: Outcome): string {
	const task = outcome.taskId === undefined ? 'no task' : `task ${outcome.taskId}`;
	const why = outcome.error ? ` (${outcome.error.message})` : '';
	return `Item ${outcome.itemIndex}: ${task}, ${stateOf(outcome)}${why}`;
}

/** One error for the whole run. It names every task, so that what was paid for can be fetched. */
function runError(run: Run, outcomes: readonly Outcome[], first: NodeApiError | NodeOperationError, itemIndex: number) {
	const tasks = outcomes.filter(isTaken);
	const states = outcomes.map(line).join('\n');
	const description = [
		first.description,
		tasks.length > 0
			? `Tasks of this run, to be fetched with the resource Task, operation Get:\n${states}`
			: undefined,
	]
		.filter(Boolean)
		.join('\n\n');
	const failed = outcomes.filter(({ error }) => error !== undefined).length;
	const message =
		outcomes.length > 1 ? `${first.message} (${failed} of ${outcomes.length} items have no result)` : first.message;
	const node = run.context.getNode();
	return first instanceof NodeApiError
		? new NodeApiError(
				node,
				{ message },
				{ message, description, itemIndex, httpCode: first.httpCode ?? undefined },
			)
		: new NodeOperationError(node, message, { description, itemIndex });
}

const sum = (values: Array<number | null | undefined>) =>
	values.reduce<number>((total, value) => total + (value ?? 0), 0);

/** Sums the run up above the output: tasks, failures, cost, and whatever the service changes without a word. */
function addHints(run: Run, outcomes: readonly Outcome[], notes: readonly string[]): void {
	const tasks = outcomes.filter(isTaken);
	const failed = outcomes.filter(({ error }) => error !== undefined).length;
	const credits = sum(tasks.map(({ read }) => read?.task.creditsCost));
	const parts = [
		`${tasks.length} ${tasks.length === 1 ? 'task' : 'tasks'}`,
		...(failed > 0 ? [`${failed} without a result`] : []),
		...(credits > 0 ? [`${credits} credits`] : []),
	];
	run.context.addExecutionHints(
		{ message: parts.join(', '), location: 'outputPane', type: failed > 0 ? 'warning' : 'info' },
		...notes.map((message) => ({ message, location: 'outputPane' as const, type: 'warning' as const })),
	);
}

/**
 * Downloads what was asked for and turns outcomes into the node's output, in the order of the input. Unless the
 * node is set to continue, the first item without a result ends it with an error that names every task.
 */
export async function finish(
	run: Run,
	outcomes: readonly Outcome[],
	notes: readonly string[] = [],
): Promise<INodeExecutionData[][]> {
	const delivered = await downloadAll(run, outcomes);
	const broken = delivered.find(({ error }) => error !== undefined);
	if (broken?.error && !run.context.continueOnFail()) {
		throw runError(run, delivered, broken.error, broken.itemIndex);
	}
	addHints(run, delivered, notes);
	const items = delivered.flatMap((outcome) => {
		if (outcome.error) return [brokenItem(run, outcome, outcome.error)];
		return outcome.read ? toItems(outcome.read, outcome.files, outcome.itemIndex, run.options) : [];
	});
	return [run.context.getNode().retryOnFail ? items.map(withoutEmptyError) : items];
}
