import { Host } from './host';
import type { HostDatabase } from './n8n/database';
import { AttachedProcess } from './n8n/attached';
import { HostLog } from './n8n/log';
import type { Owner } from './rest/n8n';
import type { HostVersion } from './versions';

/** All that another process needs in order to use a running host; plain JSON. */
export interface HostDescription {
	version: HostVersion;
	url: string;
	userFolder: string;
	database: HostDatabase;
	owner: Owner;
	session: string;
	pid: number;
	logFile: string;
}

/** Describes a running host for {@link attachHost}. */
export function describeHost({
	version,
	url,
	userFolder,
	database,
	owner,
	api,
	pid,
	log,
}: Host): HostDescription {
	return {
		version,
		url,
		userFolder,
		database,
		owner,
		session: api.session,
		pid,
		logFile: log.file,
	};
}

/** Uses a host that another process has started. It can do everything but end or restart it. */
export function attachHost({ session, pid, logFile, ...parts }: HostDescription): Host {
	const host = new Host({
		...parts,
		main: new AttachedProcess(pid, new HostLog(logFile)),
		dispose: async () => {},
	});
	// A log-in of its own for each user would soon meet n8n's limit of attempts.
	host.api.session = session;
	return host;
}
