import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Host } from './host';
import { ensureN8n } from './install/ensureN8n';
import { nodeFromRegistry, type RegistryNode } from './install/node';
import { type HostDatabase, postgresEnvironment } from './n8n/database';
import { n8nEnvironment } from './n8n/environment';
import { HostLog } from './n8n/log';
import { assertPortFree, freePort } from './n8n/ports';
import { N8nProcess } from './n8n/process';
import { assertPrograms, POSTGRES } from './machine/programs.cjs';
import { layDown } from './package/layDown';
import { registerPackage } from './package/register';
import { silentProgress, type Progress } from './progress';
import { startPostgres } from './queue/postgres';
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
	/** Where n8n keeps its tables: in its SQLite file, the default, or in a PostgreSQL that starts and stops with this host. */
	database?: 'sqlite' | 'postgres';
	/** A Node.js to run n8n on instead of the one for which it was built. Only 1.123's native packages load on any. */
	node?: RegistryNode;
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
	database: kind = 'sqlite',
	node,
	env = {},
	progress = silentProgress,
}: HostOptions): Promise<Host> {
	if (port !== undefined) await assertPortFree(port, '--port');
	if (kind === 'postgres') assertPrograms(POSTGRES, 'PostgreSQL');
	const installed = await ensureN8n(version, progress);
	const n8n =
		node === undefined ? installed : { ...installed, node: await nodeFromRegistry(node, progress) };

	const start = async () => {
		const folder = userFolder ?? (await mkdtemp(join(tmpdir(), `mediagen-n8n-${version}-`)));
		await mkdir(folder, { recursive: true });
		const postgres =
			kind === 'postgres' ? await startPostgres(join(folder, 'postgres')) : undefined;
		const pack = tarball === undefined ? undefined : await layDown(tarball, folder);

		const editorPort = port ?? (await freePort());
		const environment = n8nEnvironment({
			version,
			node: n8n.node,
			userFolder: folder,
			port: editorPort,
			brokerPort: await freePort(),
			env: { ...(postgres && postgresEnvironment(postgres.connection)), ...env },
		});
		const database: HostDatabase = postgres
			? { connection: postgres.connection }
			: { file: join(folder, '.n8n', 'database.sqlite') };
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
				await postgres?.stop();
				if (userFolder === undefined) await rm(folder, { recursive: true, force: true });
			},
		});
		try {
			await host.launch();
			if (pack) await registerPackage(n8n, database, pack, await host.nodeTypes(`${pack.name}.`));
		} catch (error) {
			// The folder stays, for the log in it.
			await main.kill();
			await postgres?.stop();
			throw error;
		}
		return host;
	};
	return progress.step(`Starting n8n ${version}`, start, '10 s');
}
