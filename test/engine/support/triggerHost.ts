import './environment';

import { WebhookContext, WorkflowExecute } from 'n8n-core';
import type {
	IDataObject,
	INode,
	INodeExecutionData,
	INodeParameters,
	INodeType,
	IWebhookData,
	IWorkflowExecuteAdditionalData,
} from 'n8n-workflow';
import { createRunExecutionData, Workflow } from 'n8n-workflow';
import { randomUUID } from 'node:crypto';
import { setTimeout as realSleep } from 'node:timers/promises';

import { MediaGenTrigger } from '../../../nodes/MediaGenTrigger/MediaGenTrigger.node';
import { setClock } from '../../../nodes/shared/util/clock';
import { nodeOf } from '../../support/node';
import { additionalDataOf, binaryService, nodeTypesOf } from './engine';

const TRIGGER = 'Trigger';
const WEBHOOKS = 'https://n8n.example.com/webhook';

/** A clock that stands still until a test moves it. */
export function useManualClock() {
	let now = Date.UTC(2026, 0, 1);
	let sleeping: Array<{ until: number; wake: () => void }> = [];

	function advance(ms: number): void {
		now += ms;
		const due = sleeping.filter(({ until }) => until <= now);
		sleeping = sleeping.filter(({ until }) => until > now);
		for (const { wake } of due) wake();
	}

	beforeAll(() => {
		setClock({
			now: () => now,
			sleep: async (ms) => await new Promise((wake) => sleeping.push({ until: now + ms, wake })),
			toHostMs: (ms) => ms,
		});
	});
	afterAll(() => setClock(undefined));

	return {
		advance,
		/** Lets time pass for as long as somebody sleeps and the work is not done. */
		async passUntil<Result>(work: Promise<Result>): Promise<Result> {
			let done = false;
			const settled = work.finally(() => (done = true));
			while (!done) {
				if (sleeping.length > 0) advance(250);
				// What is under way over the network takes time of the machine.
				await realSleep(2);
			}
			return await settled;
		},
	};
}

export interface Call {
	/** What the service is answered, at once or when the execution runs. */
	answer: Promise<{ status: number; message: string }>;
	/** What n8n runs. */
	starts: INodeExecutionData[] | undefined;
}

export interface CallOptions {
	query?: IDataObject;
	/** The path behind the base address. */
	path?: string;
	method?: string;
	mode?: 'webhook' | 'manual';
	/** The body's text, as n8n keeps it. */
	rawBody?: string;
}

interface Execution {
	json: IDataObject[];
	items: INodeExecutionData[];
	error?: string;
	description?: unknown;
}

/** One workflow that begins with a MediaGen Trigger, in n8n-core's own contexts. n8n makes a new workflow for each call. */
export class TriggerHost {
	readonly log: string[] = [];

	/** What n8n keeps in the workflow's row. */
	private stored: IDataObject = {};

	private readonly type: INodeType = new MediaGenTrigger();

	private readonly id = randomUUID();

	private readonly node: INode;

	/** As the panel shows it. */
	readonly address = `${WEBHOOKS}/${this.id}`;

	constructor(
		private readonly credential: { baseUrl: string; apiKey: string },
		parameters: INodeParameters = {},
	) {
		this.node = nodeOf(TRIGGER, {
			id: randomUUID(),
			type: 'mediaGenTrigger',
			typeVersion: 2,
			webhookId: this.id,
			parameters,
			credentials: { mediaGenApi: { id: this.id, name: 'MediaGen' } },
		});
	}

	private workflow(): Workflow {
		return new Workflow({
			id: this.id,
			nodes: [this.node],
			connections: {},
			active: true,
			nodeTypes: nodeTypesOf({ [this.node.type]: this.type }),
			staticData: this.stored,
		});
	}

	private store(workflow: Workflow): void {
		const written: unknown = JSON.parse(JSON.stringify(workflow.staticData));
		this.stored = written as IDataObject;
	}

	private additionalData(extra: object): IWorkflowExecuteAdditionalData {
		const { baseUrl, apiKey } = this.credential;
		const credential = { baseUrl, apiKey, allowPrivateCallbacks: true, brandWords: '{}' };
		return additionalDataOf(
			credential,
			{ id: this.id, name: 'Trigger test', nodes: [] },
			{
				executionId: '1',
				webhookBaseUrl: WEBHOOKS,
				webhookTestBaseUrl: `${WEBHOOKS}-test`,
				...extra,
			},
		);
	}

	/** Calls the trigger as the service does. */
	async call(
		body: unknown,
		{ query = {}, path = 'callback', method = 'POST', mode = 'webhook', rawBody }: CallOptions = {},
	): Promise<Call> {
		const description = this.type.description.webhooks?.find(
			(each) => each.path === path && each.httpMethod === method,
		);
		if (!description)
			return {
				answer: Promise.resolve({ status: 404, message: 'n8n knows no such webhook' }),
				starts: undefined,
			};
		const workflow = this.workflow();
		let respond = (_: { status: number; message: string }): void => undefined;
		const answer = new Promise<{ status: number; message: string }>(
			(resolve) => (respond = resolve),
		);
		const httpResponse = {
			status: (status: number) => ({
				json: ({ message }: { message: string }) => respond({ status, message }),
			}),
		};
		const additional = this.additionalData({
			httpRequest: {
				...{ body, query, headers: {} },
				...(rawBody === undefined ? {} : { rawBody: Buffer.from(rawBody) }),
			},
			httpResponse,
		});
		const data = { webhookDescription: description } as IWebhookData;
		const context = new WebhookContext(workflow, this.node, additional, mode, data, [], null);
		const log = (message: string) => this.log.push(message);
		Object.defineProperty(context, 'logger', {
			value: { debug: log, info: log, warn: log, error: log },
		});
		const result = await this.type.webhook?.call(context);
		this.store(workflow);
		// n8n answers by itself unless it is told not to.
		if (!result?.noWebhookResponse) respond({ status: 200, message: 'Workflow was started' });
		return { answer, starts: result?.workflowData?.[0] ?? undefined };
	}

	/** Runs what a call has started. */
	async run(
		items: INodeExecutionData[] | undefined,
		mode: 'webhook' | 'manual' = 'webhook',
	): Promise<Execution> {
		if (!items) throw new Error('Nothing was started');
		await binaryService();
		const workflow = this.workflow();
		// The data passes through n8n's database, or its queue.
		const handed = JSON.parse(JSON.stringify(items)) as INodeExecutionData[];
		const stack = [{ node: this.node, data: { main: [handed] }, source: null }];
		const data = createRunExecutionData({ executionData: { nodeExecutionStack: stack } });
		const run = await new WorkflowExecute(
			this.additionalData({}),
			mode,
			data,
		).processRunExecutionData(workflow);
		this.store(workflow);
		const output = run.data.resultData.runData[TRIGGER]?.at(-1)?.data?.main?.[0] ?? [];
		return {
			items: output,
			json: output.map(({ json }) => json),
			error: run.data.resultData.error?.message,
			description: run.data.resultData.error?.description,
		};
	}

	/** Calls the trigger and runs what it starts, as n8n does. */
	async receive(
		body: unknown,
		options: CallOptions = {},
	): Promise<{ status: number; message: string; output?: Execution }> {
		const { answer, starts } = await this.call(body, options);
		const output = starts && (await this.run(starts, options.mode));
		return { ...(await answer), ...(output ? { output } : {}) };
	}
}
