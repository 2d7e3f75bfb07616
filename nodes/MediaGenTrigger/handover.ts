import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { unknownConnection } from '../shared/api/connection';
import { TASK_FAMILIES, type TaskFamily } from '../shared/api/families';
import { readTaskRecord } from '../shared/api/records';
import { readRunOptions } from '../shared/n8n/options';
import { outputItems } from '../shared/output/items';
import { acceptedTask, downloadResults, withRecord } from '../shared/tasks/taskRun';
import { clock } from '../shared/util/clock';
import { toJson } from '../shared/util/json';
import { z } from '../shared/util/vendor/zod';
import { recentConnection } from './recentCredential';

/** What the call hands to the execution that it starts. */
export interface Handover {
	taskId: string;
	family: TaskFamily | null;
	record: Record<string, unknown>;
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
	family: z.enum(TASK_FAMILIES).nullable(),
	record: z.record(z.unknown()),
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
	const options = readRunOptions({
		getNode: () => context.getNode(),
		getParameter: (name): unknown => context.getNodeParameter(name, 0, null),
	});
	const items: INodeExecutionData[] = [];
	for (const [itemIndex, { taskId, family, record, verified }] of tasks.entries()) {
		const connection = (verified ? await recentConnection(context) : undefined) ?? unknownConnection;
		const signal = context.getExecutionCancelSignal();
		const run = { context, family, operation: 'callback', options, client: { connection }, signal, deadline: clock.now() + 600_000 };
		const outcome = { itemIndex, taskId, task: acceptedTask(run, taskId), notes: [], options: {} };
		const read = readTaskRecord({ data: record });
		const downloaded = await downloadResults(run, [read ? withRecord(run, outcome, read) : outcome]);
		items.push(...outputItems(context.getNode(), downloaded, options));
	}
	return items;
}
