import { isObject, isText, objectOf, toText } from '../util/json';
import { parseNumber } from '../util/schema';
import { errorInBody, REASONS, statusNamed } from './errors';

/** The four states of a task in every family, whatever words the service uses (spec, States and transitions). */
export const TASK_STATUSES = ['submitted', 'running', 'completed', 'failed'] as const;

export type TaskStatus = (typeof TASK_STATUSES)[number];

const WORDS: Record<TaskStatus, string> = {
	submitted: 'submitted pending queued queueing not_start not_started created accepted waiting',
	running: 'in_progress processing running generating started',
	completed: 'completed complete success succeed succeeded done finished',
	failed: 'failed failure fail error cancelled canceled expired rejected',
};

/** The state for the service's word, in any case; `undefined` for a word that is not known here. */
export function knownStatus(serviceStatus: string): TaskStatus | undefined {
	const word = serviceStatus.trim().toLowerCase().replace(/[\s-]/g, '_');
	return TASK_STATUSES.find((status) => WORDS[status].split(' ').includes(word));
}

export const hasEnded = (status: TaskStatus) => status === 'completed' || status === 'failed';

/** A number, also as text (`"0.12"`, `"80%"`). `undefined` for anything else. */
export function toNumber(value: unknown): number | undefined {
	if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
	if (typeof value !== 'string') return undefined;
	const text = value.trim();
	return parseNumber(text.endsWith('%') ? text.slice(0, -1) : text);
}

const LAST_DATE_MS = 8.64e15;

/** Converts a time to milliseconds since 1970: from seconds, milliseconds or microseconds, or from ISO text. */
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

/** Why a task failed: `error`, which may also be text, `false`, `""` or `{ "message": null }`, or have the code 0; else `fail_reason`. */
function failureOf({ error, fail_reason: reason }: Record<string, unknown>) {
	const { message, code, type } = objectOf(error);
	const failure = {
		message: toText(message) ?? (error === 0 ? undefined : toText(error)) ?? toText(reason),
		code: code === 0 ? undefined : toText(code),
		type: toText(type),
	};
	return Object.values(failure).every((part) => part === undefined) ? undefined : failure;
}

const ID_FIELDS = ['task_id', 'taskId', 'job_id', 'jobId'] as const;

const idsIn = (holder: Record<string, unknown> | undefined) =>
	ID_FIELDS.map((field) => holder?.[field]);

const idsOf = (holder: Record<string, unknown> | undefined) => [holder?.id, ...idsIn(holder)];

/** A record as received, without its envelope. Only the service's word for the state has been read. */
interface StatedRecord {
	raw: Record<string, unknown>;
	status: string;
}

/** Reads the rest of a record, of any family (spec, Resources): every field may be missing, `null` or of another type. */
export const toTaskRecord = ({ raw, status }: StatedRecord) => ({
	raw,
	id: firstText(idsOf(raw)),
	status,
	/** Percent. */
	progress: toNumber(raw.progress),
	/** Milliseconds since 1970. */
	completed: toMilliseconds(raw.completed),
	/** Seconds from the submission to the end that the service expects. */
	estimatedSeconds: toNumber(raw.estimated_time),
	cost: toNumber(raw.cost),
	creditsCost: toNumber(raw.credits_cost),
	usage: isObject(raw.usage) ? raw.usage : undefined,
	failure: failureOf(raw),
	/** What a grid operation did, e.g. `REROLL`. */
	action: toText(raw.action),
});

export type TaskRecord = ReturnType<typeof toTaskRecord>;

const firstText = (values: readonly unknown[]) =>
	values.map(toText).find((text) => text !== undefined);

/** The object in an envelope `{ code, data }`, where `data` may also be a list of one. */
export function enveloped(answer: Record<string, unknown>): Record<string, unknown> | undefined {
	const inner: unknown = Array.isArray(answer.data) ? answer.data[0] : answer.data;
	return isObject(inner) ? inner : undefined;
}

const envelopedTask = (answer: Record<string, unknown>) =>
	enveloped(answer) ?? (isObject(answer.task) ? answer.task : undefined);

const STATUS_FIELDS = ['status', 'task_status', 'taskStatus', 'state'];

const statusWord = (holder: Record<string, unknown>) =>
	STATUS_FIELDS.map((name) => holder[name])
		.find(isText)
		?.trim();

/** An envelope in an envelope, and one more to be sure. */
const MAX_ENVELOPES = 3;

function statedIn(holder: Record<string, unknown>, envelopes: number): StatedRecord | undefined {
	const word = statusWord(holder);
	const inner = envelopes < MAX_ENVELOPES ? envelopedTask(holder) : undefined;
	const record = inner && statedIn(inner, envelopes + 1);
	if (word === undefined) return record;
	const saysSuccess = knownStatus(word) === 'completed';
	// Inside an envelope, `data` may be any part of the record.
	const isPart = envelopes > 0 && (holder.result !== undefined || !saysSuccess);
	if (record && !isPart) return record;
	// A status of `success` may be that of the request.
	const runs = inner && saysSuccess && (toNumber(inner.progress) ?? 100) < 100;
	return runs ? { raw: inner, status: 'running' } : { raw: holder, status: word };
}

/** An answer as an object: a list is what an envelope would hold. */
const holderOf = (answer: unknown) => objectOf(Array.isArray(answer) ? { data: answer } : answer);

/**
 * Finds a task's record in a response or a callback, bare (`{ id, status … }`), enveloped (`{ code, data: { … } }`) or in a list of
 * one, and reads nothing of it but its state. Returns `undefined` for anything without a status.
 */
export const findTaskRecord = (answer: unknown) => statedIn(holderOf(answer), 0);

/** Whether the task of a record may have ended, by its word for the state or, if the word is not known, by its progress. */
export function mayHaveEnded({ raw, status }: StatedRecord): boolean {
	const known = knownStatus(status);
	return known === undefined ? (toNumber(raw.progress) ?? 0) >= 100 : hasEnded(known);
}

/** Reads a task's record from a response or a callback: see `findTaskRecord`. Its id may stand beside it. */
export function readTaskRecord(answer: unknown): TaskRecord | undefined {
	const found = findTaskRecord(answer);
	if (!found) return undefined;
	const record = toTaskRecord(found);
	return { ...record, id: record.id ?? firstText(idsIn(objectOf(answer))) };
}

/** The id of the task that a callback or a record names. `id` comes first: `task_id` may be the request's, which names the parent task. */
export function readTaskId(given: unknown): string | undefined {
	const answer = holderOf(given);
	const inner = envelopedTask(answer);
	const stated = findTaskRecord(answer)?.raw;
	// What stands in `data` without a state may be a result. Its own `id` is not the task's.
	const named = stated === answer ? idsIn(inner) : [];
	return firstText([...named, ...[stated, inner, answer].flatMap(idsOf)]);
}

/** The first id of a task in a record, under the names that tasks have, that is not this one. */
export const otherIdIn = (raw: Record<string, unknown>, taskId: string) =>
	firstText(idsIn(raw).filter((id) => toText(id) !== taskId));

/** Whether a record names this task, as its own or as that of the request. */
export const namesTask = (raw: Record<string, unknown>, taskId: string) =>
	idsOf(raw).map(toText).includes(taskId);

/** The id of another task that a record names in place of this one. A `task_id` alone says nothing: it may be the request's. */
export function otherTaskIn(raw: Record<string, unknown>, taskId: string): string | undefined {
	const own = toText(raw.id);
	return own === undefined || namesTask(raw, taskId) ? undefined : own;
}

/** An id that stands by itself: a word, but not one that names a state. */
function bareId(value: unknown): string | undefined {
	const text = toText(value);
	return text !== undefined &&
		/^[\w.:-]{1,128}$/.test(text) &&
		knownStatus(text) === undefined &&
		!/^ok$/i.test(text)
		? text
		: undefined;
}

/** Whether an id is in the request: it may be that of a parent task. */
type IsSent = (id: string) => boolean;

/** The id that a value gives to a task: preferably a new one, not one of the request, which may stand next to it under another name. */
function acceptedId(value: unknown, isParent: IsSent): string | undefined {
	if (!isObject(value)) return bareId(value);
	const ids = [...idsIn(value), value.id].flatMap((id) => toText(id) ?? []);
	return ids.find((id) => !isParent(id)) ?? ids[0];
}

/** The ids in the first of these places that has any, each once. */
const firstIds = (isParent: IsSent, ...places: unknown[][]): string[] =>
	places
		.map((values) => [...new Set(values.flatMap((value) => acceptedId(value, isParent) ?? []))])
		.find((ids) => ids.length > 0) ?? [];

/**
 * The ids that an acknowledgement gives to new tasks, in `task_id` (spec, Submission acknowledgement); mostly one. In an error, a word in
 * `data` is not an id, an id beside it is another task's or the request's, and one that was sent names the task in question.
 */
function readAcceptedIds(answer: unknown, isSent: IsSent): string[] {
	if (!isObject(answer)) return [];
	const isError = () => errorInBody(answer) !== undefined;
	const entries: unknown[] = [answer.data].flat();
	// In an error, an ID next to one that was sent is the request's, too.
	const isParent: IsSent = (id) => isSent(id) && !isError();
	const ofObjects = firstIds(isParent, [...entries, answer.task].filter(isObject));
	const fresh = ofObjects.filter((id) => !isSent(id));
	if (fresh.length > 0) return fresh;
	if (ofObjects.length > 0) return isError() ? [] : ofObjects;
	const state = knownStatus(statusWord(answer) ?? '');
	const isTask = state === 'submitted' || state === 'running';
	return !isTask && isError() ? [] : firstIds(isParent, entries, [answer], [answer.task]);
}

/** Whether an answer names a task, in any place, that the request does not name. */
export function namesNewTask(value: unknown, isSent: IsSent): boolean {
	if (Array.isArray(value)) return value.some((each) => namesNewTask(each, isSent));
	if (!isObject(value)) return false;
	const id = firstText(idsIn(value));
	const inner = Object.values(value);
	return (id !== undefined && !isSent(id)) || inner.some((each) => namesNewTask(each, isSent));
}

/** The words that the specification uses for a refunded task (spec §2, §4). Other words for a failure also occur in errors. */
export const SPECIFIED_FAILURE = /^fail(?:ed|ure)$/i;

const saysWhy = (holder: Record<string, unknown>) =>
	REASONS.map((name) => holder[name]).some(
		(value) => isText(value) || (typeof value === 'object' && value !== null),
	);

const FIELDS_OF_AN_ERROR = new Set([...STATUS_FIELDS, 'error', 'code', 'type', ...REASONS]);

/** Whether an object has nothing but a state and a reason, as an error of a request. */
const isReasonOnly = (holder: Record<string, unknown>) =>
	Object.keys(holder).every((name) => FIELDS_OF_AN_ERROR.has(name));

/** Whether the code of an envelope, a number or a word, says that the request succeeded; `undefined` without one. */
function isSuccessCode(code: unknown): boolean | undefined {
	const number = toNumber(code);
	if (number !== undefined) return number === 0 || (number >= 200 && number <= 299);
	return isText(code) ? /^(?:ok|success)$/i.test(code.trim()) : undefined;
}

/**
 * Whether an answer is an error of the service that has a word for a state, as if it were a task's. A failed task is bought again, so
 * neither its record nor what is around it may say that the request failed. Without an envelope, only the words of the specification count, and
 * any word beside `url` and `fail_reason`, as in the record of a generation (spec §3): gateways use the others.
 */
function isErrorAnswer(answer: unknown): boolean {
	const found = findTaskRecord(answer);
	if (!found || !isObject(answer)) return false;
	const { raw, status } = found;
	if (toNumber(raw.progress) !== undefined) return false;
	const isBare = raw === answer;
	const isNamed = readTaskId(answer) !== undefined;
	// Inside the record, `error` is the task's.
	const codes = [answer.code, raw.code, isBare ? undefined : objectOf(answer.error).code];
	const isError =
		answer.success === false || codes.some((code) => errorInBody({ code }) !== undefined);
	if (knownStatus(status) !== 'failed') return isError && !isNamed;
	const failure = failureOf(raw);
	if (isNamed) return isError && failure === undefined;
	if (isError) return true;
	const isSpecified = SPECIFIED_FAILURE.test(status);
	if (isBare && !isSpecified && !('fail_reason' in raw && 'url' in raw)) return true;
	if (isBare) return failure ? statusNamed(failure) !== undefined : saysWhy(raw);
	if (failure) return false;
	const isSuccess = isSuccessCode(answer.code);
	if (!(isSuccess ?? !saysWhy(answer)) || errorInBody(answer) !== undefined) return true;
	// A confirmed failure may say why, if it is more than the error of a request.
	return saysWhy(raw) && !(isSuccess && isSpecified && !isReasonOnly(raw));
}

export const readTask = (answer: unknown) =>
	isErrorAnswer(answer) ? undefined : readTaskRecord(answer);

/** A task that the service accepted: its id, and its record if the response already held it. */
export interface AcceptedTask {
	taskId: string;
	record?: TaskRecord;
	/** Ids of more tasks in the same answer. */
	others?: string[];
}

/**
 * Reads the response to a submission: `data[0]`, `data` as an object or as the id itself, `task`, or bare (spec, Submission
 * acknowledgement). An operation that ends at once (tag enhancement) may answer with the completed task; the spec does not show which.
 * `undefined` for anything else. Throws an `ApiError` for an error: if that names a new task, it may have been bought.
 */
export function readSubmission(answer: unknown, isSent: IsSent): AcceptedTask | undefined {
	const [taskId, ...others] = readAcceptedIds(answer, isSent);
	if (taskId === undefined) {
		const error = errorInBody(answer, namesNewTask(answer, isSent) ? 'maybe' : undefined);
		if (error) throw error;
		return undefined;
	}
	const record = readTaskRecord(answer);
	return {
		taskId,
		...(record?.raw.result === undefined ? {} : { record }),
		...(others.length > 0 ? { others } : {}),
	};
}
