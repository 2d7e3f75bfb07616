import { type BrandWordMap, neutralUsage } from '../api/brandWords';
import type { TaskFamily } from '../api/families';
import { knownStatus, type TaskRecord, type TaskStatus } from '../api/records';
import { toCamelCase } from '../util/case';
import { isObject } from '../util/json';
import {
	isGridRecord,
	type RequestLinks,
	type ResultFile,
	resultFiles,
	resultOf,
} from './resultFiles';

export interface TaskError {
	message: string;
	code: string | null;
	type: string | null;
	httpStatus: number | null;
}

/** A task in the shape that all families share (design, The task shape). */
export interface Task {
	taskId: string;
	/** `null` where a callback does not show it. */
	family: TaskFamily | null;
	/** The operation that made the task, as far as it is known. */
	operation: string;
	status: TaskStatus;
	/** The service's own word for the status. */
	serviceStatus: string;
	/** Percent. */
	progress: number | null;
	results: ResultFile[];
	/** The first result's link. */
	url: string | null;
	cost: number | null;
	creditsCost: number | null;
	usage: Record<string, unknown> | null;
	/** Set for a failed task only. */
	error?: TaskError;
	/** Other fields of the record, under their camelCase names. */
	[extra: string]: unknown;
}

/** What a node knows of a task besides its record. */
export interface TaskOrigin {
	taskId: string;
	family: TaskFamily | null;
	operation: string;
	request?: RequestLinks;
}

/** Fields of a record that the shared shape has under another name, or that repeat the request. */
const SHOWN_ELSEWHERE = new Set(['id', 'result', 'fail_reason', 'image_urls']);

/** Names that a record's own fields never replace. */
const OWN_FIELDS = new Set([
	...[
		'taskId',
		'family',
		'operation',
		'reference',
		'referenceVerified',
		'status',
		'serviceStatus',
		'progress',
		'results',
		'url',
	],
	...['cost', 'creditsCost', 'usage', 'error', 'notes', 'input', 'record', 'task', 'fileName'],
]);

function extraFields({ raw }: TaskRecord): Record<string, unknown> {
	const result = resultOf({ raw });
	const entries = Object.entries(raw)
		.filter(([name]) => !SHOWN_ELSEWHERE.has(name))
		.map(([name, value]) => [toCamelCase(name), value] as const);
	const tags = isObject(result) ? result.upsampled_tags : undefined;
	return Object.fromEntries([
		...entries.filter(([name]) => !OWN_FIELDS.has(name)),
		...(tags === undefined ? [] : [['upsampledTags', tags] as const]),
	]);
}

/** The spec does not show every word for a status: an unknown one is running, unless the record shows the end. */
function recordStatus(record: TaskRecord, results: readonly ResultFile[]): TaskStatus {
	const known = knownStatus(record.status);
	if (known !== undefined) return known;
	if (record.progress === undefined || record.progress < 100) return 'running';
	if (record.failure !== undefined) return 'failed';
	return results.length > 0 ? 'completed' : 'running';
}

function errorOf({ failure }: TaskRecord): TaskError {
	return {
		message: failure?.message ?? 'The service gives no reason',
		code: failure?.code ?? null,
		type: failure?.type ?? null,
		httpStatus: null,
	};
}

/**
 * Converts a task record to the shared task shape.
 *
 * @param words the deployment's words, for the names in `usage`
 * @param now milliseconds since 1970
 * @param baseUrl where relative links lead
 */
export function toTask(
	record: TaskRecord,
	origin: TaskOrigin,
	words: BrandWordMap,
	now: number,
	baseUrl = '',
): Task {
	const { taskId, family, operation, request } = origin;
	const results = resultFiles(record, family, now, request, baseUrl);
	const status = recordStatus(record, results);
	const isGrid = isGridRecord(record, family) && record.action !== undefined;
	return {
		taskId,
		family,
		operation: isGrid ? toCamelCase(String(record.action).toLowerCase()) : operation,
		status,
		serviceStatus: record.status,
		progress: record.progress ?? (status === 'completed' ? 100 : null),
		results,
		url: results[0]?.url ?? null,
		cost: record.cost ?? null,
		creditsCost: record.creditsCost ?? null,
		usage: record.usage ? neutralUsage(record.usage, words) : null,
		...(status === 'failed' ? { error: errorOf(record) } : {}),
		...extraFields(record),
	};
}

/** A task of which only the acknowledgement is known. */
export function submittedTask({ taskId, family, operation }: TaskOrigin): Task {
	return {
		taskId,
		family,
		operation,
		status: 'submitted',
		serviceStatus: 'submitted',
		progress: null,
		results: [],
		url: null,
		cost: null,
		creditsCost: null,
		usage: null,
	};
}
