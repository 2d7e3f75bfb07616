import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { InstalledN8n } from '../install/ensureN8n';
import { type LaidDownPackage, layDown } from '../package/layDown';
import { n8nEnvironment } from './environment';
import { HostLog } from './log';
import { freePort } from './ports';
import { type N8nCommand, N8nProcess } from './process';

export interface PreparedN8n {
	process: N8nProcess;
	userFolder: string;
	/** `http://127.0.0.1:<port>` */
	url: string;
	/** The package, where a tarball was given. */
	pack: LaidDownPackage | undefined;
}

export interface PrepareOptions {
	userFolder: string;
	port: number;
	tarball: string | undefined;
	/** Goes over n8n's environment. */
	env: Record<string, string>;
}

/** Makes a process of n8n that can be spawned: its user folder with the package in it, its environment and its log. */
export async function prepareN8n(
	n8n: InstalledN8n,
	command: N8nCommand,
	{ userFolder, port, tarball, env }: PrepareOptions,
): Promise<PreparedN8n> {
	await mkdir(userFolder, { recursive: true });
	const pack = tarball === undefined ? undefined : await layDown(tarball, userFolder);
	const { version, node } = n8n;
	const brokerPort = await freePort();
	const settings = n8nEnvironment({ version, node, userFolder, port, brokerPort, env });
	const log = new HostLog(join(userFolder, 'n8n.log'));
	const process = new N8nProcess(n8n, command, settings, log, userFolder);
	return { process, userFolder, url: `http://127.0.0.1:${port}`, pack };
}
