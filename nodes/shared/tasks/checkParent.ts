import type { INodeProperties } from 'n8n-workflow';

import type { BrandWordMap } from '../api/brandWords';
import { ApiError, asError, CanceledError } from '../api/errors';
import { knownStatus, type TaskRecord } from '../api/records';
import { refusal } from '../n8n/parameters';
import { rejected } from '../output/items';
import type { PreparedItem, RequestBody } from './prepare';
import { type BuyingRun, retrieveRecord, type TaskRun } from './taskRun';

/**
 * Checks a request by the record of the task that `task_id` names (spec §4 and §5); without a record the service decides. `problem`: why the
 * service would refuse the request, with the field in the API's name, and words that begin with "must" or "is".
 */
export type ParentRule = (
	body: RequestBody,
	record: TaskRecord | undefined,
	words: BrandWordMap,
) => { problem?: { field: string; message: string }; notes?: string[] };

export function mustBeCompleted(status: string): string {
	const state =
		status === 'failed' ? 'this one has failed' : `this one is still ${status}: wait for it first`;
	return `must be a completed task; ${state}`;
}

/** A parent must be completed. The service decides about a status that is not known here. */
function checkStatus(record: TaskRecord | undefined): ReturnType<ParentRule> | undefined {
	const status = record && knownStatus(record.status);
	if (status === undefined || status === 'completed') return undefined;
	return { problem: { field: 'task_id', message: mustBeCompleted(status) } };
}

async function parentRecord(run: TaskRun, taskId: unknown): Promise<TaskRecord | undefined> {
	if (typeof taskId !== 'string') return undefined;
	try {
		return await retrieveRecord(run, taskId, 'once');
	} catch (error) {
		// The submission meets the same problem, and its error says more.
		if (error instanceof ApiError && !(error instanceof CanceledError)) return undefined;
		throw asError(error);
	}
}

/** Reads the parent tasks before the first request, each once, and refuses what the service would refuse, with the field's label. */
export async function checkParents(
	run: BuyingRun,
	fields: readonly INodeProperties[],
	check: ParentRule,
	items: readonly PreparedItem[],
): Promise<PreparedItem[]> {
	const { brandWords } = run.client.connection;
	const parents = new Map<unknown, Promise<TaskRecord | undefined>>();
	return await Promise.all(
		items.map(async (item) => {
			if (item.state !== 'ready') return item;
			// What was bought before is not sent again.
			if (item.existing || run.records.stateOf(item.purchase) !== undefined) return item;
			const { task_id: taskId } = item.body;
			const read = parents.get(taskId) ?? parentRecord(run, taskId);
			parents.set(taskId, read);
			const record = await read;
			const { problem, notes = [] } = checkStatus(record) ?? check(item.body, record, brandWords);
			if (!problem) return { ...item, notes: [...item.notes, ...notes] };
			const panel = { context: run.context, fields, itemIndex: item.itemIndex };
			return rejected(item, refusal(panel, problem.field, problem.message));
		}),
	);
}
