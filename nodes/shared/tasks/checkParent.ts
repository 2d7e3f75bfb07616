import type { BrandWordMap } from '../api/brandWords';
import { ServiceFault } from '../api/faults';
import type { TaskRecord } from '../api/records';
import type { Outcome } from './outcome';
import { isPrepared, type PreparedItem, refusal, type RequestBody, type RequestShape } from './prepare';
import { lookAt, type Run } from './run';

/** What the record of another task shows about a request that builds on it. */
export interface Verdict {
	/** Why the service would refuse the request: the field in the API's name, and words that begin with "must" or "is". */
	refusal?: { field: string; message: string };
	/** What the user is told all the same. */
	note?: string;
}

/** Rules about a request that only the record of the task it builds on can show. */
export interface Precheck {
	/** Id of the task that the request builds on. */
	parentOf(body: RequestBody): unknown;
	/** Judges the request. `record` is absent where the service does not show it: then the service decides. */
	judge(body: RequestBody, record: TaskRecord | undefined, words: BrandWordMap): Verdict;
}

async function recordOf(run: Run, taskId: unknown): Promise<TaskRecord | undefined> {
	if (typeof taskId !== 'string') return undefined;
	const answer = await lookAt(run, taskId)();
	// Whatever hides the record here, the submission meets it too, and says it better.
	return answer instanceof ServiceFault ? undefined : answer;
}

/**
 * Looks at the tasks that the requests build on before the first request is sent, so that one which the service would
 * refuse is refused here with its field's name. Items that cannot be sent come back as outcomes with their error.
 */
export async function precheckItems(
	run: Run,
	shape: RequestShape & { precheck?: Precheck },
	prepared: ReadonlyArray<PreparedItem | Outcome>,
): Promise<Array<PreparedItem | Outcome>> {
	const { precheck } = shape;
	if (!precheck) return [...prepared];

	async function check(item: PreparedItem, rules: Precheck): Promise<PreparedItem | Outcome> {
		const record = await recordOf(run, rules.parentOf(item.body));
		const { refusal: refused, note } = rules.judge(item.body, record, run.client.connection.brandWords);
		if (!refused) return { ...item, notes: note === undefined ? [] : [note] };
		const issue = { path: [refused.field], message: refused.message };
		return { itemIndex: item.itemIndex, error: refusal(run.context, shape, [issue], item.itemIndex) };
	}

	return await Promise.all(
		prepared.map(async (item) => (isPrepared(item) ? await check(item, precheck) : item)),
	);
}
