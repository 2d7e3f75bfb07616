import { type BrandWordMap, neutralUsage } from '../api/brandWords';
import { otherReason } from '../api/errors';
import { isGridRecord, TASK_FAMILIES, type TaskFamily } from '../api/families';
import {
	knownStatus,
	TASK_STATUSES,
	type TaskRecord,
	type TaskStatus,
	toTaskRecord,
} from '../api/records';
import { toCamelCase } from '../util/case';
import { objectOf } from '../util/json';
import { z } from '../util/vendor/zod';
import {
	besideTaskShape,
	type SentRequest,
	type ResultFile,
	resultFiles,
	resultOf,
	resultShape,
	textResult,
} from './resultFiles';

/** A task in the shape of all families (design, The task shape): its type, the names that no record replaces, and what the editor shows. */
export const taskShape = z.object({
	taskId: z.string(),
	/** `null` where a callback does not show it. */
	family: z.enum(TASK_FAMILIES).nullable(),
	/** The operation that made the task, as far as it is known. */
	operation: z.string(),
	status: z.enum(TASK_STATUSES),
	/** The service's own word for the status. */
	serviceStatus: z.string(),
	/** Percent. */
	progress: z.number().nullable(),
	results: z.array(resultShape),
	url: z.string().nullable(),
	cost: z.number().nullable(),
	creditsCost: z.number().nullable(),
	usage: z.record(z.unknown()).nullable(),
	/** Set for a failed task only. */
	error: z
		.object({
			message: z.string(),
			code: z.string().nullable(),
			type: z.string().nullable(),
			httpStatus: z.number().nullable(),
		})
		.optional(),
});

/** With other fields of the record, under their camelCase names. */
export type Task = z.infer<typeof taskShape> & { [extra: string]: unknown };

/** What a node knows of a task besides its record. */
interface TaskOrigin {
	taskId: string;
	family: TaskFamily | null;
	operation: string;
	request?: SentRequest;
}

/** Fields of a record that the shared shape has under another name, or that repeat the request. */
const SHOWN_ELSEWHERE = new Set(['id', 'result', 'fail_reason', 'image_urls']);

/** Names that a record's own fields never replace: an item can have them beside the task, those from `fileName` on while it waits. */
const RESERVED = new Set([
	...Object.keys(taskShape.shape),
	...Object.keys(besideTaskShape.shape),
	'record',
	'task',
	'fileName',
	'recordKey',
	'requestLinks',
	'evaluatedOptions',
	'leftOut',
	'pauseLimit',
	'secretDigest',
]);

function extraFields(fields: Record<string, unknown>): Record<string, unknown> {
	return Object.fromEntries(
		Object.entries(fields)
			.filter(([name]) => !SHOWN_ELSEWHERE.has(name))
			.map(([name, value]) => [toCamelCase(name), value] as const)
			.filter(([name]) => !RESERVED.has(name)),
	);
}

/** Operations that make text, or whose task may have made anything. */
const MAY_BE_TEXT = new Set(['upsampleTags', 'get', 'wait', 'submit', 'callback']);

/** Whether a picture only shows what a song or a video looks like: the cover, or a frame. */
export const isCover = ({ family }: Task, { kind, name }: ResultFile) =>
	kind === 'image' && (family === 'music' || (family === 'video' && name !== null));

const MAIN_FILE = /^(?:audio|video)(?:_?url)?$/i;

/** Whether a result names a song or a video that it does not have yet, at any depth: `"audio_url": ""`. */
function namesMissing(result: unknown): boolean {
	if (typeof result !== 'object' || result === null) return false;
	return Object.entries(result).some(([field, value]: [string, unknown]) =>
		value === null || value === '' ? MAIN_FILE.test(field) : namesMissing(value),
	);
}

/** Whether a task is completed, and its record does not show what it made. The operation of a grid is what its record says. */
export function isEmpty(raw: Record<string, unknown>, task: Task): boolean {
	const { family, operation, status, results } = task;
	if (status !== 'completed') return false;
	if (results.length === 0) {
		const mayBeText = family === null || family === 'grid' || MAY_BE_TEXT.has(operation);
		return !mayBeText || textResult(raw) === undefined;
	}
	const isAllCovers = !isGridRecord(raw, family) && results.every((file) => isCover(task, file));
	// A custom request may be for pictures.
	return isAllCovers && (operation !== 'submit' || namesMissing(resultOf(raw)));
}

/** What a task says in words: the answer of a task without files, and enhanced tags, whatever stands beside them. */
export function wordsOf(
	raw: Record<string, unknown>,
	{ status, results }: Pick<Task, 'status' | 'results'>,
) {
	const { upsampled_tags: tags } = objectOf(resultOf(raw));
	return extraFields({
		...(status === 'completed' && results.length === 0 ? textResult(raw) : {}),
		...(tags === undefined ? {} : { upsampled_tags: tags }),
	});
}

/** The spec does not show every word for a status: an unknown one counts as running, unless the record shows the end. */
function recordStatus(record: TaskRecord, results: readonly ResultFile[]): TaskStatus {
	const known = knownStatus(record.status);
	if (known !== undefined) return known;
	if (record.progress === undefined || record.progress < 100) return 'running';
	if (record.failure !== undefined) return 'failed';
	return results.length > 0 ? 'completed' : 'running';
}

function errorOf({ failure, raw }: TaskRecord): Task['error'] {
	return {
		message:
			failure?.message ??
			otherReason(raw) ??
			otherReason(objectOf(raw.result)) ??
			'The service gives no reason',
		code: failure?.code ?? null,
		type: failure?.type ?? null,
		httpStatus: null,
	};
}

/** Converts a task record to the shared task shape: see `resultFiles`. `words` are the deployment's, for the names in `usage`. */
export function toTask(
	record: TaskRecord,
	{ taskId, family, operation, request }: TaskOrigin,
	words: BrandWordMap,
	baseUrl = '',
): Task {
	const results = resultFiles(record, family, request, baseUrl);
	const status = recordStatus(record, results);
	const isGrid = isGridRecord(record.raw, family) && record.action !== undefined;
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
		...extraFields(record.raw),
		...wordsOf(record.raw, { status, results }),
	};
}

/** A task for which only the acknowledgement is known. */
export function submittedTask(origin: TaskOrigin): Task {
	return toTask(toTaskRecord({ raw: {}, status: 'submitted' }), origin, {});
}
