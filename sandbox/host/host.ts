import { setTimeout as delay } from 'node:timers/promises';
import type { HostDatabase } from './n8n/database';
import type { HostLog } from './n8n/log';
import * as memory from './n8n/memory';
import type { MainProcess } from './n8n/process';
import { type BinaryFile, readBinary, saveBinary } from './rest/binaries';
import { RestClient } from './rest/client';
import * as credentials from './rest/credentials';
import * as executions from './rest/executions';
import { type NodeType, nodeTypes } from './rest/nodeTypes';
import { enter, type Owner, restIsUp } from './rest/owner';
import { isListening, webhookPaths } from './rest/webhooks';
import * as workflows from './rest/workflows';
import type { HostVersion } from './versions';

/** A process beside the main one, as in queue mode. */
export interface Companion {
	/** `worker-1`, `webhook-2` … */
	name: string;
	process: MainProcess;
	ready: () => Promise<boolean>;
}

export interface HostParts {
	version: HostVersion;
	main: MainProcess;
	companions?: Companion[];
	userFolder: string;
	database: HostDatabase;
	url: string;
	owner: Owner;
	/** Called when the host has stopped for good. */
	dispose: () => Promise<void>;
}

export interface RunOptions {
	/** Milliseconds; 60 000 by default. */
	timeout?: number;
	/** The trigger to start from; the workflow's first one by default. */
	trigger?: string;
	/** Returns also when the execution waits, not only when it has ended. */
	orWaiting?: boolean;
}

const START_MS = 180_000;
const DEFAULT_RUN_MS = 60_000;
const ENDED: executions.ExecutionStatus[] = ['success', 'error', 'canceled', 'crashed'];

/** A real n8n, running, with its owner logged in. Made by `startHost` and `startQueueHost`. */
export class Host {
	readonly version: HostVersion;

	/** `http://127.0.0.1:<port>`: the editor, `/rest/…` and `/webhook/…`. */
	readonly url: string;

	readonly userFolder: string;

	/** n8n's own; for reading many executions at once, which its REST interface gives one by one. */
	readonly database: HostDatabase;

	readonly owner: Owner;

	/** n8n's REST interface, for what has no method here. */
	readonly api: RestClient;

	/** Workers and webhook processors in queue mode; else none. Each can be killed, stopped and spawned by itself. */
	readonly companions: readonly Companion[];

	private readonly active = new Set<string>();

	/** Kept, for it is a list of many megabytes, and a restart changes nothing of it. */
	private types: Promise<NodeType[]> | undefined;

	constructor(private readonly parts: HostParts) {
		this.version = parts.version;
		this.url = parts.url;
		this.userFolder = parts.userFolder;
		this.database = parts.database;
		this.owner = parts.owner;
		this.companions = parts.companions ?? [];
		this.api = new RestClient(parts.url);
	}

	get port(): number {
		return Number(new URL(this.url).port);
	}

	/** Of n8n's main process. */
	get pid(): number {
		return this.parts.main.pid;
	}

	/** What n8n's main process has written so far. */
	get log(): HostLog {
		return this.parts.main.log;
	}

	/** Starts the processes and logs in; for `startHost` and {@link restart}. */
	async launch(): Promise<void> {
		const { main } = this.parts;
		main.spawn();
		await main.until('its REST interface answers', () => restIsUp(this.api), START_MS);
		for (const { process } of this.companions) process.spawn();
		for (const companion of this.companions) await this.untilReady(companion);
		await enter(this.api, this.owner);
		for (const id of this.active) await this.untilListening(id);
	}

	/** Every node that n8n offers, or those whose name begins with `prefix`. */
	async nodeTypes(prefix = ''): Promise<NodeType[]> {
		this.types ??= nodeTypes(this.api).catch((error: unknown) => {
			this.types = undefined;
			throw error;
		});
		return (await this.types).filter(({ name }) => name.startsWith(prefix));
	}

	async createCredential(credential: credentials.NewCredential): Promise<credentials.Credential> {
		return credentials.createCredential(this.api, credential);
	}

	/** Creates a credential, or gives the one of this name and type new values. */
	async putCredential(credential: credentials.NewCredential): Promise<credentials.Credential> {
		return credentials.putCredential(this.api, credential);
	}

	/** Creates a credential and tests it, as the editor does. */
	async testCredential(
		credential: credentials.NewCredential,
	): Promise<credentials.CredentialTestResult> {
		const { id } = await this.createCredential(credential);
		return credentials.testCredential(this.api, id, credential);
	}

	/**
	 * Imports a workflow as n8n exports it. Its nodes' credentials are replaced by those that exist here: by name, else
	 * the newest of the type.
	 */
	async importWorkflow(json: unknown): Promise<workflows.Workflow> {
		return workflows.importWorkflow(this.api, json, await credentials.listCredentials(this.api));
	}

	async workflows(): Promise<Array<{ id: string; name: string }>> {
		return workflows.listWorkflows(this.api);
	}

	async workflow(id: string): Promise<workflows.Workflow> {
		return workflows.getWorkflow(this.api, id);
	}

	/** Activates a workflow and waits until its webhooks really answer. */
	async activate(workflowId: string): Promise<workflows.Workflow> {
		const workflow = await workflows.activateWorkflow(this.api, workflowId);
		this.active.add(workflowId);
		await this.untilListening(workflowId);
		return workflow;
	}

	async deactivate(workflowId: string): Promise<void> {
		this.active.delete(workflowId);
		await workflows.deactivateWorkflow(this.api, workflowId);
	}

	/**
	 * The address of a trigger's webhook.
	 *
	 * @param options `node` names the trigger (default: the first that has a webhook); `test` gives the address that
	 * "Listen for test event" uses
	 */
	async webhookUrl(
		workflowId: string,
		{ node, test = false }: { node?: string; test?: boolean } = {},
	): Promise<string> {
		const paths = await this.webhooks(workflowId);
		const found = paths.find((webhook) => node === undefined || webhook.node === node);
		if (!found)
			throw new Error(
				`Workflow ${workflowId} has no webhook${node ? ` in a node called "${node}"` : ''}.`,
			);
		return `${this.url}/${test ? 'webhook-test' : 'webhook'}/${found.path}`;
	}

	/**
	 * Starts a workflow by hand, as the editor's button does.
	 *
	 * @returns the execution's id, or undefined where n8n now listens for one test event
	 */
	async start(workflowId: string, trigger?: string): Promise<string | undefined> {
		return workflows.startWorkflow(this.api, workflowId, trigger);
	}

	/** Starts a workflow by hand and waits for its end. A failed execution is returned, not thrown. */
	async run(
		workflowId: string,
		{ trigger, ...wait }: RunOptions = {},
	): Promise<executions.Execution> {
		const id = await this.start(workflowId, trigger);
		if (id === undefined)
			throw new Error(
				'The workflow starts with a webhook: use start(), then call its test address.',
			);
		return this.waitFor(id, wait);
	}

	/** Waits for the end of an execution. */
	async waitFor(
		executionId: string,
		{ timeout = DEFAULT_RUN_MS, orWaiting = false }: RunOptions = {},
	): Promise<executions.Execution> {
		const deadline = Date.now() + timeout;
		for (;;) {
			const status = await executions.getStatus(this.api, executionId);
			if (ENDED.includes(status) || (orWaiting && status === 'waiting'))
				return this.execution(executionId);
			if (Date.now() > deadline) {
				throw new Error(
					`Execution ${executionId} is still "${status}" after ${timeout / 1_000} s. n8n's log ends with:\n${this.log.tail()}`,
				);
			}
			await delay(100);
		}
	}

	/** An execution with all that its nodes put out. */
	async execution(id: string): Promise<executions.Execution> {
		return executions.getExecution(this.api, id);
	}

	/** n8n's list of executions, the newest first, all pages. */
	async executions(filter?: executions.ExecutionFilter): Promise<executions.ExecutionSummary[]> {
		return executions.listExecutions(this.api, filter);
	}

	async stopExecution(id: string): Promise<void> {
		await executions.stopExecution(this.api, id);
	}

	/** Deletes executions together with their files. */
	async deleteExecutions(ids: string[]): Promise<void> {
		await executions.deleteExecutions(this.api, ids);
	}

	/** Reads a file that a node put out, `item.binary.<name>`, wherever n8n keeps it. */
	async binary(file: executions.ItemFile): Promise<BinaryFile> {
		return readBinary(this.api, file);
	}

	/** Saves such a file, of any size, to `path`. */
	async saveBinary(file: executions.ItemFile, path: string): Promise<void> {
		await saveBinary(this.api, file, path);
	}

	/** Bytes of memory that n8n's main process holds. */
	async rssBytes(): Promise<number> {
		return memory.rssBytes(this.pid);
	}

	/** The most it has held since its start or since {@link resetPeakRss}. Linux only. */
	async peakRssBytes(): Promise<number> {
		return memory.peakRssBytes(this.pid);
	}

	async resetPeakRss(): Promise<void> {
		await memory.resetPeakRss(this.pid);
	}

	/** Ends n8n in order, and with it everything that was started for it. The user folder goes, unless it was given. */
	async stop(): Promise<void> {
		await this.halt();
		await this.parts.dispose();
	}

	/** Ends n8n as a power cut would (SIGKILL). {@link restart} brings it back; {@link stop} is still to be called. */
	async kill(): Promise<void> {
		await Promise.all(this.processes.map((process) => process.kill()));
	}

	/** Ends n8n if it runs, starts it on the same user folder and port, and waits for the active workflows' webhooks. */
	async restart(): Promise<void> {
		await this.halt();
		await this.launch();
	}

	/** Waits for a worker or webhook processor that was spawned again. */
	async untilReady({ process, ready }: Companion): Promise<void> {
		await process.until('being ready', ready, START_MS);
	}

	private get processes(): MainProcess[] {
		return [this.parts.main, ...this.companions.map(({ process }) => process)];
	}

	private async halt(): Promise<void> {
		await Promise.all(this.processes.map((process) => process.stop()));
	}

	private async webhooks(workflowId: string) {
		const [workflow, types] = await Promise.all([
			workflows.getWorkflow(this.api, workflowId),
			this.nodeTypes(),
		]);
		return webhookPaths(workflow, types);
	}

	private async untilListening(workflowId: string): Promise<void> {
		for (const webhook of await this.webhooks(workflowId)) {
			await this.parts.main.until(
				`listening for ${webhook.method} ${webhook.path}`,
				() => isListening(this.api, webhook),
				START_MS,
			);
		}
	}
}
