import { writeFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { HostLog } from './n8n/log';
import { memoryOf } from './n8n/memory';
import type { MainProcess } from './n8n/process';
import type { Postgres } from './queue/postgres';
import type { Execution, ExecutionStatus } from './rest/execution';
import { RestN8n } from './rest/n8n';
import type { Workflow } from './rest/workflow';
import type { HostVersion } from './versions';

/** A process beside the main one, as in queue mode. */
export interface Companion {
	/** `worker-1`, `webhook-2` … */
	name: string;
	process: MainProcess;
	ready: () => Promise<boolean>;
}

/** Where n8n keeps its tables: a file of SQLite's, or a PostgreSQL server. */
export type HostDatabase = { file: string } | Pick<Postgres, 'connection'>;

export interface HostParts {
	version: HostVersion;
	main: MainProcess;
	companions?: Companion[];
	userFolder: string;
	database: HostDatabase;
	url: string;
	/** Called when the host has stopped for good. */
	dispose: () => Promise<void>;
}

export interface RunOptions {
	/** Milliseconds; 60 000 by default. */
	timeout?: number;
	/** The trigger to start from; the workflow's first one by default. */
	trigger?: string;
	/** Also returns when the execution waits, not only when it has ended. */
	orWaiting?: boolean;
}

const START_MS = 180_000;
const DEFAULT_RUN_MS = 60_000;
const ENDED: ExecutionStatus[] = ['success', 'error', 'canceled', 'crashed'];

/** A real n8n, running, with its owner logged in. Made by `startHost` and `startQueueHost`. */
export class Host extends RestN8n {
	readonly version: HostVersion;

	readonly userFolder: string;

	/** n8n's own; for reading many executions at once, which its REST interface gives one by one. */
	readonly database: HostDatabase;

	/** Workers and webhook processors in queue mode; else none. Each can be killed, stopped and spawned by itself. */
	readonly companions: readonly Companion[];

	private readonly active = new Set<string>();

	constructor(private readonly parts: HostParts) {
		super(parts.url);
		this.version = parts.version;
		this.userFolder = parts.userFolder;
		this.database = parts.database;
		this.companions = parts.companions ?? [];
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
		await main.until('its REST interface answers', () => this.isUp(), START_MS);
		for (const { process } of this.companions) process.spawn();
		for (const companion of this.companions) await this.untilReady(companion);
		await this.enter();
		for (const id of this.active) await this.untilListening(id);
	}

	/** Activates a workflow and waits until its webhooks really answer. */
	override async activate(workflowId: string): Promise<Workflow> {
		const workflow = await super.activate(workflowId);
		this.active.add(workflowId);
		await this.untilListening(workflowId);
		return workflow;
	}

	override async deactivate(workflowId: string): Promise<void> {
		this.active.delete(workflowId);
		await super.deactivate(workflowId);
	}

	/** Starts a workflow by hand and waits for its end. A failed execution is returned, not thrown. */
	async run(workflowId: string, { trigger, ...wait }: RunOptions = {}): Promise<Execution> {
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
	): Promise<Execution> {
		const began = Date.now();
		for (;;) {
			const status = await this.executionStatus(executionId);
			if (ENDED.includes(status) || (orWaiting && status === 'waiting'))
				return this.execution(executionId);
			const waited = Date.now() - began;
			if (waited > timeout) {
				throw new Error(
					`Execution ${executionId} is still "${status}" after ${timeout / 1_000} s. n8n's log ends with:\n${this.log.tail()}`,
				);
			}
			// n8n answers with all data of the execution. Where that takes long, it is asked rarely.
			await delay(Math.max(100, Math.min(waited / 20, 1_000)));
		}
	}

	/** Bytes of memory that n8n's main process holds. */
	async rssBytes(): Promise<number> {
		return memoryOf(this.pid, 'VmRSS');
	}

	/** The most it has held since its start or since {@link resetPeakRss}. Linux only. */
	async peakRssBytes(): Promise<number> {
		return memoryOf(this.pid, 'VmHWM');
	}

	async resetPeakRss(): Promise<void> {
		await writeFile(`/proc/${this.pid}/clear_refs`, '5');
	}

	/** Shuts n8n down, and with it everything that was started for it. Removes the user folder, unless it was given. */
	async stop(): Promise<void> {
		await this.halt();
		await this.parts.dispose();
	}

	/** Ends n8n as a power cut would (SIGKILL). {@link restart} brings it back; {@link stop} must still be called. */
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

	private async untilListening(workflowId: string): Promise<void> {
		for (const webhook of await this.webhooks(workflowId)) {
			await this.parts.main.until(
				`listening for ${webhook.method} ${webhook.path}`,
				() => this.isListening(webhook),
				START_MS,
			);
		}
	}
}
