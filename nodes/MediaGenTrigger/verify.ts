import type { IWebhookFunctions } from 'n8n-workflow';

import { createClient, type MediaGenClient } from '../shared/api/client';
import { type Connection, unknownConnection } from '../shared/api/connection';
import { asError, InvalidRequestError, NotFoundError, PermissionError } from '../shared/api/errors';
import {
	FAMILIES,
	type Family,
	type ResultKind,
	TASK_FAMILIES,
	type TaskFamily,
	taskPath,
} from '../shared/api/families';
import {
	namesTask,
	otherIdIn,
	otherTaskIn,
	type TaskRecord,
	toTaskRecord,
} from '../shared/api/records';
import { isMasked } from '../shared/api/redact';
import { checkReference, type readReference, type Signature } from '../shared/api/signedAddress';
import type { Callback } from '../shared/callbacks/callback';
import type { AcceptedItem } from '../shared/output/items';
import { isMain } from '../shared/output/task';
import { acceptedItem, withRecord } from '../shared/tasks/taskRun';
import { clock } from '../shared/util/clock';
import { BASE_ADDRESS, type Settings } from './description';
import { recentConnection } from './recentCredential';
import { Refusal, type RequestBounds } from './requestBounds';

/** Other ids would spoil the log, or lead to the record of another id: behind a proxy, each such path would count as another task. */
const TASK_ID = /^(?!\.*$|\s)[^\p{C}\p{Zl}\p{Zp}/\\?#%]{1,128}(?<!\s)$/u;

/** Whether an id may be asked for. The mask that hides the API key in an item would become the key in the URL of a request. */
export const isUsableId = (id: string) => TASK_ID.test(id) && !isMasked(encodeURIComponent(id));

/** A call with a usable id. */
export interface TriggerCall extends Callback {
	taskId: string;
	/** Text of the user's own in the address, and the signature that came with it. */
	address: ReturnType<typeof readReference>;
}

/** Why there is no record: the service says that it does not know the task, or the key may not read it. */
type NotFound = 'unknown' | 'forbidden';

/** What the service says of an id: the record, with the family if only one has such a path. */
export type FoundTask = { record: TaskRecord; owner: TaskFamily | null } | NotFound;

/** The one family for which something holds; `null` if it holds for none or for several. */
function only(holds: (family: Family) => boolean): TaskFamily | null {
	const [first, ...others] = TASK_FAMILIES.filter((family) => holds(FAMILIES[family]));
	return first !== undefined && others.length === 0 ? first : null;
}

/** The family, if only one has its records at this path. */
function ownerOf(path: string): TaskFamily | null {
	return only(({ queryPath }) => queryPath === path);
}

/** The family that a record shows: by its shape, else by the kind of its files, if known. A failed task's record often shows none. */
function shownFamily(
	raw: Readonly<Record<string, unknown>>,
	files: ReadonlyArray<{ kind: ResultKind }>,
): TaskFamily | null {
	const kinds = new Set(files.map(({ kind }) => kind));
	const byShape = TASK_FAMILIES.find((family) => FAMILIES[family].isShownBy(raw, kinds));
	// Pictures may come with the files of any family.
	const made = (['video', 'audio'] as const).find((kind) => kinds.has(kind));
	return byShape ?? only(({ kind }) => kind === made);
}

/** A task, as a call found it. */
export interface TaskReport extends AcceptedItem {
	record: Record<string, unknown>;
	/** Whether the record was read from the service. */
	verified: boolean;
}

function reportOf(
	context: IWebhookFunctions,
	taskId: string,
	record: TaskRecord,
	/** Through which the record was read; absent for what the callback says. */
	connection?: Connection,
	owner: TaskFamily | null = null,
): TaskReport {
	const client = { connection: connection ?? unknownConnection };
	const run = { context, family: null, operation: 'callback', client };
	const accepted = acceptedItem(run, { itemIndex: 0, notes: [], options: {} }, taskId);
	const first = withRecord(run, accepted, record);
	const { results } = first.task;
	const family = shownFamily(record.raw, results) ?? owner;
	// A link whose kind nothing says is of the family's own kind.
	const isRead = results.length === 0 || results.some((file) => isMain(file, family));
	const read = isRead ? first : withRecord({ ...run, family }, accepted, record);
	const task = { ...read.task, family };
	return { ...read, task, record: record.raw, verified: connection !== undefined };
}

/** Where to read a task first, and whether to go on after an error that may pass, for which a callback has no time. */
interface ReadHints {
	hint?: TaskFamily | null;
	taskQueryPath?: string;
	retry?: 'once' | 'read';
}

/** Milliseconds for all requests of a callback: the service waits about ten seconds for its answer (spec, Events 5). */
const TIMEOUT_MS = 6_000;

/** Milliseconds that a path still has after slow answers from the others. */
const MIN_TIMEOUT_MS = 1_000;

/**
 * Reads a task's record, whatever its family. `unknown`: every path says in the service's own words that there is no such task; `unclear`: one
 * says so in other words; `forbidden`: this key may not read one. Throws an `ApiError` for anything else.
 */
export async function retrieveTask(
	client: Pick<MediaGenClient, 'tasks'>,
	taskId: string,
	{ hint = null, taskQueryPath, retry = 'once' }: ReadHints,
): Promise<FoundTask | 'unclear'> {
	const known = TASK_FAMILIES.map((family) => FAMILIES[family].queryPath);
	const own = known.filter((path) => hint !== null && ownerOf(path) === hint);
	const custom = taskQueryPath === undefined ? [] : [taskQueryPath];
	const paths = new Set([...own, ...custom, ...known]);
	let outcome: NotFound | 'unclear' = 'unknown';
	const end = clock.now() + TIMEOUT_MS;
	for (const path of paths) {
		try {
			const record = await client.tasks.retrieve(taskPath(path, taskId), {
				retry,
				...(retry === 'once' ? { timeoutMs: Math.max(MIN_TIMEOUT_MS, end - clock.now()) } : {}),
			});
			return { record, owner: ownerOf(path) };
		} catch (error) {
			// A key may be valid for one family only.
			if (error instanceof PermissionError) outcome = 'forbidden';
			// A path may also refuse ids that belong to another path.
			else if (!(error instanceof NotFoundError || error instanceof InvalidRequestError))
				throw asError(error);
			else if (error.details.fromService !== true && outcome === 'unknown') outcome = 'unclear';
		}
	}
	return outcome;
}

const UNKNOWN = 'the service does not know the task';
const UNCLEAR = 'it is not clear whether the service knows the task';
const OTHER_SERVER =
	'Check "Base URL" in the credential: another server, such as a proxy, may have answered.';
const NO_PATH =
	'If this service has the records of tasks at another path, set "Task Query Path" in the options of the trigger.';

const OTHER_KEY =
	'The node that sent the address and this trigger must have credentials with the same API key: has it been changed since? The address must end with the path of the trigger, also where a proxy stands before it.';

/** Whether a node with the same API key made the address. Throws a `Refusal` for any other if "Only Signed Addresses" is on. */
export async function checkSignature(
	context: IWebhookFunctions,
	{ address }: TriggerCall,
	{ onlySigned }: Settings,
): Promise<Signature> {
	const own = context.getNodeWebhookUrl(BASE_ADDRESS) ?? '';
	const connection = address.signature === undefined ? undefined : await recentConnection(context);
	const signature = checkReference(connection ?? unknownConnection, own, address);
	if (!onlySigned || signature === 'right') return signature;
	if (signature === 'missing') throw new Refusal(401, 'the address has no signature');
	throw new Refusal(503, 'the signature of the address is wrong', OTHER_KEY);
}

/** Reads the task from the service, or from the callback if "Verify With Service" is off. Throws a `Refusal` or an `ApiError`. */
export async function verify(
	context: IWebhookFunctions,
	callback: TriggerCall,
	settings: Settings,
	{ bounds, isSigned }: { bounds: RequestBounds<FoundTask>; isSigned: boolean },
): Promise<TaskReport> {
	const { taskId, claimed } = callback;
	const connection = settings.verify ? await recentConnection(context) : undefined;
	if (!connection) {
		if (!claimed) throw new Refusal(400, 'the callback does not say the state of the task');
		return reportOf(context, taskId, toTaskRecord(claimed));
	}
	const { taskQueryPath } = settings;
	const hints = { hint: claimed && shownFamily(claimed.raw, []), taskQueryPath };
	const read = async (id: string) =>
		await bounds.ask(id, isSigned, async () => {
			const answer = await retrieveTask(createClient(context, connection), id, hints);
			// This does not say whether the task exists, so it is not remembered.
			if (answer === 'unclear') throw new Refusal(503, UNCLEAR, `${OTHER_SERVER} ${NO_PATH}`);
			return answer;
		});
	let id = taskId;
	let found = await read(taskId);
	// A callback may have an id of its own beside that of the task, whose record has both. The other id may also be the parent's.
	const named = claimed && otherIdIn(claimed.raw, taskId);
	if (found === 'unknown' && named !== undefined && isUsableId(named)) {
		const task = await read(named);
		if (typeof task === 'object' && namesTask(task.record.raw, taskId)) {
			found = task;
			id = named;
		}
	}
	if (found === 'forbidden')
		throw new Refusal(503, 'the API key of this trigger may not read the task');
	if (found === 'unknown' && callback.claimsEnd) throw new Refusal(503, UNKNOWN, NO_PATH);
	if (found === 'unknown') throw new Refusal(200, UNKNOWN);
	// With the API key masked, as in the record.
	const shownId = connection.redactText(id);
	// The service may accept an id that is only similar to one of its own.
	if (otherTaskIn(found.record.raw, shownId) !== undefined)
		throw new Refusal(400, 'the service has the task under another id');
	return reportOf(context, shownId, found.record, connection, found.owner);
}
