import { type BrandWordMap, neutralUsage } from '../api/brandWords';
import type { TaskFamily } from '../api/family';
import { toCamelCase } from '../util/case';
import { gridRecord, type TaskRecord } from '../api/records';
import { type TaskStatus, toTaskStatus } from '../api/status';
import { z } from '../util/vendor/zod';
import { type ResultFile, resultFiles } from './resultFiles';

/** What a node says of a task: the same shape for every family, so that one workflow serves all. */
export interface Task {
	taskId: string;
	family: TaskFamily;
	/** The operation that made the task, as far as it is known. */
	operation: string;
	status: TaskStatus;
	/** The service's own word for the state. */
	serviceStatus: string;
	/** Percent. */
	progress: number | null;
	results: ResultFile[];
	error: { message: string; code: string | null } | null;
	cost: number | null;
	creditsCost: number | null;
	usage: Record<string, unknown> | null;
	/** A family's own fields, under their camelCase names. */
	[extra: string]: unknown;
}

export interface TaskOrigin {
	taskId: string;
	family: TaskFamily;
	operation: string;
}

const TOLD_ELSEWHERE = new Set([
	'id',
	'task_id',
	'status',
	'progress',
	'result',
	'error',
	'fail_reason',
	'cost',
	'credits_cost',
	'usage',
	'image_urls',
]);

function extrasOf(record: TaskRecord): Record<string, unknown> {
	const own = Object.entries(record).filter(([name]) => !TOLD_ELSEWHERE.has(name));
	const tags = z.object({ upsampled_tags: z.unknown() }).safeParse(record.result);
	if (tags.success && tags.data.upsampled_tags !== undefined) {
		own.push(['upsampled_tags', tags.data.upsampled_tags]);
	}
	return Object.fromEntries(own.map(([name, value]) => [toCamelCase(name), value]));
}

function progressOf(record: TaskRecord, status: TaskStatus): number | null {
	const percent = typeof record.progress === 'string' ? parseFloat(record.progress) : record.progress;
	if (typeof percent === 'number' && Number.isFinite(percent)) return percent;
	return status === 'completed' ? 100 : null;
}

/** Why a task failed, in the service's words, wherever the family keeps them (spec, Resources). */
function failureOf(record: TaskRecord, status: TaskStatus): Task['error'] {
	if (status !== 'failed') return null;
	const { error } = record;
	if (typeof error === 'string' && error !== '') return { message: error, code: null };
	const message = typeof error === 'object' ? error?.message : undefined;
	const code = typeof error === 'object' ? error?.code : undefined;
	return {
		message: message ?? record.fail_reason ?? 'The service gives no reason',
		code: code === undefined || code === null || code === '' ? null : String(code),
	};
}

function operationOf(record: TaskRecord, origin: TaskOrigin): string {
	const grid = gridRecord.safeParse(record);
	const action = grid.success ? grid.data.action : undefined;
	return action === undefined ? origin.operation : toCamelCase(action.toLowerCase());
}

/**
 * Tells a task's record in the shape that all families share (design: What comes out). `now` in milliseconds
 * dates the links of families that state a lifetime but send no date.
 */
export function toTask(record: TaskRecord, origin: TaskOrigin, words: BrandWordMap, now: number): Task {
	const status = toTaskStatus(record.status);
	return {
		taskId: origin.taskId,
		family: origin.family,
		operation: operationOf(record, origin),
		status,
		serviceStatus: record.status,
		progress: progressOf(record, status),
		results: resultFiles(record, origin.family, now),
		error: failureOf(record, status),
		cost: record.cost ?? null,
		creditsCost: record.credits_cost ?? null,
		usage: record.usage ? neutralUsage(record.usage, words) : null,
		...extrasOf(record),
	};
}

/** A task of which nothing is known yet but that the service took it. */
export function submittedTask(origin: TaskOrigin, serviceStatus = 'submitted'): Task {
	return {
		taskId: origin.taskId,
		family: origin.family,
		operation: origin.operation,
		status: toTaskStatus(serviceStatus),
		serviceStatus,
		progress: null,
		results: [],
		error: null,
		cost: null,
		creditsCost: null,
		usage: null,
	};
}
