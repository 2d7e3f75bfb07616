import type { IExecuteFunctions } from 'n8n-workflow';

import { type TaskFamily, taskPath } from '../api/family';
import { asError, ServiceFault } from '../api/faults';
import { taskAnswer, type TaskRecord } from '../api/records';
import { readRunOptions, type RunOptions } from '../n8n/options';
import { toTask } from '../output/task';
import type { DownloadContext } from '../output/download';
import { createClient, type ServiceClient, type ServiceContext } from '../api/client';
import { clock } from '../util/clock';
import { pLimit } from '../util/vendor/pLimit';
import type { Look } from './wait';

/** What an n8n context must offer for tasks to be looked at and their files to be fetched. */
export interface TaskContext extends ServiceContext, Omit<DownloadContext, 'helpers'> {
	helpers: ServiceContext['helpers'] & DownloadContext['helpers'];
}

/** What it takes to tell what became of tasks and to fetch their files. */
export interface Delivery<Context extends TaskContext = TaskContext> {
	context: Context;
	family: TaskFamily;
	operation: string;
	options: RunOptions;
	client: Pick<ServiceClient, 'connection'>;
	signal: AbortSignal | undefined;
}

/** The tasks that one run of a node deals with, and what it needs to deal with them. */
export interface Run<Context extends TaskContext = IExecuteFunctions> extends Delivery<Context> {
	client: ServiceClient;
	/** Milliseconds since 1970 at which waiting stops. */
	deadline: number;
	/** Runs a job as soon as fewer than "Concurrency" others are under way. */
	limit: <Result>(job: () => Promise<Result>) => Promise<Result>;
}

/** Reads the options and the credential once for all items. Throws n8n errors that name what is wrong. */
export async function openRun(
	context: IExecuteFunctions,
	family: TaskFamily,
	operation: string,
): Promise<Run> {
	const options = readRunOptions(context.getNode(), context.getNodeParameter('options', 0, {}));
	const signal = context.getExecutionCancelSignal();
	return {
		context,
		family,
		operation,
		options,
		client: await createClient(context, signal),
		signal,
		deadline: clock.now() + options.timeout * 1_000,
		limit: pLimit(options.concurrency),
	};
}

function pathOf(run: Run<TaskContext>, taskId: string): string {
	const { taskQueryPath } = run.options;
	return taskQueryPath
		? taskQueryPath.replaceAll('{task_id}', encodeURIComponent(taskId))
		: taskPath(run.family, taskId);
}

/** One look at a task, within the run's limit of requests. */
export function lookAt(run: Run<TaskContext>, taskId: string, retry: 'once' | 'read' = 'once'): Look {
	return async () =>
		await run.limit(async () => {
			try {
				return await run.client.send({ method: 'GET', path: pathOf(run, taskId), retry }, taskAnswer);
			} catch (error) {
				if (error instanceof ServiceFault) return error;
				throw asError(error);
			}
		});
}

/** Tells a record of one of this run's tasks in the common shape. */
export function readAs(run: Delivery, taskId: string, record: TaskRecord) {
	const origin = { taskId, family: run.family, operation: run.operation };
	return { task: toTask(record, origin, run.client.connection.brandWords, clock.now()), record };
}
