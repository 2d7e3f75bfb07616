import type { IHttpRequestOptions } from 'n8n-workflow';

import { asError } from '../api/errors';
import { hasEnded } from '../api/records';
import { isAccepted, type TaskItem } from '../output/items';
import { clock, within } from '../util/clock';
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

/**
 * What the address of an execution answers.
 * - `running`: n8n refuses callbacks, because it has not stored the pause yet, or the execution runs again
 * - `received`: the paused node has been called
 * - `over`: the execution has finished
 * - `failed`: anything else, in words
 */
type OwnAnswer = { state: 'running' | 'received' | 'over' } | { state: 'failed'; why: string };

const CALL_WITHIN_MS = 10_000;

/** n8n 1.123 goes on with `'validateSignature'`, 2.41 with `'resumeToken'`. */
const NO_DATA_YET = /Cannot read properties of undefined/;

const response = z.object({ statusCode: z.number(), body: z.unknown() });

/** Calls the paused node as the service does. The call names no task: the node asks for all of its tasks. */
async function callOwnAddress(context: CallerContext, resumeUrl: string): Promise<OwnAnswer> {
	const request = context.helpers.httpRequest({
		method: 'POST',
		url: `${resumeUrl}/callback`,
		timeout: clock.toHostMs(CALL_WITHIN_MS),
		returnFullResponse: true,
		ignoreHttpStatusErrors: true,
		disableFollowRedirect: true,
	});
	try {
		// n8n's own time limit counts idle time only.
		const answer = await within(CALL_WITHIN_MS, request);
		if (answer === undefined)
			return { state: 'failed', why: `it did not answer within ${CALL_WITHIN_MS / 1_000} seconds` };
		const { statusCode, body } = response.parse(answer);
		if (statusCode < 300) return { state: 'received' };
		const words = JSON.stringify(body ?? '');
		// n8n has no data of an execution that was started by hand until it pauses, and fails over that.
		if (statusCode === 500 && NO_DATA_YET.test(words)) return { state: 'running' };
		if (statusCode !== 409) return { state: 'failed', why: `it answered ${statusCode}` };
		return { state: words.includes('finished') ? 'over' : 'running' };
	} catch (error) {
		return { state: 'failed', why: `no connection: ${asError(error).message}` };
	}
}

/**
 * Asks whether the address leads back to this execution, which n8n proves by refusing the call while it runs. Returns what is wrong.
 */
export async function ownAddressProblem(
	context: CallerContext,
	resumeUrl: string,
): Promise<string | undefined> {
	const answer = await callOwnAddress(context, resumeUrl);
	if (answer.state === 'running') return undefined;
	const why = answer.state === 'failed' ? answer.why : 'another n8n answered';
	// The rest of the address may hold a token.
	return `${parseWebUrl(resumeUrl)?.origin ?? resumeUrl} does not lead back to this execution (${why})`;
}

/** The tasks are asked for after 1, 3, 7, 15, … seconds: n8n stores a pause within the first of them, as a rule. */
const FIRST_MS = 1_000;
const LONGEST_MS = 300_000;
const GROWTH = 2;

const FIRST_REPEAT_MS = 250;

/** How long the call that resumes the execution is repeated. */
const REPEAT_FOR_MS = 120_000;

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
	let isResumed = false;
	for (
		let wait = FIRST_MS;
		!isResumed && clock.now() < limit;
		wait = Math.min(wait * GROWTH, LONGEST_MS)
	) {
		await clock.sleep(Math.min(wait, limit - clock.now()));
		if (hasResumed(key)) return;
		if (!(await allEnded(run, outcomes, key))) continue;
		isResumed = await resume(run, key, resumeUrl);
		// An n8n that takes no call for minutes is busy: it is left alone for some.
		wait = LONGEST_MS;
	}
	if (!isResumed) await resume(run, key, resumeUrl);
	// In queue mode another process has resumed it. Here, a download may still be under way.
	if (waitingExecution(key).output === undefined) forgetWaiting(key);
}

/**
 * Goes on after `execute()` has returned. n8n stores the pause only then; a callback that comes before is refused, and the service
 * does not repeat it. So the tasks are asked for again, soon at first and then ever less often, and when all have ended, or the time
 * limit has passed, the execution is resumed by its own address. A restart ends this; callbacks and n8n's own time limit remain.
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
