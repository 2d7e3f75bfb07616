import type { INodeProperties } from 'n8n-workflow';

import type { BrandWordMap } from '../api/brandWords';
import { ApiError, asError, CanceledError } from '../api/errors';
import { knownStatus, type TaskRecord } from '../api/records';
import { validationError } from '../n8n/parameters';
import { rejected } from '../output/items';
import type { PurchaseRecords } from '../purchase/purchaseRecords';
import type { PreparedItem, RequestBody } from './prepare';
import { retrieveRecord, type TaskRun } from './taskRun';

/** What the record of a parent task says about a request that builds on it. */
export interface ParentCheck {
	/** Why the service would refuse the request: the field in the API's name, and words that begin with "must" or "is". */
	problem?: { field: string; message: string };
	notes?: string[];
}

/** Rules about a request that only the record of its parent task can show (spec §4 and §5). */
export interface ParentRule {
	/** Id of the parent task. */
	parentOf(body: RequestBody): unknown;
	/** Checks the request. `record` is absent where the service does not show it: then the service decides. */
	check?(body: RequestBody, record: TaskRecord | undefined, words: BrandWordMap): ParentCheck;
}

/** A parent must be completed. The service decides about a status that is not known here. */
function checkStatus(record: TaskRecord | undefined): ParentCheck {
	const status = record && knownStatus(record.status);
	if (status === undefined || status === 'completed') return {};
	const state =
		status === 'failed' ? 'this one has failed' : `this one is still ${status}: wait for it first`;
	return { problem: { field: 'task_id', message: `must be a completed task; ${state}` } };
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

/**
 * Reads the parent tasks before the first request is sent, each once, and refuses requests that the service would refuse, with
 * the field's label.
 */
export async function checkParents(
	run: TaskRun,
	fields: readonly INodeProperties[],
	parent: ParentRule,
	items: readonly PreparedItem[],
	records: PurchaseRecords,
): Promise<PreparedItem[]> {
	const parents = new Map<unknown, Promise<TaskRecord | undefined>>();
	const recordOf = async (taskId: unknown) => {
		const known = parents.get(taskId) ?? parentRecord(run, taskId);
		parents.set(taskId, known);
		return await known;
	};
	return await Promise.all(
		items.map(async (item) => {
			// What was bought before is not sent again.
			if (item.state !== 'ready' || item.existing || records.stateOf(item.purchase) !== undefined)
				return item;
			const record = await recordOf(parent.parentOf(item.body));
			const status = checkStatus(record);
			const { problem, notes = [] } = status.problem
				? status
				: (parent.check?.(item.body, record, run.client.connection.brandWords) ?? {});
			if (!problem) return { ...item, notes: [...item.notes, ...notes] };
			const issue = { path: [problem.field], message: problem.message };
			return rejected(
				item,
				validationError(run.context.getNode(), fields, [issue], item.itemIndex),
			);
		}),
	);
}
