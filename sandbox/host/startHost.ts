import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Host, type HostDatabase } from './host';
import { ensureN8n } from './install/ensureN8n';
import { nodeFromRegistry, type RegistryNode } from './install/node';
import { assertPortFree, freePort } from './n8n/ports';
import { prepareN8n } from './n8n/prepare';
import { assertPrograms, POSTGRES } from './machine/programs.cjs';
import { registerPackage } from './package/register';
import { silentProgress, type Progress } from './progress';
import { startPostgres } from './queue/postgres';
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
	/** Overrides n8n's environment, for example `{ EXECUTIONS_TIMEOUT: '60' }`. */
	env?: Record<string, string>;
	progress?: Progress;
}

/**
 * Brings up a real n8n with the package installed in it and its owner logged in.
 *
 * @throws when `port` is given and taken
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
		const { process, url, pack } = await prepareN8n(n8n, 'start', {
			userFolder: folder,
			port: port ?? (await freePort()),
			tarball,
			env: { ...postgres?.environment, ...env },
		});
		const database: HostDatabase = postgres
			? { connection: postgres.connection }
			: { file: join(folder, '.n8n', 'database.sqlite') };
		const host = new Host({
			version,
			main: process,
			userFolder: folder,
			database,
			url,
			dispose: async () => {
				process.log.close();
				await postgres?.stop();
				if (userFolder === undefined) await rm(folder, { recursive: true, force: true });
			},
		});
		try {
			await host.launch();
			await registerPackage(n8n, host, pack);
		} catch (error) {
			// The folder stays, for the log in it.
			await process.kill();
			await postgres?.stop();
			throw error;
		}
		return host;
	};
	return progress.step(`Starting n8n ${version}`, start, '10 s');
}
