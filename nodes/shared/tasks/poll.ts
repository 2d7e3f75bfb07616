import { NodeOperationError } from 'n8n-workflow';

import { ApiError, asError, CanceledError, errorFromThrown } from '../api/errors';
import { hasEnded } from '../api/status';
import { asNodeError, type NodeError } from '../n8n/nodeErrors';
import { type AcceptedOutcome, isAccepted, type TaskOutcome } from '../output/items';
import type { RequestLinks } from '../output/resultFiles';
import { clock, sleep } from '../util/clock';
import { retrieveRecord, type TaskContext, type TaskRun, withRecord } from './taskRun';

const FIRST_POLL_MS = 1_000;

/** The service gives whole seconds: a request right at the expected end would often come a moment too early. */
const ESTIMATE_MARGIN_MS = 250;

/** A request is put off by at most this part of the interval to meet the expected end, instead of asking twice. */
const PUT_OFF = 0.25;

/**
 * Milliseconds to the next request: the interval, unless the service expects the task to end about then. Its estimate counts
 * from the submission, of which this wait knows only that it came before `began`.
 */
function untilNextPoll(estimatedSeconds: number | undefined, began: number, intervalMs: number): number {
	if (estimatedSeconds === undefined) return intervalMs;
	const expectedIn = began + estimatedSeconds * 1_000 + ESTIMATE_MARGIN_MS - clock.now();
	return expectedIn > 0 && expectedIn < intervalMs * (1 + PUT_OFF) ? expectedIn : intervalMs;
}

/** The error of a task that the service reports as failed; `undefined` for any other task. */
export function failedTaskError(run: Pick<TaskRun<TaskContext>, 'context'>, outcome: AcceptedOutcome): NodeError | undefined {
	const { itemIndex, taskId, task } = outcome;
	if (!task.error) return undefined;
	const error = new NodeOperationError(run.context.getNode(), `Task ${taskId} failed: ${task.error.message} [item ${itemIndex}]`, {
		itemIndex,
		description: 'The service refunds what a failed task was charged.',
	});
	Object.assign(error.context, { code: task.error.code, type: task.error.type });
	return error;
}

function resumeHint(taskId: string): string {
	return `The task continues at the service. Get it with the resource Task, operation Wait, and the task ID ${taskId}.`;
}

function timeoutError(run: TaskRun, { itemIndex, taskId, task }: AcceptedOutcome, last: ApiError | undefined): NodeError {
	const words = [`Its last status was "${task.serviceStatus}".`, last && `The last request failed: ${last.message}.`];
	return new NodeOperationError(
		run.context.getNode(),
		`Task ${taskId} was still ${task.status} after ${run.options.timeout} seconds [item ${itemIndex}]`,
		{
			itemIndex,
			description: [...words, resumeHint(taskId), 'A higher "Timeout" in the options waits longer.'].filter(Boolean).join(' '),
		},
	);
}

function canceledError(run: TaskRun, { itemIndex, taskId }: AcceptedOutcome): NodeError {
	const message = `The execution was canceled while it waited for task ${taskId} [item ${itemIndex}]`;
	return new NodeOperationError(run.context.getNode(), message, { itemIndex, description: resumeHint(taskId) });
}

/**
 * Asks for a task until it ends: first after about a second, then at every interval, and when the service expects the end. A
 * transient error (429, 5xx, a lost connection) never loses the task.
 */
async function pollTask(run: TaskRun, accepted: AcceptedOutcome, request?: RequestLinks): Promise<TaskOutcome> {
	const intervalMs = run.options.pollInterval * 1_000;
	const began = clock.now();
	let outcome = accepted;
	let last: ApiError | undefined;
	let nextIn = Math.min(FIRST_POLL_MS, intervalMs);
	while (!hasEnded(outcome.task.status)) {
		await sleep(Math.min(nextIn, run.deadline - clock.now()), run.signal);
		if (run.signal?.aborted) return { ...outcome, error: canceledError(run, outcome) };
		nextIn = intervalMs;
		try {
			const record = await retrieveRecord(run, outcome.taskId, 'once');
			last = undefined;
			outcome = withRecord(run, outcome, record, request);
			nextIn = untilNextPoll(record.estimatedSeconds, began, intervalMs);
		} catch (error) {
			last = errorFromThrown(error);
			if (last instanceof CanceledError) return { ...outcome, error: canceledError(run, outcome) };
			if (!last.transient) return { ...outcome, error: retrieveError(run, outcome, last) };
			nextIn = Math.max(nextIn, last.details.retryAfterMs ?? 0);
		}
		if (clock.now() >= run.deadline && !hasEnded(outcome.task.status)) {
			return { ...outcome, error: timeoutError(run, outcome, last) };
		}
	}
	return { ...outcome, error: failedTaskError(run, outcome) };
}

export function retrieveError(run: Pick<TaskRun<TaskContext>, 'context'>, { itemIndex, taskId }: AcceptedOutcome, error: unknown): NodeError {
	const context = `This was the response to the request for task ${taskId}.`;
	return asNodeError(run.context.getNode(), asError(error), { itemIndex, context });
}

/** Waits for all tasks together: as long as the slowest of them takes, not their sum. */
export async function pollTasks(
	run: TaskRun,
	outcomes: readonly TaskOutcome[],
	requests?: ReadonlyMap<number, RequestLinks>,
): Promise<TaskOutcome[]> {
	return await Promise.all(
		outcomes.map(async (outcome) =>
			isAccepted(outcome) && outcome.error === undefined
				? await pollTask(run, outcome, requests?.get(outcome.itemIndex))
				: outcome,
		),
	);
}

/** Asks once for every task that has not ended. A transient error changes nothing. */
export async function refreshTasks(
	run: TaskRun,
	outcomes: readonly TaskOutcome[],
	requests?: ReadonlyMap<number, RequestLinks>,
): Promise<TaskOutcome[]> {
	return await Promise.all(
		outcomes.map(async (outcome) => {
			if (!isAccepted(outcome) || outcome.error !== undefined || hasEnded(outcome.task.status)) return outcome;
			try {
				const record = await retrieveRecord(run, outcome.taskId, 'once');
				return withRecord(run, outcome, record, requests?.get(outcome.itemIndex));
			} catch (error) {
				if (error instanceof ApiError) return outcome;
				throw asError(error);
			}
		}),
	);
}
