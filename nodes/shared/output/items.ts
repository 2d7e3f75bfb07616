import type { GenericValue, IBinaryData, IBinaryKeyData, IDataObject, INodeExecutionData } from 'n8n-workflow';

import type { TaskRecord } from '../api/records';
import type { ResultFile } from './resultFiles';
import type { Task } from './task';

/** A task that has been read, with the record it was read from. */
export interface ReadTask {
	task: Task;
	/** The record as it came; absent where only the acknowledgement is known. */
	record?: TaskRecord;
}

/** How the output is to look: see the options of the same names. */
export interface OutputRules {
	simplify: boolean;
	output: 'task' | 'result';
	binaryPropertyName: string;
}

/** JSON values are all that a record, or a task made of one, can hold. */
export function toJson(value: object): IDataObject {
	return Object.fromEntries(
		Object.entries(value).map(([name, inner]: [string, GenericValue]) => [name, inner]),
	);
}

function jsonOf({ task, record }: ReadTask, rules: OutputRules): IDataObject {
	return toJson(rules.simplify ? task : (record ?? task));
}

function fileJson(read: ReadTask, file: ResultFile, rules: OutputRules): IDataObject {
	const { results: _, ...rest } = jsonOf(read, rules);
	return { ...rest, ...toJson(file) };
}

/** Names of the binary fields for the files of one item: `data`, `data2`, `data3` … */
function binaryFields(name: string, files: readonly IBinaryData[]): IBinaryKeyData {
	return Object.fromEntries(files.map((file, at) => [at === 0 ? name : `${name}${at + 1}`, file]));
}

/**
 * The output items for one task: one for the task, or one for each of its files. `files` holds the downloaded
 * files in the order of the task's results, if any were asked for.
 */
export function toItems(
	read: ReadTask,
	files: readonly IBinaryData[] | undefined,
	itemIndex: number,
	rules: OutputRules,
): INodeExecutionData[] {
	const item = (json: IDataObject, own: readonly IBinaryData[] | undefined): INodeExecutionData => ({
		json,
		pairedItem: { item: itemIndex },
		...(own?.length ? { binary: binaryFields(rules.binaryPropertyName, own) } : {}),
	});
	if (rules.output === 'task' || read.task.results.length === 0) {
		return [item(jsonOf(read, rules), files)];
	}
	return read.task.results.map((file, at) =>
		item(fileJson(read, file, rules), files?.slice(at, at + 1)),
	);
}
