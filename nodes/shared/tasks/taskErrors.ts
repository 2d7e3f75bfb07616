import type { INode, INodeExecutionData } from 'n8n-workflow';

import {
	type ApiError,
	InsufficientBalanceError,
	InvalidRequestError,
	NotFoundError,
} from '../api/errors';
import { FAMILIES, type TaskFamily } from '../api/families';
import { asNodeError, itemError, type NodeError } from '../n8n/nodeErrors';
import type { RunOptions } from '../n8n/options';
import { type AcceptedItem, isRefunded } from '../output/items';
import type { Task } from '../output/task';

interface FailedRun {
	context: { getNode(): INode; getInputData?(): INodeExecutionData[] };
	family: TaskFamily;
	operation: string;
	options: Pick<RunOptions, 'timeout'>;
}

/** Whether another run would buy another task: this one does not only read. */
const buysTasks = ({ operation }: Pick<FailedRun, 'operation'>) =>
	operation !== 'get' && operation !== 'wait';

const resumeHint = (taskId: string) =>
	`The task continues at the service. Get it with the resource Task, operation Wait, and the task ID ${taskId}.`;

export function timeoutError(
	run: FailedRun,
	item: AcceptedItem,
	last: ApiError | undefined,
): NodeError {
	const { itemIndex, taskId, task, record } = item;
	// An ID that no read has shown, such as a mistyped one. A task that was just bought may become known a moment later.
	const isUnknown = last instanceof NotFoundError && last.details.fromService === true;
	if (isUnknown && record === undefined && !buysTasks(run)) return retrieveError(run, item, last);
	const message = `Task ${taskId} was still ${task.status} after ${run.options.timeout} seconds`;
	const description = [
		`Its last status was "${task.serviceStatus}".`,
		...(last ? [`The last request failed: ${last.message}.`] : []),
		resumeHint(taskId),
		'A higher "Timeout" in the options waits longer.',
	];
	return itemError(run.context.getNode(), message, itemIndex, description.join(' '));
}

export function canceledError(run: FailedRun, { itemIndex, taskId }: AcceptedItem): NodeError {
	const message = `The execution was canceled while it waited for task ${taskId}`;
	return itemError(run.context.getNode(), message, itemIndex, resumeHint(taskId));
}

export function failureError(
	{ context }: Pick<FailedRun, 'context'>,
	item: AcceptedItem,
	{ message, code, type }: NonNullable<Task['error']>,
): NodeError {
	const { itemIndex, taskId, task } = item;
	const refund = isRefunded(item)
		? 'The service refunds what a failed task was charged.'
		: `No refund is promised for a task that ended as "${task.serviceStatus}", so another attempt does not buy it again. A new execution does.`;
	const error = itemError(
		context.getNode(),
		`Task ${taskId} failed: ${message}`,
		itemIndex,
		refund,
	);
	Object.assign(error.context, { code, type });
	return error;
}

type RetrievingRun = Pick<FailedRun, 'context' | 'family' | 'operation'>;

/** What to do where the service does not know a task: another family's node may have given it out, or its records have another path. */
function unknownTaskHint(
	run: RetrievingRun,
	{ itemIndex, taskId, options }: AcceptedItem,
): string | undefined {
	if (buysTasks(run) && options.reused !== true)
		return `The node has bought this task, so the service may have the records of tasks at another path: set "Task Query Path" in the options. Then get the task with the resource Task, operation Get, and the task ID ${taskId}.`;
	const given = run.context.getInputData?.()[itemIndex]?.json.family;
	if (typeof given === 'string' && given !== run.family)
		return `The input item is of the family "${given}": use the MediaGen node of that family.`;
	return FAMILIES[run.family].isQueryPathGuessed
		? 'Check the task ID, and that the credential belongs to the account that bought the task. If both are right, set "Task Query Path" in the options.'
		: undefined;
}

/** What to do after a request for a task that failed; `undefined` for the usual hint. */
function retrieveHint(run: RetrievingRun, item: AcceptedItem, error: unknown): string | undefined {
	if (error instanceof NotFoundError) return unknownTaskHint(run, item);
	const isRefused =
		error instanceof InvalidRequestError || error instanceof InsufficientBalanceError;
	return buysTasks(run) && isRefused
		? `Get the task later, with the resource Task, operation Get, and the task ID ${item.taskId}.`
		: undefined;
}

/** The error of a request for a task, if a later request would not succeed either. */
export function retrieveError(run: RetrievingRun, item: AcceptedItem, error: unknown): NodeError {
	const { itemIndex, taskId } = item;
	const context = `This was the response to the request for task ${taskId}.`;
	const hint = retrieveHint(run, item, error);
	return asNodeError(run.context.getNode(), error, { itemIndex, context, hint });
}
