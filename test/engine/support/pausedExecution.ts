import { WebhookContext, WorkflowExecute } from 'n8n-core';
import type {
	INodeExecutionData,
	IRunExecutionData,
	IWebhookData,
	IWorkflowExecuteAdditionalData,
} from 'n8n-workflow';

import { waitingExecution } from '../../../nodes/shared/tasks/waitingExecution';
import { openServer } from '../../support/server';
import { standstill } from './clocks';
import { openExecution, resultOf, runNode, type RunOptions, type RunResult } from './engine';

/** What a callback to a paused execution comes to. */
export interface CallbackResult {
	/** HTTP status that the caller gets: 200 unless the node answers by itself. */
	status: number;
	/** The resumed execution; absent while it stays paused. */
	resumed?: RunResult;
}

export interface PausedExecution {
	/** What the node gave out before it paused, and when n8n is to wake it. */
	paused: RunResult;
	/** The waiting items, as n8n has stored them. */
	waiting: INodeExecutionData[];
	/** Calls the node as n8n does for a POST to the execution's address, with another query than that of the address if one is given. */
	callback(body?: unknown, query?: Record<string, string>): Promise<CallbackResult>;
	/** The query of the execution's address, as a call to it brings it. */
	query: Record<string, string>;
	/** Wakes the execution as n8n does when its time limit has passed. */
	timeLimit(): Promise<RunResult>;
	/** Calls to the execution's address over HTTP, with n8n's answers. */
	calls: Array<{ path: string; body: unknown; status: number }>;
	/** What n8n has told of the execution since it paused. */
	questions: readonly string[];
	/** The execution as a call to its address has resumed it. */
	resumed: Promise<RunResult>;
}

/** This process knows nothing of any pause any more, as after a restart: the newest ones take the places of all others. */
export function forgetPauses(): void {
	for (let other = 0; other < 5_000; other++) waitingExecution(`other ${other}`);
}

let executions = 0;

/** How n8n answers a POST to an execution's address. */
type Receiver = (
	body: unknown,
	query: Record<string, string>,
	path: string,
) => Promise<{ status: number; message: string }> | { status: number; message: string };

/** By execution id. */
const receivers = new Map<string, Receiver>();

/** What n8n tells of an execution when it is asked for its state, by execution id. */
const states = new Map<string, () => StateAnswer>();

let origin: Promise<string> | undefined;

/** The server on which n8n receives calls for waiting executions. */
async function listen(): Promise<string> {
	const { url } = await openServer((request, response, content) => {
		const executionId = /waiting\/([^/?]+)/.exec(request.url ?? '')?.[1] ?? '';
		const missing = { status: 404, message: `The execution "${executionId}" does not exist.` };
		const body: unknown = JSON.parse(content.toString() || '{}');
		const { searchParams, pathname } = new URL(request.url ?? '', 'http://n8n');
		const query = Object.fromEntries(searchParams);
		if (request.url?.includes('/n8n-execution-status')) {
			const { status, text } = states.get(executionId)?.() ?? { status: 200, text: 'null' };
			return response.writeHead(status, { 'content-type': 'text/html' }).end(text);
		}
		return void Promise.resolve(
			receivers.get(executionId)?.(body, query, pathname) ?? missing,
		).then(({ status, message }) => {
			response
				.writeHead(status, { 'content-type': 'application/json' })
				.end(JSON.stringify({ code: status, message }));
		});
	});
	return url;
}

const scopes: Array<{ still: boolean }> = [];

/** Ends what the paused nodes of a test do by themselves, so that it does not reach into the next test. */
export function stopWatching(): void {
	for (const scope of scopes.splice(0)) scope.still = true;
}

/** n8n's answer to who asks for the state of an execution. */
export interface StateAnswer {
	status: number;
	text: string;
}

export const told = (text: string): StateAnswer => ({ status: 200, text });

export interface PauseSettings {
	/** Whether the node goes on by itself after it has paused. Else only callbacks and the time limit change anything. */
	watches?: boolean;
	/** How many calls n8n still refuses after the node has paused, because it has not stored the pause. */
	refuses?: number;
	/** n8n's answer to such calls, if not a 409. */
	refusal?: { status: number; message: string };
	/** What n8n tells of the execution after it has paused, each time it is asked; the last one from then on. Default: that it waits. */
	tells?: StateAnswer[];
	/** A path behind which this n8n stands. Default: one of its own. */
	path?: string;
	/** Whether expressions fail at a callback by now, as those of n8n 2.41 that a busy machine holds up for five seconds. */
	failsExpressions?: () => boolean;
	/** n8n's answer to all calls after those, where it does not take them. */
	thenAnswers?: { status: number; message: string };
}

const copyOf = (data: IRunExecutionData) => JSON.parse(JSON.stringify(data)) as IRunExecutionData;

/** Runs a node until it pauses, and then stands for the part of n8n that holds waiting executions and receives their callbacks. */
export async function pauseNode(
	given: RunOptions,
	settings: PauseSettings = {},
): Promise<PausedExecution> {
	origin ??= listen();
	const { executionId = `paused-${++executions}` } = given;
	const { path = `/n8n-${++executions}` } = settings;
	const waitingBaseUrl = `${await origin}${path}/webhook-waiting`;
	const options = { ...given, executionId, waitingBaseUrl };
	const runs = () =>
		settings.refusal ?? {
			status: 409,
			message: `The execution "${executionId}" is running already.`,
		};
	const calls: PausedExecution['calls'] = [];
	let receive: Receiver = runs;
	let address: Record<string, string> = {};
	receivers.set(executionId, async (body, query, path) => {
		address = query;
		const answer = await receive(body, query, path);
		calls.push({ path, body, status: answer.status });
		return answer;
	});
	states.set(executionId, () => told('running'));
	const scope = { still: settings.watches !== true };
	scopes.push(scope);
	const paused = await standstill.run(scope, async () => await runNode(options));
	if (paused.run.waitTill === undefined || paused.run.waitTill === null) {
		const { error, json } = paused;
		const end = error ? `${error.message}\n${error.description}` : JSON.stringify(json);
		throw new Error(`The execution did not pause: ${end}`);
	}
	// n8n stores a waiting execution as JSON.
	const stored = copyOf(paused.run.data);
	const open = () => openExecution(options);

	async function resume(data: IRunExecutionData): Promise<RunResult> {
		const { workflow, additionalData } = open();
		return resultOf(
			await new WorkflowExecute(additionalData, 'manual', data).processRunExecutionData(workflow),
		);
	}

	async function callback(body: unknown = {}, query = address): Promise<CallbackResult> {
		const { workflow, underTest, additionalData } = open();
		const { expression } = workflow;
		Object.defineProperty(workflow, 'expression', {
			get() {
				if (settings.failsExpressions?.()) throw new Error('Expression timed out after 5000ms');
				return expression;
			},
		});
		let status = 200;
		let isAnswered = false;
		let answered = () => {};
		const answer = new Promise<void>((resolve) => (answered = resolve));
		const httpResponse = {
			get headersSent() {
				return isAnswered;
			},
			status(code: number) {
				status = code;
				return this;
			},
			json() {
				if (isAnswered) throw new Error('Cannot set headers after they are sent to the client');
				isAnswered = true;
				answered();
				return this;
			},
		};
		const httpRequest = { body, headers: {}, params: {}, query };
		const withRequest = {
			...additionalData,
			httpRequest,
			httpResponse,
		} as unknown as IWorkflowExecuteAdditionalData;
		const data = copyOf(stored);
		const webhook = { webhookDescription: { name: 'default' } } as IWebhookData;
		const context = new WebhookContext(
			workflow,
			underTest,
			withRequest,
			'manual',
			webhook,
			[],
			data,
		);
		const working = Promise.resolve(options.node.webhook?.call(context));
		const result = await working;
		if (result?.noWebhookResponse === true) await answer;
		// n8n then answers itself.
		else if (isAnswered) throw new Error('The callback was answered twice');
		if (result?.workflowData === undefined) return { status };
		const [waiting] = data.executionData?.nodeExecutionStack ?? [];
		if (!waiting) throw new Error('No node waits');
		waiting.data.main = result.workflowData;
		return { status, resumed: await resume(data) };
	}

	let wake: (result: RunResult) => void = () => {};
	const resumed = new Promise<RunResult>((resolve) => (wake = resolve));
	const tells = [...(settings.tells ?? [told('waiting')])];
	const questions: string[] = [];
	states.set(executionId, () => {
		const answer = (tells.length > 1 ? tells.shift() : tells[0]) ?? told('null');
		questions.push(answer.text);
		return answer;
	});
	let refuses = settings.refuses ?? 0;
	receive = async (body, query) => {
		if (refuses-- > 0) return runs();
		if (settings.thenAnswers) return settings.thenAnswers;
		const result = await callback(body, query);
		if (result.resumed) {
			receive = runs;
			wake(result.resumed);
		}
		return { status: result.status, message: '' };
	};

	return {
		paused,
		waiting: stored.executionData?.nodeExecutionStack[0]?.data.main?.[0] ?? [],
		calls,
		questions,
		resumed,
		callback,
		query: address,
		timeLimit: async () => await resume(copyOf(stored)),
	};
}
