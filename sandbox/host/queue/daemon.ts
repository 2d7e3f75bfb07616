import { type ChildProcess, spawn } from 'node:child_process';
import { becomes } from '../machine/becomes';

interface DaemonOptions {
	name: string;
	command: string;
	args: string[];
	/** Runs as this user, where this program is root: PostgreSQL refuses to be root. */
	user?: string;
	/** The signal for an orderly shutdown. */
	stopSignal: NodeJS.Signals;
	ready: () => Promise<boolean>;
}

const START_MS = 30_000;

/** A server that lives for as long as this program does. */
export class Daemon {
	private constructor(
		private readonly child: ChildProcess,
		private readonly stopSignal: NodeJS.Signals,
	) {}

	/**
	 * Starts a server and waits until it is ready.
	 *
	 * @throws with what it wrote, when it ends first or takes too long
	 */
	static async start(options: DaemonOptions): Promise<Daemon> {
		const asUser = options.user && process.getuid?.() === 0;
		const identity = asUser
			? [`--reuid=${options.user}`, `--regid=${options.user}`, '--init-groups']
			: [];
		// The kernel ends it with this program, even one that is killed outright.
		const args = [
			'--pdeathsig',
			options.stopSignal.replace('SIG', ''),
			...identity,
			'--',
			options.command,
			...options.args,
		];
		const child = spawn('setpriv', args, { detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
		const daemon = new Daemon(child, options.stopSignal);
		let output = '';
		const keep = (chunk: string) => {
			output = (output + chunk).slice(-10_000);
		};
		child.stdout.setEncoding('utf8').on('data', keep);
		child.stderr.setEncoding('utf8').on('data', keep);
		if (await becomes(options.ready, START_MS, () => daemon.ended)) return daemon;
		await daemon.stop();
		throw new Error(`${options.name} did not start. It wrote:\n${output}`);
	}

	/** Ends the server and waits until it is gone. */
	async stop(): Promise<void> {
		if (this.ended) return;
		const gone = new Promise((resolve) => this.child.once('close', resolve));
		this.child.kill(this.stopSignal);
		const timer = setTimeout(() => this.child.kill('SIGKILL'), 10_000);
		await gone;
		clearTimeout(timer);
	}

	private get ended(): boolean {
		return this.child.exitCode !== null || this.child.signalCode !== null;
	}
}
