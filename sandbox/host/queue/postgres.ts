import { execFile } from 'node:child_process';
import { chmod, chown, mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { programPath } from '../machine/programs.cjs';
import { freePort } from '../n8n/ports';
import { Daemon } from './daemon';

const run = promisify(execFile);

export type Postgres = Awaited<ReturnType<typeof startPostgres>>;

/** Starts a PostgreSQL with an empty database in `folder`, a new one inside another. */
export async function startPostgres(folder: string) {
	const port = await freePort();
	const identity = process.getuid?.() === 0 ? await identityOf('postgres') : undefined;

	await mkdir(folder);
	if (identity) {
		await chown(folder, identity.uid, identity.gid);
		// It runs as another user, and must be able to reach its own folder inside.
		await chmod(dirname(folder), 0o755);
	}
	// Trust is enough for a server that only this machine reaches, and syncing to disk only protects from a loss of power.
	await run(
		programPath('initdb'),
		['-D', folder, '-U', 'n8n', '-A', 'trust', '-E', 'UTF8', '--no-sync'],
		{ ...identity, cwd: '/' },
	);
	const daemon = await Daemon.start({
		name: 'PostgreSQL',
		command: programPath('postgres'),
		args: [
			...['-D', folder, '-p', String(port), '-k', folder],
			...['-c', 'listen_addresses=127.0.0.1', '-c', 'max_connections=200', '-c', 'fsync=off'],
		],
		user: 'postgres',
		stopSignal: 'SIGINT',
		ready: () =>
			run(programPath('pg_isready'), ['-h', '127.0.0.1', '-p', String(port)]).then(
				() => true,
				() => false,
			),
	});
	/** Without a password. */
	const connection = { host: '127.0.0.1', port, user: 'n8n', database: 'postgres' };
	return {
		connection,
		/** What tells n8n to keep its tables here. */
		environment: {
			DB_TYPE: 'postgresdb',
			DB_POSTGRESDB_HOST: connection.host,
			DB_POSTGRESDB_PORT: String(port),
			DB_POSTGRESDB_USER: connection.user,
			DB_POSTGRESDB_DATABASE: connection.database,
		},
		stop: () => daemon.stop(),
	};
}

async function identityOf(user: string): Promise<{ uid: number; gid: number }> {
	const id = async (flag: string) => Number((await run('id', [flag, user])).stdout);
	return { uid: await id('-u'), gid: await id('-g') };
}
