import type { IHttpRequestOptions } from 'n8n-workflow';

import { asError } from '../api/errors';
import { hasEnded } from '../api/records';
import { isAccepted, type TaskItem } from '../output/items';
import { clock, within } from '../util/clock';
import { Memory } from '../util/memory';
import { parseWebUrl } from '../util/schema';
import { z } from '../util/vendor/zod';
import { failedTaskError } from './taskErrors';
import type { TaskRun } from './taskRun';
import {
	findRunning,
	forgetWaiting,
	hasResumed,
	keyOfPause,
	waitingExecution,
} from './waitingExecution';

/** The part of an n8n context that calls an address without the credential: the key is for the service alone. */
interface CallerContext {
	helpers: { httpRequest(options: IHttpRequestOptions): Promise<unknown> };
}

type Answer = z.infer<typeof response> | { statusCode: undefined; why: string };

const CALL_WITHIN_MS = 10_000;

const response = z.object({ statusCode: z.number(), body: z.unknown() });

/** Calls this n8n from outside. Never throws. */
async function callN8n(context: CallerContext, url: string): Promise<Answer> {
	const request = context.helpers.httpRequest({
		method: 'POST',
		url,
		headers: { 'cache-control': 'no-cache' },
		timeout: clock.toHostMs(CALL_WITHIN_MS),
		returnFullResponse: true,
		ignoreHttpStatusErrors: true,
		disableFollowRedirect: true,
	});
	try {
		// n8n's own time limit counts idle time only.
		const answer = await within(CALL_WITHIN_MS, request);
		if (answer !== undefined) return response.parse(answer);
		return {
			statusCode: undefined,
			why: `it did not answer within ${CALL_WITHIN_MS / 1_000} seconds`,
		};
	} catch (error) {
		return { statusCode: undefined, why: `no connection: ${asError(error).message}` };
	}
}

const wordsOf = (body: unknown) => JSON.stringify(body ?? '');

/** n8n 1.123 goes on with `'validateSignature'`, 2.41 with `'resumeToken'`. */
const NO_DATA_YET = /Cannot read properties of undefined/;

/** n8n has no data of an execution that was started by hand until it pauses, and fails over that. */
const hasNoDataYet = (answer: Answer) =>
	answer.statusCode === 500 && NO_DATA_YET.test(wordsOf(answer.body));

/**
 * What the address of an execution answers.
 * - `running`: n8n refuses callbacks, because it has not stored the pause yet, or the execution runs again
 * - `received`: the paused node has been called
 * - `over`: the execution has finished
 * - `failed`: anything else, in words
 */
type OwnAnswer = { state: 'running' | 'received' | 'over' } | { state: 'failed'; why: string };

/** Calls the paused node as the service does. The call names no task: the node asks for all of its tasks. */
async function callOwnAddress(context: CallerContext, resumeUrl: string): Promise<OwnAnswer> {
	const answer = await callN8n(context, `${resumeUrl}/callback`);
	if (answer.statusCode === undefined) return { state: 'failed', why: answer.why };
	const { statusCode, body } = answer;
	if (statusCode < 300) return { state: 'received' };
	if (hasNoDataYet(answer)) return { state: 'running' };
	if (statusCode !== 409) return { state: 'failed', why: `it answered ${statusCode}` };
	return { state: wordsOf(body).includes('finished') ? 'over' : 'running' };
}

const PROVEN_FOR_MS = 300_000;

/** Addresses, without their executions, that have led back to this n8n a moment ago. */
const proven = new Memory<true>(100, PROVEN_FOR_MS);

/**
 * Asks whether the address leads back to this execution, which n8n proves by refusing the call while it runs. Returns what is wrong.
 * For some minutes the proof is good for all executions.
 */
export async function ownAddressProblem(
	context: CallerContext,
	resumeUrl: string,
): Promise<string | undefined> {
	const url = parseWebUrl(resumeUrl);
	const base = url && url.origin + url.pathname.replace(/[^/]*$/, '');
	if (base !== undefined && proven.get(base)) return undefined;
	const answer = await callOwnAddress(context, resumeUrl);
	if (answer.state === 'running') {
		if (base !== undefined) proven.set(base, true);
		return undefined;
	}
	const why = answer.state === 'failed' ? answer.why : 'another n8n answered';
	// The rest of the address may hold a token.
	return `${url?.origin ?? resumeUrl} does not lead back to this execution (${why})`;
}

/** Milliseconds before the first looks at the tasks, and before each one after them. n8n stores a pause within a second, as a rule. */
const LOOKS_MS = [5_000, 70_000];
const LONGEST_MS = 300_000;

/**
 * What has ended may be on its way as a callback, or its files: a call beside it would only cost, and where another process has that
 * callback, n8n 1.123 would resume twice. So the call waits as long again as the look did, up to this.
 */
const CALLBACK_COMES_WITHIN_MS = 60_000;

const FIRST_REPEAT_MS = 250;
const GROWTH = 2;

/** How long the call that resumes the execution is repeated. */
const REPEAT_FOR_MS = 120_000;

/** Whether all tasks are known to have ended. */
async function allEnded(
	run: TaskRun,
	outcomes: readonly TaskItem[],
	key: string,
): Promise<boolean> {
	try {
		return (await findRunning(run, outcomes, waitingExecution(key))) === undefined;
	} catch (error) {
		run.context.logger.debug(
			`MediaGen: the tasks of a paused execution could not be read: ${asError(error).message}`,
		);
		return false;
	}
}

/** Calls the paused node, for a while, until it has received the call or a callback resumes the execution. Returns whether that is so. */
async function resume({ context }: TaskRun, key: string, resumeUrl: string): Promise<boolean> {
	const until = clock.now() + REPEAT_FOR_MS;
	for (let wait = FIRST_REPEAT_MS; clock.now() < until && !hasResumed(key); wait *= GROWTH) {
		const { state } = await callOwnAddress(context, resumeUrl);
		if (state === 'received' || state === 'over') return true;
		await clock.sleep(wait);
	}
	return hasResumed(key);
}

async function watch(
	run: TaskRun,
	outcomes: readonly TaskItem[],
	key: string,
	resumeUrl: string,
	limit: number,
): Promise<void> {
	const sleepFor = async (ms: number) =>
		await clock.sleep(Math.max(0, Math.min(ms, limit - clock.now())));
	let isOver = false;
	for (let look = 0; !isOver && clock.now() < limit; look++) {
		const wait = LOOKS_MS[look] ?? LONGEST_MS;
		await sleepFor(wait);
		if (hasResumed(key)) return;
		if (!(await allEnded(run, outcomes, key))) continue;
		await sleepFor(Math.min(wait, CALLBACK_COMES_WITHIN_MS));
		isOver = await resume(run, key, resumeUrl);
		// An n8n that takes no call for minutes is busy: it is left alone for some.
		look = LOOKS_MS.length;
	}
	if (!isOver) await resume(run, key, resumeUrl);
	// In queue mode another process has resumed it. Here, a download may still be under way.
	if (waitingExecution(key).output === undefined) forgetWaiting(key);
}

/**
 * Goes on after `execute()` has returned. n8n stores the pause only then; a callback that comes before is refused, and the service
 * does not repeat it. So the node looks at the tasks by itself, ever less often. When all have ended, or the time limit has passed, the
 * execution is resumed by its own address, unless a callback has done so.
 *
 * A look finds what no callback will tell: a task that ended before n8n had stored the pause, or whose callback got lost. As long as n8n
 * takes callbacks, the last one resumes the execution: the node then reads all tasks that are not known to have ended.
 *
 * A restart ends all this; callbacks and n8n's own time limit remain.
 *
 * @param limit milliseconds since 1970
 */
export function watchPause(
	run: TaskRun,
	outcomes: readonly TaskItem[],
	resumeUrl: string,
	limit: number,
): void {
	const key = keyOfPause(run.context.getExecutionId(), outcomes);
	const execution = waitingExecution(key);
	execution.limit = limit;
	for (const outcome of outcomes.filter(isAccepted)) {
		if (hasEnded(outcome.task.status))
			execution.ended.set(outcome.taskId, { ...outcome, error: failedTaskError(run, outcome) });
	}
	void watch(run, outcomes, key, resumeUrl, limit).catch((error: unknown) => {
		run.context.logger.debug(
			`MediaGen: a paused execution is not watched any more: ${asError(error).message}`,
		);
	});
}
