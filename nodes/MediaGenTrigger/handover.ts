import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { TASK_FAMILIES, type TaskFamily } from '../shared/api/family';
import { taskRecord, type TaskRecord } from '../shared/api/records';
import { readRunOptions } from '../shared/n8n/options';
import { toJson } from '../shared/output/items';
import { downloadAll, outputItems } from '../shared/tasks/deliver';
import { readAs } from '../shared/tasks/run';
import { unknownConnection } from '../shared/api/connection';
import { z } from '../shared/util/vendor/zod';
import { recentCredential } from './recentCredential';

/** What the call hands to the execution that it starts. */
export interface Handover {
	taskId: string;
	family: TaskFamily;
	record: TaskRecord;
	/** The service itself has said what stands in the record. */
	verified: boolean;
	/**
	 * Whether the process that runs the execution has to store that it has begun, for the one that took the call may not
	 * run any, as in n8n's queue mode.
	 */
	storeStart: boolean;
}

const handover = z.object({
	taskId: z.string(),
	family: z.enum(TASK_FAMILIES),
	record: taskRecord,
	verified: z.boolean(),
	storeStart: z.boolean(),
});

export function handoverItem(value: Handover): INodeExecutionData {
	return { json: toJson(value) };
}

/** Reads what the call handed over; `undefined` for an item that comes from elsewhere. */
export function readHandover(item: INodeExecutionData): Handover | undefined {
	const read = handover.safeParse(item.json);
	return read.success ? read.data : undefined;
}

/**
 * Makes the trigger's output of it. Only here does n8n know the execution: a file that is downloaded during the call
 * itself goes to a folder for all of them, and n8n 1.x then finds none but the first item's.
 */
export async function deliver(context: IExecuteFunctions, tasks: readonly Handover[]): Promise<INodeExecutionData[]> {
	const options = readRunOptions(context.getNode(), context.getNodeParameter('options', 0, {}));
	const items: INodeExecutionData[] = [];
	for (const [itemIndex, { taskId, family, record, verified }] of tasks.entries()) {
		const credential = verified ? await recentCredential(context) : undefined;
		const delivery = {
			context,
			family,
			operation: 'callback',
			options,
			// A record that nobody has vouched for may name any address, so its files are fetched by the strict rules.
			client: { connection: credential?.connection ?? unknownConnection },
			signal: context.getExecutionCancelSignal(),
		};
		const delivered = await downloadAll(delivery, [{ itemIndex, taskId, read: readAs(delivery, taskId, record) }]);
		items.push(...outputItems(delivery, delivered));
	}
	return items.map(({ pairedItem: _, ...item }) => item);
}
