import { WebhookContext, WorkflowExecute } from 'n8n-core';
import type { IRunExecutionData, IWebhookData, IWorkflowExecuteAdditionalData } from 'n8n-workflow';

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
	/** Calls the node as n8n does for a POST to the execution's address. */
	callback(body?: unknown): Promise<CallbackResult>;
	/** Wakes the execution as n8n does when its time limit has passed. */
	timeLimit(): Promise<RunResult>;
}

let executions = 0;

const copyOf = (data: IRunExecutionData) => JSON.parse(JSON.stringify(data)) as IRunExecutionData;

/** Runs a node until it pauses, and then stands for the part of n8n that holds waiting executions and receives their callbacks. */
export async function pauseNode(given: RunOptions): Promise<PausedExecution> {
	const options = { ...given, executionId: `paused-${++executions}` };
	const paused = await runNode(options);
	if (paused.run.waitTill === undefined || paused.run.waitTill === null) {
		throw new Error(`The execution did not pause: ${paused.error?.message ?? JSON.stringify(paused.json)}`);
	}
	// n8n stores a waiting execution as JSON.
	const stored = copyOf(paused.run.data);
	const open = () => openExecution(options);

	async function resume(data: IRunExecutionData): Promise<RunResult> {
		const { workflow, additionalData } = open();
		return resultOf(await new WorkflowExecute(additionalData, 'manual', data).processRunExecutionData(workflow));
	}

	async function callback(body: unknown = {}): Promise<CallbackResult> {
		const { workflow, underTest, additionalData } = open();
		let status = 200;
		let isAnswered = false;
		let answered = () => {};
		const answer = new Promise<void>((resolve) => (answered = resolve));
		const httpResponse = {
			status(code: number) {
				status = code;
				return this;
			},
			json() {
				isAnswered = true;
				answered();
				return this;
			},
		};
		const httpRequest = { body, headers: {}, params: {}, query: {} };
		const withRequest = { ...additionalData, httpRequest, httpResponse } as unknown as IWorkflowExecuteAdditionalData;
		const data = copyOf(stored);
		const webhook = { webhookDescription: { name: 'default' } } as IWebhookData;
		const context = new WebhookContext(workflow, underTest, withRequest, 'manual', webhook, [], data);
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

	return { paused, callback, timeLimit: async () => await resume(copyOf(stored)) };
}
