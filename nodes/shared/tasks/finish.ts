import type { INodeExecutionData } from 'n8n-workflow';
import { NodeApiError, NodeOperationError } from 'n8n-workflow';

import { downloadAll, outputItems } from './deliver';
import { isTaken, type Outcome, stateOf } from './outcome';
import type { Run } from './run';

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
	return [outputItems(run, delivered)];
}
