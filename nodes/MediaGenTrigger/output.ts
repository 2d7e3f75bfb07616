import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { unknownConnection } from '../shared/api/connection';
import { TASK_FAMILIES, type TaskFamily } from '../shared/api/families';
import { readTaskRecord, type TaskRecord } from '../shared/api/records';
import { isFailed, runError } from '../shared/n8n/nodeErrors';
import { readItemOptions, readRunOptions } from '../shared/n8n/options';
import { type AcceptedOutcome, outputItems, type TaskOutcome } from '../shared/output/items';
import { runHints } from '../shared/tasks/runHints';
import { acceptedTask, downloadResults, type TaskContext, withRecord } from '../shared/tasks/taskRun';
import { clock } from '../shared/util/clock';
import { isObject, toJson } from '../shared/util/json';
import { z } from '../shared/util/vendor/zod';
import { recentConnection } from './recentCredential';

/** What the call hands to the execution, as JSON. Expressions in the options, such as a file name, can use it as `$json`. */
const payload = z.object({
	taskId: z.string(),
	family: z.enum(TASK_FAMILIES).nullable(),
	record: z.custom<Record<string, unknown>>(isObject),
	reference: z.string().optional(),
	/** Whether the record was read from the service. */
	verified: z.boolean(),
	/** See `processedTasks`. */
	key: z.string(),
	/** Tells starts of the same task apart. */
	startId: z.string(),
	/** Whether the execution must store that it has started: the process that took the call may run none, as in queue mode. */
	storeStart: z.boolean(),
});

export type TriggerPayload = z.infer<typeof payload>;

export function payloadItem(values: Omit<TriggerPayload, 'record'> & { record: TaskRecord }): INodeExecutionData {
	return { json: toJson(payload.parse({ ...values, record: values.record.raw })) };
}

/** Reads what the call handed over. Returns `undefined` for an item from elsewhere. */
export function readPayload({ json }: INodeExecutionData): TriggerPayload | undefined {
	return payload.safeParse(json).data;
}

/** Converts a record to the shared task shape. */
export function mapTask(
	context: TaskContext,
	{ taskId, family, record }: { taskId: string; family: TaskFamily | null; record: TaskRecord },
	connection = unknownConnection,
	own: Pick<TaskOutcome, 'itemIndex' | 'options'> = { itemIndex: 0, options: {} },
): AcceptedOutcome {
	const run = { context, family, operation: 'callback', client: { connection } };
	return withRecord(run, { ...own, taskId, task: acceptedTask(run, taskId), notes: [] }, record);
}

/** Milliseconds for the downloads of one task. */
const DOWNLOAD_WITHIN_MS = 600_000;

/**
 * Returns the output for what the call handed over. Files are downloaded here and not in the call: only the execution has a
 * place in n8n's binary storage, and only there may it take long.
 */
export async function taskOutput(context: IExecuteFunctions, payloads: readonly TriggerPayload[]): Promise<INodeExecutionData[]> {
	const node = context.getNode();
	const options = readRunOptions({ getNode: () => node, getParameter: (name): unknown => context.getNodeParameter(name, 0, null) });
	const signal = context.getExecutionCancelSignal();
	const outcomes: TaskOutcome[] = [];
	for (const [itemIndex, { taskId, family, record: raw, reference, verified }] of payloads.entries()) {
		// The files of a record that was not verified are downloaded from public addresses only.
		const connection = (verified ? await recentConnection(context) : undefined) ?? unknownConnection;
		const record = readTaskRecord({ data: raw });
		if (!record) continue;
		const { fileName } = readItemOptions(context.getNodeParameter('options', itemIndex, {}), undefined);
		const own = { itemIndex, options: { fileName, reference } };
		const mapped = mapTask(context, { taskId, family, record }, connection, own);
		const run = { context, options, signal, deadline: clock.now() + DOWNLOAD_WITHIN_MS, client: { connection } };
		outcomes.push(...(await downloadResults(run, [mapped])));
	}
	const failed = outcomes.find(isFailed);
	if (failed && !context.continueOnFail()) throw runError(node, outcomes, failed, `Task ${failed.taskId ?? ''}`);
	if (outcomes.length > 0) context.addExecutionHints(...runHints(outcomes));
	return outputItems(node, outcomes, options);
}
