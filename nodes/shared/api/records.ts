import { isObject } from '../util/json';
import { z } from '../util/vendor/zod';

/** The four states of a task in every family, whatever words the service uses (spec, States and transitions). */
export const TASK_STATUSES = ['submitted', 'running', 'completed', 'failed'] as const;

export type TaskStatus = (typeof TASK_STATUSES)[number];

const WORDS: Record<TaskStatus, readonly string[]> = {
	submitted: ['submitted', 'pending', 'queued', 'queueing', 'not_start', 'not_started', 'created', 'accepted', 'waiting'],
	running: ['in_progress', 'processing', 'running', 'generating', 'started'],
	completed: ['completed', 'complete', 'success', 'succeed', 'succeeded', 'done', 'finished'],
	failed: ['failed', 'failure', 'fail', 'error', 'cancelled', 'canceled', 'expired', 'rejected', 'timeout'],
};

const STATUS_OF_WORD = new Map(TASK_STATUSES.flatMap((status) => WORDS[status].map((word) => [word, status] as const)));

/** The state for the service's word, without case; `undefined` for a word that is not known here. */
export function knownStatus(serviceStatus: string): TaskStatus | undefined {
	return STATUS_OF_WORD.get(serviceStatus.trim().toLowerCase().replace(/[\s-]/g, '_'));
}

/** Whether a task in this state changes no more. */
export function hasEnded(status: TaskStatus): boolean {
	return status === 'completed' || status === 'failed';
}

const NUMERIC = /^\s*([+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)\s*%?\s*$/i;

/** A number, also as text (`"0.12"`, `"80%"`). `undefined` for anything else. */
function toNumber(value: unknown): number | undefined {
	if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
	const text = typeof value === 'string' ? NUMERIC.exec(value)?.[1] : undefined;
	return text === undefined ? undefined : Number(text);
}

/** Text that is not blank, or a number as text. */
function toText(value: unknown): string | undefined {
	if (typeof value === 'number' && Number.isFinite(value)) return String(value);
	return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}

const LAST_DATE_MS = 8.64e15;

/** A point in time in seconds, milliseconds or microseconds since 1970, or as ISO text, in milliseconds. */
export function toMilliseconds(value: unknown): number | undefined {
	const time = toNumber(value);
	if (time === undefined) {
		const parsed = typeof value === 'string' ? Date.parse(value) : NaN;
		return Number.isNaN(parsed) ? undefined : parsed;
	}
	if (time <= 0) return undefined;
	// The year 5138 in seconds is 1973 in milliseconds, and likewise from milliseconds to microseconds.
	const ms = time < 1e11 ? time * 1_000 : time < 1e14 ? time : time / 1_000;
	return ms <= LAST_DATE_MS ? Math.round(ms) : undefined;
}

/** Why a task failed, in the service's words. */
export interface TaskFailure {
	message: string | undefined;
	code: string | undefined;
	type: string | undefined;
}

/**
 * A task's record, of any family (spec, Resources). Only the status is required: every other field may be missing, `null` or
 * of another type.
 */
export interface TaskRecord {
	/** The record as it came, without its envelope. */
	raw: Record<string, unknown>;
	id: string | undefined;
	/** The service's own word. */
	status: string;
	/** Percent. */
	progress: number | undefined;
	/** Milliseconds since 1970. */
	completed: number | undefined;
	/** Seconds from the submission to the end that the service expects. */
	estimatedSeconds: number | undefined;
	cost: number | undefined;
	creditsCost: number | undefined;
	usage: Record<string, unknown> | undefined;
	failure: TaskFailure | undefined;
	/** What a grid operation did, e.g. `REROLL`. */
	action: string | undefined;
}

/** Reads `error`, which may also be text, `false`, `""` or `{ "message": null }`; else `fail_reason`. */
function failureOf({ error, fail_reason: reason }: Record<string, unknown>): TaskFailure | undefined {
	const fields = isObject(error) ? error : {};
	const message = toText(fields.message) ?? toText(error) ?? toText(reason);
	const code = toText(fields.code);
	const type = toText(fields.type);
	return message === undefined && code === undefined && type === undefined ? undefined : { message, code, type };
}

function toRecord(raw: Record<string, unknown>, status: string): TaskRecord {
	return {
		raw,
		id: toText(raw.id) ?? toText(raw.task_id),
		status,
		progress: toNumber(raw.progress),
		completed: toMilliseconds(raw.completed),
		estimatedSeconds: toNumber(raw.estimated_time),
		cost: toNumber(raw.cost),
		creditsCost: toNumber(raw.credits_cost),
		usage: isObject(raw.usage) ? raw.usage : undefined,
		failure: failureOf(raw),
		action: toText(raw.action),
	};
}

/** The object in an envelope `{ code, data }`, where `data` may also be a list of one. */
function enveloped(answer: Record<string, unknown>): Record<string, unknown> | undefined {
	const inner: unknown = Array.isArray(answer.data) ? answer.data[0] : answer.data;
	return isObject(inner) ? inner : undefined;
}

/**
 * Reads a task's record from a response or a callback, bare (`{ id, status … }`) or enveloped (`{ code, data: { … } }`). Returns
 * `undefined` for anything without a status.
 */
export function readTaskRecord(answer: unknown): TaskRecord | undefined {
	if (!isObject(answer)) return undefined;
	for (const candidate of [enveloped(answer), answer]) {
		if (typeof candidate?.status === 'string' && candidate.status.trim() !== '') {
			return toRecord(candidate, candidate.status.trim());
		}
	}
	return undefined;
}

const firstText = (values: readonly unknown[]) => values.map(toText).find((text) => text !== undefined);

/**
 * The id of the task that a callback or a record names, whatever else it holds. `id` comes first: `task_id` may be the request's,
 * which names the parent task.
 */
export function readTaskId(answer: unknown): string | undefined {
	if (!isObject(answer)) return undefined;
	const inner = enveloped(answer);
	return firstText([inner?.id, inner?.task_id, answer.id, answer.task_id]);
}

/** The id that an acknowledgement gives to the new task, in `task_id` (spec, Submission acknowledgement). */
function readAcceptedId(answer: unknown): string | undefined {
	if (!isObject(answer)) return undefined;
	const inner = enveloped(answer);
	return firstText([inner?.task_id, inner?.id, answer.task_id, answer.id]);
}

/** Response to a request for a task's record. */
export const taskResponse = z.unknown().transform((answer, issues): TaskRecord => {
	const record = readTaskRecord(answer);
	if (record) return record;
	issues.addIssue({ code: z.ZodIssueCode.custom, message: 'is not a task record' });
	return z.NEVER;
});

/** A task that the service accepted: its id, and its record if the response already held it. */
export interface AcceptedTask {
	taskId: string;
	record?: TaskRecord;
}

/**
 * Response to a submission: `data[0]`, `data` as an object, or bare (spec, Submission acknowledgement). An operation that
 * ends at once (tag enhancement) may answer with the completed task; the spec does not show which.
 */
export const submissionResponse = z.unknown().transform((answer, issues): AcceptedTask => {
	const taskId = readAcceptedId(answer);
	const record = readTaskRecord(answer);
	if (taskId !== undefined) return record?.raw.result === undefined ? { taskId } : { taskId, record };
	issues.addIssue({ code: z.ZodIssueCode.custom, message: 'has no task id' });
	return z.NEVER;
});

const amount = z.unknown().transform((value) => toNumber(value) ?? null);

/** Balance of the key that asks (spec, Balance record). `null` for an amount that the service does not give. */
export const balanceRecord = z
	.object({
		success: z.unknown(),
		message: z.unknown(),
		remain_balance: amount,
		remain_credits: amount,
		used_balance: amount,
		used_credits: amount,
		unlimited_quota: z.unknown().transform((value) => value === true || value === 'true' || value === 1),
	})
	.passthrough();

export type BalanceRecord = z.infer<typeof balanceRecord>;

/** The balance in the unit that the service is set up with, or in credits. */
export const BALANCE_UNITS = ['balance', 'credits'] as const;

export type BalanceUnit = (typeof BALANCE_UNITS)[number];

/** What remains; `null` for a key without a limit, and where the service does not state it. */
export function remainingOf(record: BalanceRecord, unit: BalanceUnit): number | null {
	if (record.unlimited_quota) return null;
	return unit === 'balance' ? record.remain_balance : record.remain_credits;
}

/** A balance record, bare or in `data`; or why the service gives none, which may come with HTTP 200. */
export type BalanceResponse = { record: BalanceRecord } | { refused: string };

export const balanceResponse = z.unknown().transform((answer, issues): BalanceResponse => {
	const body = isObject(answer) ? (enveloped(answer) ?? answer) : {};
	if (body.success === false) return { refused: toText(body.message) ?? 'no reason given' };
	const record = balanceRecord.parse(body);
	if (record.remain_balance !== null || record.remain_credits !== null || record.unlimited_quota) return { record };
	issues.addIssue({ code: z.ZodIssueCode.custom, message: 'is not a balance record' });
	return z.NEVER;
});

/** A stored picture, public for 72 hours (spec, Uploaded image record). */
export interface UploadRecord {
	/** The record as it came, without an envelope. */
	raw: Record<string, unknown>;
	url: string;
	/** Milliseconds since 1970. */
	createdAt: number | undefined;
}

export const uploadResponse = z.unknown().transform((answer, issues): UploadRecord => {
	const raw = isObject(answer) ? (typeof answer.url === 'string' ? answer : (enveloped(answer) ?? answer)) : {};
	const url = toText(raw.url);
	if (url !== undefined && /^https?:\/\//i.test(url)) return { raw, url, createdAt: toMilliseconds(raw.created_at) };
	issues.addIssue({ code: z.ZodIssueCode.custom, message: 'has no URL' });
	return z.NEVER;
});
