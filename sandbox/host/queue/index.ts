import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import axios from 'axios';
import { Host } from '../host';
import { ensureN8n, type InstalledN8n } from '../install/ensureN8n';
import { freePort } from '../n8n/ports';
import { prepareN8n } from '../n8n/prepare';
import type { N8nCommand } from '../n8n/process';
import { assertPrograms, QUEUE_MODE } from '../machine/programs.cjs';
import { registerPackage } from '../package/register';
import { type Progress, silentProgress } from '../progress';
import type { HostVersion } from '../versions';
import { type Postgres, startPostgres } from './postgres';
import { type Balance, startProxy } from './proxy';
import { startRedis } from './redis';

interface QueueHostOptions {
	version: HostVersion;
	tarball?: string;
	/** How many processes execute workflows; 2 by default. */
	workers?: number;
	/** How many processes answer webhooks, behind a proxy; 2 by default. */
	webhooks?: number;
	/** How the proxy distributes calls among them, asked for each call; in turn by default. */
	balance?: () => Balance;
	progress?: Progress;
}

/**
 * Brings up n8n in queue mode: main, workers and webhook processors as processes of their own, with Redis, PostgreSQL
 * and a proxy before them. All of it is on this machine and ends with `stop()`.
 *
 * `host.companions` holds the workers and webhook processors; `kill()` and `restart()` of the host act on all processes,
 * but leave Redis and PostgreSQL running, as servers of their own would.
 */
export async function startQueueHost(options: QueueHostOptions): Promise<Host> {
	const { version, workers = 2, webhooks = 2, progress = silentProgress } = options;
	assertPrograms(QUEUE_MODE, 'Queue mode');
	const n8n = await ensureN8n(version, progress);
	const title = `Starting n8n ${version} in queue mode: main, ${workers} workers, ${webhooks} webhook processors`;
	const run = () => start(n8n, { ...options, workers, webhooks });
	return progress.step(title, run, 'half a minute to a minute');
}

type Counts = Required<Pick<QueueHostOptions, 'workers' | 'webhooks'>>;

async function start(
	n8n: InstalledN8n,
	{ tarball, balance = () => 'inTurn', ...counts }: QueueHostOptions & Counts,
): Promise<Host> {
	const folder = await mkdtemp(join(tmpdir(), `mediagen-queue-${n8n.version}-`));
	const undo: Array<() => void | Promise<void>> = [
		() => rm(folder, { recursive: true, force: true }),
	];
	const dispose = async () => {
		for (const step of undo.splice(0).reverse()) await step();
	};
	try {
		const postgres = await startPostgres(join(folder, 'postgres'));
		undo.push(() => postgres.stop());
		const redis = await startRedis(folder);
		undo.push(() => redis.stop());

		const port = await freePort();
		const url = `http://127.0.0.1:${port}`;
		const shared = environment(url, postgres, redis.port);
		/** One process with a user folder of its own, as if on a machine of its own. */
		const part = async (command: N8nCommand, name: string) => {
			const ownPort = await freePort();
			const made = await prepareN8n(n8n, command, {
				userFolder: join(folder, name),
				port: ownPort,
				tarball,
				env: { ...shared, QUEUE_HEALTH_CHECK_PORT: String(ownPort) },
			});
			undo.push(() => made.process.log.close());
			return { name, ready: () => isReady(made.url), ...made };
		};
		const parts = async (command: N8nCommand, count: number) => {
			const made: Array<Awaited<ReturnType<typeof part>>> = [];
			for (let number = 1; number <= count; number += 1)
				made.push(await part(command, `${command}-${number}`));
			return made;
		};
		const main = await part('start', 'main');
		const workers = await parts('worker', counts.workers);
		const webhooks = await parts('webhook', counts.webhooks);
		const processors = webhooks.map((webhook) => webhook.url);
		const proxy = await startProxy(port, main.url, processors, balance);
		undo.push(() => proxy.stop());

		const host = new Host({
			version: n8n.version,
			main: main.process,
			companions: [...workers, ...webhooks],
			userFolder: main.userFolder,
			database: { connection: postgres.connection },
			url,
			dispose,
		});
		undo.push(() => host.kill());
		await host.launch();
		await registerPackage(n8n, host, main.pack);
		return host;
	} catch (error) {
		await dispose();
		throw error;
	}
}

/**
 * Settings for every process: what makes them one installation, what `docs/scaling.md` recommends, and where the servers are. All
 * else is n8n's default.
 *
 * @param url the proxy's address, which is the only one that is known outside
 */
function environment(url: string, postgres: Postgres, redisPort: number) {
	return {
		EXECUTIONS_MODE: 'queue',
		N8N_ENCRYPTION_KEY: randomBytes(24).toString('base64'),
		WEBHOOK_URL: `${url}/`,
		N8N_EDITOR_BASE_URL: `${url}/`,
		N8N_PROXY_HOPS: '1',
		// Files must be readable by every process, and there is no shared disk in general. n8n 2.x has this by default in queue mode.
		N8N_DEFAULT_BINARY_DATA_MODE: 'database',
		// n8n 1.x only accepts a mode that is listed here as well.
		N8N_AVAILABLE_BINARY_DATA_MODES: 'filesystem,database',
		// Production webhooks are the processors' alone, as n8n's own documentation of queue mode asks for.
		N8N_DISABLE_PRODUCTION_MAIN_PROCESS: 'true',

		...postgres.environment,
		// With n8n's two connections and 20 seconds, many callbacks at once end executions with "timeout exceeded when trying to connect".
		DB_POSTGRESDB_POOL_SIZE: '10',
		DB_POSTGRESDB_CONNECTION_TIMEOUT: '120000',

		QUEUE_BULL_REDIS_HOST: '127.0.0.1',
		QUEUE_BULL_REDIS_PORT: String(redisPort),
		// By default 1.123 runs the jobs of a dead worker again, from the start; 2.x never does, and ignores this.
		QUEUE_WORKER_MAX_STALLED_COUNT: '0',
		// Tells when a worker is ready.
		QUEUE_HEALTH_CHECK_ACTIVE: 'true',
	};
}

async function isReady(url: string): Promise<boolean> {
	const response = await axios
		.get(`${url}/healthz/readiness`, { validateStatus: () => true, proxy: false })
		.catch(() => undefined);
	return response?.status === 200;
}
