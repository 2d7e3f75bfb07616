import type { TaskFamily } from '../shared/api/families';
import { readTaskId, readTaskRecord, type TaskRecord } from '../shared/api/records';
import { isGridRecord, resultFiles } from '../shared/output/resultFiles';
import { isObject } from '../shared/util/json';

/** The task that a callback is about, be its body bare or enveloped; `undefined` if it names none. */
export const taskIdOf = readTaskId;

/** Whose task a record is, by its shape; `undefined` where that does not show. */
export function familyOf(record: TaskRecord): TaskFamily | undefined {
	if (isGridRecord(record, null)) return 'grid';
	const result = isObject(record.raw.result) ? record.raw.result : {};
	if (result.music !== undefined || result.upsampled_tags !== undefined) return 'music';
	if (result.images !== undefined) return 'image';
	return resultFiles(record, null, 0).some(({ kind }) => kind === 'video') ? 'video' : undefined;
}

/** The record that a callback's body claims to be; `undefined` if it is none. */
export const claimedRecord = readTaskRecord;
