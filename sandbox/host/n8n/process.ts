import { spawn, type ChildProcess } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { join } from 'node:path';
import type { InstalledN8n } from '../install/ensureN8n';
import { becomes } from '../machine/becomes';
import type { HostLog } from './log';

/** How long n8n may take to end by itself after SIGTERM. */
const GRACE_MS = 20_000;

const GUARD = join(__dirname, 'guard.cjs');

const running = new Set<N8nProcess>();

// The last resort for an exit that nobody announced; a regular stop() has emptied the set by then.
process.on('exit', () => running.forEach((n8n) => n8n.signal('SIGKILL')));

/** What n8n is started as: the whole of it, or in queue mode a part. */
export type N8nCommand = 'start' | 'worker' | 'webhook';

/** What a host needs of n8n's main process. */
export type MainProcess = Pick<N8nProcess, 'pid' | 'log' | 'spawn' | 'until' | 'stop' | 'kill'>;

/** One operating-system process of n8n (`start`, `worker` or `webhook`) and everything that it starts. */
export class N8nProcess {
	private child: ChildProcess | undefined;

	private exited: Promise<string> = Promise.resolve('it was not started');

	constructor(
		private readonly n8n: InstalledN8n,
		private readonly command: N8nCommand,
		private readonly env: NodeJS.ProcessEnv,
		readonly log: HostLog,
		private readonly cwd: string,
	) {}

	/** Starts the process; it is not ready to be used yet. */
	spawn(): void {
		// A process group of its own (detached) ends n8n's task runners with it.
		const child = spawn(this.n8n.node.bin, ['--require', GUARD, this.n8n.bin, this.command], {
			cwd: this.cwd,
			env: this.env,
			detached: true,
			stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
		});
		child.stdout?.setEncoding('utf8').on('data', (chunk: string) => this.log.write(chunk));
		child.stderr?.setEncoding('utf8').on('data', (chunk: string) => this.log.write(chunk));
		this.child = child;
		this.exited = new Promise((resolve) => {
			child.once('error', (error) => resolve(error.message));
			child.once('close', (code, signal) =>
				resolve(signal ? `it was ended by ${signal}` : `it ended with code ${code}`),
			);
		}).then((reason) => {
			this.signal('SIGKILL');
			running.delete(this);
			this.child = undefined;
			return String(reason);
		});
		running.add(this);
	}

	/** @throws when the process is not running */
	get pid(): number {
		if (this.child?.pid === undefined)
			throw new Error(`n8n is not running. Its log: ${this.log.file}`);
		return this.child.pid;
	}

	/**
	 * Waits until `ready` says so.
	 *
	 * @throws when n8n ends first, or after `timeoutMs`; with the end of n8n's log
	 */
	async until(what: string, ready: () => Promise<boolean>, timeoutMs: number): Promise<void> {
		const end: { reason?: string } = {};
		void this.exited.then((reason) => (end.reason = reason));
		if (await becomes(ready, timeoutMs, () => end.reason !== undefined)) return;
		const why = end.reason === undefined ? ` within ${timeoutMs / 1_000} s` : `: ${end.reason}`;
		throw new Error(
			`n8n did not get to "${what}"${why}.\nIts log (${this.log.file}) ends with:\n${this.log.tail()}`,
		);
	}

	/** Asks n8n to end, waits for it, and then ends whatever is left of its process group. */
	async stop(): Promise<void> {
		if (!this.child) return;
		this.child.kill('SIGTERM');
		const patience = new AbortController();
		await Promise.race([
			this.exited,
			delay(GRACE_MS, undefined, { signal: patience.signal }).catch(() => {}),
		]);
		patience.abort();
		await this.kill();
	}

	/** Ends n8n as a power cut would, and waits until it is gone. */
	async kill(): Promise<void> {
		this.signal('SIGKILL');
		if (this.child) await this.exited;
	}

	/** Sends a signal to the whole process group. */
	signal(signal: NodeJS.Signals): void {
		if (this.child?.pid === undefined) return;
		try {
			process.kill(-this.child.pid, signal);
		} catch {
			// The group has ended already.
		}
	}
}
