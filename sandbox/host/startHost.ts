import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Host } from './host';
import { ensureN8n } from './install/ensureN8n';
import { n8nEnvironment } from './n8n/environment';
import { HostLog } from './n8n/log';
import { assertPortFree, freePort } from './n8n/ports';
import { N8nProcess } from './n8n/process';
import { layDown } from './package/layDown';
import { registerPackage } from './package/register';
import { silentProgress, type Progress } from './progress';
import { DEFAULT_OWNER } from './rest/owner';
import type { HostVersion } from './versions';

export interface HostOptions {
	version: HostVersion;
	/** The packed package; without one, n8n starts with nothing but its own nodes. */
	tarball?: string;
	/** Kept at the end when given; else a temporary one that {@link Host.stop} removes. */
	userFolder?: string;
	/** The editor's port; a free one when left out. */
	port?: number;
	/** Goes over n8n's environment, for example `{ EXECUTIONS_TIMEOUT: '60' }`. */
	env?: Record<string, string>;
	progress?: Progress;
}

/**
 * Brings up a real n8n with the package installed in it and its owner logged in.
 *
 * @throws {PortTakenError} when `port` is given and taken
 * @throws with the end of n8n's log, when n8n does not start
 */
export async function startHost({
	version,
	tarball,
	userFolder,
	port,
	env = {},
	progress = silentProgress,
}: HostOptions): Promise<Host> {
	if (port !== undefined) await assertPortFree(port, '--port');
	const n8n = await ensureN8n(version, progress);

	const start = async () => {
		const folder = userFolder ?? (await mkdtemp(join(tmpdir(), `mediagen-n8n-${version}-`)));
		await mkdir(folder, { recursive: true });
		const pack = tarball === undefined ? undefined : await layDown(tarball, folder);

		const editorPort = port ?? (await freePort());
		const environment = n8nEnvironment({
			version,
			node: n8n.node,
			userFolder: folder,
			port: editorPort,
			brokerPort: await freePort(),
			env,
		});
		const database = { file: join(folder, '.n8n', 'database.sqlite') };
		const log = new HostLog(join(folder, 'n8n.log'));
		const main = new N8nProcess(n8n, 'start', environment, log, folder);
		const host = new Host({
			version,
			main,
			userFolder: folder,
			database,
			url: `http://127.0.0.1:${editorPort}`,
			owner: DEFAULT_OWNER,
			dispose: async () => {
				log.close();
				if (userFolder === undefined) await rm(folder, { recursive: true, force: true });
			},
		});
		try {
			await host.launch();
			if (pack) await registerPackage(n8n, database, pack, await host.nodeTypes(`${pack.name}.`));
		} catch (error) {
			// The folder stays, for the log in it.
			await main.kill();
			throw error;
		}
		return host;
	};
	return progress.step(`Starting n8n ${version}`, start, '10 s');
}
