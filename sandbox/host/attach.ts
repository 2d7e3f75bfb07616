import { Host, type HostParts } from './host';
import { HostLog } from './n8n/log';
import type { MainProcess } from './n8n/process';
import { becomes } from './machine/becomes';

/** All that another process needs in order to use a running host; plain JSON. */
export interface HostDescription extends Pick<
	HostParts,
	'version' | 'url' | 'userFolder' | 'database'
> {
	session: string;
	pid: number;
	logFile: string;
}

/** Describes a running host for {@link attachHost}. */
export function describeHost(host: Host): HostDescription {
	const { version, url, userFolder, database, api, pid, log } = host;
	const { session } = api;
	return { version, url, userFolder, database, session, pid, logFile: log.file };
}

/** Uses a host that another process has started. It can do everything but end or restart it. */
export function attachHost({ session, pid, logFile, ...parts }: HostDescription): Host {
	const main = attachedProcess(pid, new HostLog(logFile));
	const host = new Host({ ...parts, main, dispose: async () => {} });
	// If each user logged in separately, they would soon reach n8n's limit on attempts.
	host.api.session = session;
	return host;
}

/** An n8n that another process has started and will end. */
function attachedProcess(pid: number, log: HostLog): MainProcess {
	const refusal = new Error(
		'This n8n is shared: one that is to be ended or restarted must be started with startHost.',
	);
	return {
		pid,
		log,
		spawn() {
			throw refusal;
		},
		stop: () => Promise.reject(refusal),
		kill: () => Promise.reject(refusal),
		async until(what, ready, timeoutMs) {
			if (await becomes(ready, timeoutMs)) return;
			throw new Error(`n8n did not get to "${what}" within ${timeoutMs / 1_000} s.\n${log.tail()}`);
		},
	};
}
