import type { IWebhookFunctions } from 'n8n-workflow';

import { createClient, type MediaGenClient } from '../shared/api/client';
import { asError, InvalidRequestError, NotFoundError } from '../shared/api/errors';
import { type TaskFamily, taskPath } from '../shared/api/families';
import { readTaskId, type TaskRecord } from '../shared/api/records';
import { hasEnded, type TaskStatus } from '../shared/api/status';
import { isGridRecord } from '../shared/output/resultFiles';
import type { Task } from '../shared/output/task';
import { isObject } from '../shared/util/json';
import type { Settings } from './description';
import { mapTask } from './output';
import { recentConnection } from './recentCredential';

/** A record with what it shows. */
interface DescribedTask {
	taskId: string;
	record: TaskRecord;
	/** `null` if it cannot be told. */
	family: TaskFamily | null;
	status: TaskStatus;
}

/** What a call says. */
export interface Callback {
	taskId: string;
	/** What the body claims to be the task's record. */
	claimed: DescribedTask | undefined;
	/** Text of the user's own in the address. */
	reference: string | undefined;
}

/** A task as the service has it; or as the callback claims, where nothing is verified. */
export type VerifiedTask = DescribedTask & { verified: boolean };

/** Why a callback starts no execution, and the answer: the service calls again after a 503 only. */
export class Refusal extends Error {
	/** @param hint what the user can do, for the log */
	constructor(
		readonly status: 200 | 400 | 503,
		reason: string,
		readonly hint?: string,
	) {
		super(reason);
	}
}

/** Whether a callback reports that the task has ended. One that says nothing of the status may. */
export function claimsEnd({ claimed }: Callback): boolean {
	return claimed === undefined || hasEnded(claimed.status);
}

/** The family that a record shows: by its shape, then by the kinds of its files. A failed task's record often shows none. */
export function familyOf(record: TaskRecord, { results }: Task): TaskFamily | null {
	if (isGridRecord(record, null)) return 'grid';
	const result = isObject(record.raw.result) ? record.raw.result : {};
	if (result.music !== undefined || result.upsampled_tags !== undefined) return 'music';
	const kinds = new Set(results.map(({ kind }) => kind));
	if (kinds.has('video')) return 'video';
	if (kinds.has('audio')) return 'music';
	return result.images === undefined ? null : 'image';
}

export function describeTask(context: IWebhookFunctions, taskId: string, record: TaskRecord): DescribedTask {
	const { task } = mapTask(context, { taskId, record, family: null });
	return { taskId, record, family: familyOf(record, task), status: task.status };
}

/** Milliseconds for one request: the service waits about ten seconds for its answer (spec, Events 5). */
const TIMEOUT_MS = 6_000;

/** A record and the path that gave it: the user's own, that of music, or the one that all other families share. */
export interface RetrievedTask {
	record: TaskRecord;
	path: 'own' | 'shared' | 'music';
}

/**
 * Reads a task's record, whatever its family. Returns `unknown` if every path says in the service's own words that there is no
 * such task, and `unclear` if one says so in other words, as a proxy does. Throws an `ApiError` for anything else.
 */
export async function retrieveTask(
	client: Pick<MediaGenClient, 'tasks'>,
	taskId: string,
	{ isMusic = false, taskQueryPath }: { isMusic?: boolean; taskQueryPath?: string },
): Promise<RetrievedTask | 'unknown' | 'unclear'> {
	const music = ['music', taskPath('music', taskId)] as const;
	const others = [
		...(taskQueryPath === undefined ? [] : [['own', taskPath('image', taskId, taskQueryPath)] as const]),
		['shared', taskPath('image', taskId)] as const,
	];
	let outcome: 'unknown' | 'unclear' = 'unknown';
	for (const [path, url] of isMusic ? [music, ...others] : [...others, music]) {
		try {
			return { record: await client.tasks.retrieve(url, { retry: 'once', timeoutMs: TIMEOUT_MS }), path };
		} catch (error) {
			// A path may also refuse ids that belong to another one.
			if (!(error instanceof NotFoundError || error instanceof InvalidRequestError)) throw asError(error);
			if (error.details.fromService !== true) outcome = 'unclear';
		}
	}
	return outcome;
}

/** Whether a record is of another task: the service may read an id that only looks like one of its own. */
function isOfAnother({ raw }: TaskRecord, taskId: string): boolean {
	const ids = [readTaskId({ id: raw.id }), readTaskId({ task_id: raw.task_id })].filter((id) => id !== undefined);
	return ids.length > 0 && !ids.includes(taskId);
}

const UNKNOWN = 'the service does not know the task';
const NO_PATH = 'If this service has the records of tasks at another path, set "Task Query Path" in the options of the trigger.';

/** Reads the task from the service, or from the callback if "Verify With Service" is off. Throws a `Refusal` or an `ApiError`. */
export async function verify(context: IWebhookFunctions, callback: Callback, settings: Settings): Promise<VerifiedTask> {
	const { taskId, claimed } = callback;
	const connection = settings.verify ? await recentConnection(context) : undefined;
	if (!connection) {
		if (!claimed) throw new Refusal(400, 'the callback does not say the state of the task');
		return { ...claimed, verified: false };
	}
	const hints = { isMusic: claimed?.family === 'music', taskQueryPath: settings.taskQueryPath };
	const found = await retrieveTask(createClient(context, connection), taskId, hints);
	if (found === 'unclear' || (found === 'unknown' && claimsEnd(callback))) throw new Refusal(503, UNKNOWN, NO_PATH);
	if (found === 'unknown') throw new Refusal(200, UNKNOWN);
	if (isOfAnother(found.record, taskId)) throw new Refusal(400, 'the service has the task under another id');
	const task = describeTask(context, taskId, found.record);
	return { ...task, family: task.family ?? (found.path === 'music' ? 'music' : null), verified: true };
}
