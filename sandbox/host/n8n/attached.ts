import { becomes } from '../machine/becomes';
import type { HostLog } from './log';
import type { MainProcess } from './process';

/** An n8n that another process has started and will end. */
export class AttachedProcess implements MainProcess {
	constructor(
		readonly pid: number,
		readonly log: HostLog,
	) {}

	spawn(): void {
		throw notOurs();
	}

	async until(what: string, ready: () => Promise<boolean>, timeoutMs: number): Promise<void> {
		if (await becomes(ready, timeoutMs)) return;
		throw new Error(
			`n8n did not get to "${what}" within ${timeoutMs / 1_000} s.\n${this.log.tail()}`,
		);
	}

	async stop(): Promise<void> {
		return Promise.reject(notOurs());
	}

	async kill(): Promise<void> {
		return Promise.reject(notOurs());
	}
}

function notOurs(): Error {
	return new Error(
		'This n8n is shared: one that is to be ended or restarted must be started with startHost.',
	);
}
