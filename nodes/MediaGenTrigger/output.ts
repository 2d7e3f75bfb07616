import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { createClient } from '../shared/api/client';
import { unknownConnection } from '../shared/api/connection';
import { TASK_FAMILIES } from '../shared/api/families';
import { toTaskRecord } from '../shared/api/records';
import { DOWNLOAD_WITHIN_MS } from '../shared/callbacks/callback';
import { runError } from '../shared/n8n/failedItems';
import { firstItemOf, readItemOptions, readRunOptions } from '../shared/n8n/readOptions';
import { type AcceptedItem, downloadResults, fatalItem, outputItems } from '../shared/output/items';
import { countCost } from '../shared/report/customData';
import { runHints } from '../shared/report/hints';
import { acceptedItem, withRecord } from '../shared/tasks/taskRun';
import { clock } from '../shared/util/clock';
import { toJson } from '../shared/util/json';
import { z } from '../shared/util/vendor/zod';
import { recentConnection } from './recentCredential';
import { retrieveTask } from './verify';

/** What the call hands to the execution, as JSON. Expressions in the options, such as a file name, can use it as `$json`. */
export const triggerPayload = z.object({
	taskId: z.string(),
	family: z.enum(TASK_FAMILIES).nullable(),
	/** As the call found it. What stood around the record, such as its ID, is not handed over. */
	record: z
		.object({ raw: z.record(z.unknown()), status: z.string() })
		.transform((stated) => toTaskRecord(stated)),
	reference: z.string().optional(),
	referenceVerified: z.boolean().optional(),
	verified: z.boolean(),
	/** See `processedTasks`. */
	key: z.string(),
	/** Tells starts of the same task apart. */
	startId: z.string(),
	/** Hours for which the execution must store that it started: in queue mode, the process that received the call may run none. */
	storeForHours: z.number().optional(),
});

export type TriggerPayload = z.infer<typeof triggerPayload>;

export const payloadItem = (values: z.input<typeof triggerPayload>): INodeExecutionData => ({
	json: toJson(values),
});

/** Makes the output of a call. Files are downloaded only here: an execution has a place in n8n's binary storage, and time. */
export async function taskOutput(
	context: IExecuteFunctions,
	{ taskId, family, record, reference, referenceVerified, verified }: TriggerPayload,
): Promise<INodeExecutionData[]> {
	const node = context.getNode();
	const options = readRunOptions(firstItemOf(context));
	const signal = context.getExecutionCancelSignal();
	// The files of a record that was not verified are downloaded from public addresses only.
	const connection = (verified ? await recentConnection(context) : undefined) ?? unknownConnection;
	const deadline = clock.now() + DOWNLOAD_WITHIN_MS;
	const client = { connection };
	const run = { context, family, operation: 'callback', options, client, signal, deadline };
	// n8n may run an execution long after the call, such as a retry.
	const readAgain = async (item: AcceptedItem): Promise<AcceptedItem> => {
		const { taskQueryPath } = options;
		const hints = { hint: family, taskQueryPath, retry: 'read' as const };
		const service = createClient(context, connection, signal);
		const found = await retrieveTask(service, taskId, hints).catch(() => undefined);
		return typeof found === 'object' ? withRecord(run, item, found.record) : item;
	};
	const { fileName } = readItemOptions(context.getNodeParameter('options', 0, {}), undefined);
	const itemOptions = { fileName, reference, referenceVerified };
	const item = acceptedItem(run, { itemIndex: 0, notes: [], options: itemOptions }, taskId);
	const read = verified ? { ...run, readAgain } : run;
	const outcomes = await downloadResults(read, [withRecord(run, item, record)]);
	// A record that was not verified may be forged.
	if (verified) countCost(context, outcomes, 'read');
	const failed = fatalItem(context, outcomes);
	// The node of the way out, Task: Get, has no reference.
	const row = reference === undefined ? '' : `, reference ${JSON.stringify(reference)}`;
	if (failed) throw runError(node, outcomes, failed, `This is task ${taskId}${row}.`);
	context.addExecutionHints(...runHints(outcomes));
	return outputItems(node, outcomes, options);
}
