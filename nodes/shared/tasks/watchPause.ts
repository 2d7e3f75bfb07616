import type { IHttpRequestOptions } from 'n8n-workflow';

import { openClient } from '../api/client';
import { asError, errorFromThrown } from '../api/errors';
import { below, withSecret } from '../api/signedAddress';
import type { ownCall } from '../callbacks/callback';
import { isAccepted } from '../output/items';
import { clock, within } from '../util/clock';
import { Memory } from '../util/memory';
import { parseWebUrl } from '../util/schema';
import { z } from '../util/vendor/zod';
import { KnownTask } from './poll';
import { endedItem, type TaskRun } from './taskRun';
import {
	findRunning,
	forgetConnection,
	forgetWaiting,
	hasResumed,
	keepConnection,
	type PausedRun,
	waitingExecution,
} from './waitingExecution';

/** The addresses at which this n8n answers for an execution, from outside. `resumeUrl` calls the paused node. */
const pauseAddresses = z.object({ resumeUrl: z.string(), resumeFormUrl: z.string().catch('') });

export type PauseAddresses = z.infer<typeof pauseAddresses>;

/** The addresses of an execution that may pause, with the proof that a caller was given them. An expression would take milliseconds. */
export function pauseAddressesOf({ context, client }: TaskRun): PauseAddresses {
	const { resumeUrl, ...others } = pauseAddresses.parse(context.getWorkflowDataProxy(0).$execution);
	const withProof = withSecret(client.connection, resumeUrl, context.getExecutionId());
	return { ...others, resumeUrl: withProof };
}

/** The part of an n8n context that calls an address without the credential: the key is for the service alone. */
interface Caller {
	helpers: { httpRequest(options: IHttpRequestOptions): Promise<unknown> };
}

const CALL_WITHIN_MS = 10_000;

const response = z.object({ statusCode: z.number(), body: z.unknown() });

/** Calls this n8n from outside. Never throws: if there is no answer, it returns why. */
async function callN8n(
	context: Caller,
	method: 'GET' | 'POST',
	url: string,
	body?: z.infer<typeof ownCall>,
): Promise<z.infer<typeof response> | string> {
	const request = context.helpers.httpRequest({
		method,
		url,
		body,
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
		return `it did not answer within ${CALL_WITHIN_MS / 1_000} seconds`;
	} catch (error) {
		return `no connection: ${asError(error).message}`;
	}
}

const wordsOf = (body: unknown) => JSON.stringify(body ?? '');

/** The message continues with `'validateSignature'` in n8n 1.123, with `'resumeToken'` in 2.41. */
const NO_DATA_YET = /Cannot read properties of undefined/;

/** n8n has no data of an execution that was started by hand until it pauses, and its answer is then this error. */
const hasNoDataYet = ({ statusCode, body }: z.infer<typeof response>) =>
	statusCode === 500 && NO_DATA_YET.test(wordsOf(body));

/**
 * What the address of an execution answers.
 * - `running`: n8n refuses callbacks, because it has not stored the pause yet, or the execution runs again
 * - `done`: the paused node has been called, or the execution is over: no further call is needed
 * - `failed`: anything else
 */
interface OwnAnswer {
	state: 'running' | 'done' | 'failed';
	why: string;
}

/** Calls the paused node without naming a task: it asks for all. n8n 1.123 would take a call without this node's path for that of a Wait node. */
async function callOwnAddress(context: Caller, resumeUrl: string, pause = ''): Promise<OwnAnswer> {
	const answer = await callN8n(context, 'POST', below(resumeUrl, '/callback'), { pause });
	if (typeof answer === 'string') return { state: 'failed', why: answer };
	const { statusCode, body } = answer;
	const says = (words: string) => wordsOf(body).includes(words);
	const isOfN8n = statusCode < 300 || statusCode === 409;
	const why = isOfN8n ? 'another n8n answered' : `it answered ${statusCode}`;
	if (hasNoDataYet(answer) || (statusCode === 409 && !says('finished')))
		return { state: 'running', why };
	// n8n keeps no execution that it does not save. One that waits at another node has gone on.
	const isGone =
		statusCode === 404 && (says('does not exist') || says('does not contain a waiting webhook'));
	return { state: isOfN8n || isGone ? 'done' : 'failed', why };
}

const PROVEN_FOR_MS = 300_000;

/** Addresses, without their executions, that led back to this n8n a moment ago. */
const proven = new Memory<true>(100, PROVEN_FOR_MS);

/** What is wrong with the address, unless it leads back: n8n then refuses a call while the execution runs. For minutes, this proves it for all. */
export async function ownAddressProblem(
	context: Caller,
	resumeUrl: string,
): Promise<string | undefined> {
	const url = parseWebUrl(resumeUrl);
	const base = url && url.origin + url.pathname.replace(/[^/]*$/, '');
	if (base !== undefined && proven.get(base)) return undefined;
	const { state, why } = await callOwnAddress(context, resumeUrl);
	if (state === 'running') {
		if (base !== undefined) proven.set(base, true);
		return undefined;
	}
	// The rest of the address may hold a token.
	return `${url?.origin ?? resumeUrl} does not lead back to this execution (${why})`;
}

type ExecutionState = 'running' | 'waiting' | 'over';

const OVER: readonly unknown[] = ['success', 'error', 'canceled', 'crashed'];

/** The state of an execution, if n8n reports it. It is asked as by the pages of its forms, which runs no node, and 2.41 makes no isolate for it. */
export async function executionState(
	context: Caller,
	formUrl: string,
): Promise<ExecutionState | undefined> {
	if (!parseWebUrl(formUrl)) return undefined;
	const answer = await callN8n(context, 'GET', below(formUrl, '/n8n-execution-status'));
	if (typeof answer === 'string') return undefined;
	if (hasNoDataYet(answer)) return 'running';
	const state = answer.statusCode === 200 ? answer.body : undefined;
	if (state === 'waiting' || state === 'running') return state;
	return state === 'new' ? 'running' : OVER.includes(state) ? 'over' : undefined;
}

/** n8n usually stores a pause within a second. */
const FIRST_MS = 1_000;
const LONGEST_MS = 300_000;
const GROWTH = 2;

/** From this wait on, the tasks are read even if n8n reports that the execution runs. */
const BELIEVED_MS = 60_000;

/** The first wait after the one read that is needed. */
const SPARSE_MS = 20_000;

/** The longest time to leave for the callback of an end that is expected later. */
const LATEST_MS = 120_000;

/** The callback of a task that has ended may be on its way: another call would only cost. */
const CALLBACK_COMES_WITHIN_MS = 10_000;

/** If the end is expected later than this, its callback usually comes long after n8n has stored the pause. */
const FAR_MS = 30_000;

/** Milliseconds until the next look at tasks that still run: until after the expected end, but two minutes or `wait` at most; else `wait`. */
function untilLook(expected: number, wait = 0): number {
	const untilEnd = expected + CALLBACK_COMES_WITHIN_MS - clock.now();
	return untilEnd > 0 && untilEnd < Infinity ? Math.min(untilEnd, Math.max(wait, LATEST_MS)) : wait;
}

/** How soon, and for how long, the call that resumes the execution is repeated. */
const FIRST_REPEAT_MS = 250;
const REPEAT_FOR_MS = 120_000;

/** Whether all tasks have ended; `undefined` where that cannot be read. */
async function allEnded(run: PausedRun): Promise<boolean | undefined> {
	try {
		return (await findRunning(run, waitingExecution(run.key))) === undefined;
	} catch (thrown) {
		const error = errorFromThrown(thrown);
		run.context.logger.debug(
			`MediaGen: the tasks of a paused execution could not be read: ${error.message}`,
		);
		// For the next read: by now, the credential may have another key, or another address.
		const client = error.transient
			? undefined
			: await openClient(run.context).catch(() => undefined);
		if (client) Object.assign(run, { client, isKept: false });
		return undefined;
	}
}

/** Calls the paused node, for a while, until it has received the call or a callback resumes the execution. Returns whether one did. */
async function resume({ context, key }: PausedRun, resumeUrl: string): Promise<boolean> {
	const until = clock.now() + REPEAT_FOR_MS;
	for (let wait = FIRST_REPEAT_MS; clock.now() < until && !hasResumed(key); wait *= GROWTH) {
		const { state } = await callOwnAddress(context, resumeUrl, key);
		if (state === 'done') return true;
		await clock.sleep(wait);
	}
	return hasResumed(key);
}

async function watch(
	run: PausedRun,
	{ resumeUrl, resumeFormUrl }: PauseAddresses,
	expected: number,
): Promise<void> {
	const { key } = run;
	let isOver = false;
	let isStored = false;
	let end = expected;
	const { signal } = waitingExecution(key).resumed;
	const resumed = new Promise<void>((resolve) => {
		signal.addEventListener('abort', () => resolve());
	});
	// In one piece, unlike `sleep`, with which each of thousands of pauses would wake up four times a second.
	const rest = async (ms: number) =>
		await Promise.race([resumed, clock.sleep(Math.min(ms, run.pauseLimit - clock.now()))]);
	if (expected - clock.now() >= FAR_MS) await rest(untilLook(expected));
	for (
		let wait = FIRST_MS;
		!isOver && clock.now() < run.pauseLimit;
		wait = Math.min(wait * GROWTH, LONGEST_MS)
	) {
		await rest(isStored ? untilLook(end, wait) : wait);
		if (hasResumed(key)) return;
		const state = isStored ? 'waiting' : await executionState(run.context, resumeFormUrl);
		isOver = state === 'over';
		if (isOver || (state === 'running' && wait < BELIEVED_MS)) continue;
		const ended = await allEnded(run);
		if (ended === true) {
			if (isStored) await rest(CALLBACK_COMES_WITHIN_MS);
			isOver = await resume(run, resumeUrl);
			// An n8n that accepts no call for minutes is busy: the next try is minutes later.
			wait = LONGEST_MS;
			end = Infinity;
		} else if (ended === false && state === 'waiting' && !isStored) {
			isStored = true;
			wait = SPARSE_MS / GROWTH;
		}
	}
	if (!isOver) await resume(run, resumeUrl);
	// In queue mode another process has resumed it. Here, a download may still be under way.
	if (waitingExecution(key).output === undefined) forgetWaiting(key);
}

/**
 * Goes on after `execute()` has returned: n8n stores the pause only then, refuses callbacks before, and the service does not repeat them.
 * Resumes the execution by its own address when all tasks have ended, or the time limit has passed. A restart ends this; callbacks remain.
 *
 * One read of the tasks is enough, if it begins after n8n has reported that the execution waits:
 * - The record of a task that ended before shows that, whatever became of its callback.
 * - n8n takes the callback of a task that ends later, and the node then reads all that are not known to have ended.
 * - During the read, or the call that follows it, `resume.ts` returns the output once, by the key of the pause.
 * - After a read that fails, the next one comes soon, as if n8n had not reported anything.
 *
 * Later reads are for a record that was behind, or a lost callback: when the service expects the end, else less and less often; after 1, 3,
 * 7, 15, … s where n8n does not report the state. An end in more than half a minute is left to its callback, for two minutes at most.
 */
export function watchPause(run: PausedRun, addresses: PauseAddresses, expected: number): void {
	const { ended, known } = waitingExecution(run.key);
	for (const outcome of run.outcomes.filter(isAccepted)) {
		const task = new KnownTask(outcome);
		known.set(outcome.taskId, task);
		if (task.hasCome()) ended.set(outcome.taskId, endedItem(run, outcome));
	}
	keepConnection(run);
	void watch({ ...run, isKept: true }, addresses, expected)
		.catch((error: unknown) => {
			run.context.logger.debug(
				`MediaGen: a paused execution is not watched any more: ${asError(error).message}`,
			);
		})
		.finally(() => forgetConnection(run.context, run.pauseLimit));
}
