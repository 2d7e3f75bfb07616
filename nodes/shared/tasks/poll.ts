import type { NodeApiError } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import { hasEnded } from '../api/status';
import { toNodeApiError } from '../n8n/nodeErrors';
import { isTaken, type Outcome, stateOf, type TakenOutcome } from './outcome';
import { type Delivery, lookAt, readAs, type Run } from './run';
import { waitForTask, type WaitEnd } from './wait';

function whyNot(run: Run, outcome: TakenOutcome, end: WaitEnd): NodeApiError | NodeOperationError | undefined {
	const node = run.context.getNode();
	const { itemIndex, taskId } = outcome;
	const resume = `Pick it up with the resource Task, operation Wait, and the task ID ${taskId}.`;
	const operationError = (message: string, description: string) =>
		new NodeOperationError(node, message, { itemIndex, description });

	switch (end.reason) {
		case 'timeout':
			return operationError(
				`Task ${taskId} was still ${stateOf(outcome)} after ${run.options.timeout} seconds [item ${itemIndex}]`,
				`The task goes on at the service. ${resume} A higher "Timeout" in the options waits longer.`,
			);
		case 'cancelled':
			return operationError(`The wait for task ${taskId} was canceled [item ${itemIndex}]`, `The task goes on at the service. ${resume}`);
		case 'fault':
			return toNodeApiError(node, end.fault, {
				itemIndex,
				doing: `This was the answer when asked for task ${taskId}.`,
			});
		case 'ended':
			return failureError(run, outcome);
	}
}

/** The error for a task that the service says has failed; `undefined` for any other. */
export function failureError(run: Delivery, { itemIndex, taskId, read }: TakenOutcome): NodeOperationError | undefined {
	const failure = read?.task.error;
	if (!failure) return undefined;
	const message = run.client.connection.redact(failure.message);
	return new NodeOperationError(
		run.context.getNode(),
		`Task ${taskId} failed at the service: ${message} [item ${itemIndex}]`,
		{ itemIndex, description: 'The service refunds what a failed task was charged.' },
	);
}

async function awaitTask(run: Run, outcome: TakenOutcome): Promise<Outcome> {
	if (outcome.read && hasEnded(outcome.read.task.status)) {
		return { ...outcome, error: failureError(run, outcome) };
	}
	const end = await waitForTask(lookAt(run, outcome.taskId), {
		intervalMs: run.options.pollInterval * 1_000,
		deadline: run.deadline,
		signal: run.signal,
	});
	const read = end.record ? readAs(run, outcome.taskId, end.record) : outcome.read;
	const seen = { ...outcome, read };
	return { ...seen, error: whyNot(run, seen, end) };
}

/** Waits for all tasks together: as long as the slowest of them takes, not their sum. */
export async function awaitTasks(run: Run, outcomes: readonly Outcome[]): Promise<Outcome[]> {
	return await Promise.all(
		outcomes.map(async (outcome) => (isTaken(outcome) ? await awaitTask(run, outcome) : outcome)),
	);
}
