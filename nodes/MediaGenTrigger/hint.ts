import type { TaskFamily } from '../shared/api/family';
import { gridRecord, imageResult, musicResult, readTaskRecord, type TaskRecord } from '../shared/api/records';
import { z } from '../shared/util/vendor/zod';

const named = z
	.object({ id: z.string().min(1).optional(), task_id: z.string().min(1).optional() })
	.transform(({ id, task_id }) => id ?? task_id);

/** The task that a callback is about, be its body bare or enveloped; `undefined` if it names none. */
export function taskIdOf(body: unknown): string | undefined {
	const bare = named.safeParse(body);
	if (bare.success && bare.data !== undefined) return bare.data;
	const wrapped = z.object({ data: named }).safeParse(body);
	return wrapped.success ? wrapped.data.data : undefined;
}

/** Whose task a record is, by its shape; `undefined` where that does not show. */
export function familyOf(record: TaskRecord): TaskFamily | undefined {
	const grid = gridRecord.safeParse(record);
	if (grid.success && (grid.data.image_urls ?? grid.data.grid_image_url ?? grid.data.action)) return 'grid';
	if (musicResult.safeParse(record.result).success) return 'music';
	if (imageResult.safeParse(record.result).success) return 'image';
	const tags = z.object({ upsampled_tags: z.unknown() }).safeParse(record.result);
	if (tags.success && tags.data.upsampled_tags !== undefined) return 'music';
	return /\.(mp4|mov|webm)\b/i.test(JSON.stringify(record.result ?? null)) ? 'video' : undefined;
}

/** The record that a callback's body claims to be; `undefined` if it is none. */
export const claimedRecord = readTaskRecord;
