import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { InstalledN8n } from '../install/ensureN8n';
import { pathWith } from '../install/node';
import { layDown } from '../package/layDown';
import { RECIPES } from '../versions';
import { HostLog } from './log';
import { freePort } from './ports';
import { type N8nCommand, N8nProcess } from './process';

interface PrepareOptions {
	userFolder: string;
	port: number;
	tarball: string | undefined;
	/** Overrides n8n's environment. */
	env: Record<string, string>;
}

/**
 * Makes a process of n8n that can be spawned: its user folder with the package in it, its environment and its log.
 *
 * @returns it with its address, and the package where a tarball was given
 */
export async function prepareN8n(n8n: InstalledN8n, command: N8nCommand, options: PrepareOptions) {
	const { userFolder, port, tarball } = options;
	await mkdir(userFolder, { recursive: true });
	const pack = tarball === undefined ? undefined : await layDown(tarball, userFolder);
	const env = environment(n8n, await freePort(), options);
	const log = new HostLog(join(userFolder, 'n8n.log'));
	const process = new N8nProcess(n8n, command, env, log, userFolder);
	return { process, userFolder, url: `http://127.0.0.1:${port}`, pack };
}

/** What of the surrounding environment reaches n8n: all else could change its behaviour from one machine to the next. */
const INHERITED =
	/^(HOME|USER|TMPDIR|LANG|LC_.*|TZ|SSL_CERT_.*|NODE_EXTRA_CA_CERTS|(https?|no|all)_proxy)$/i;

/** What runs beside n8n, such as the sandbox, is behind no proxy. */
function pastProxy(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
	if (!Object.keys(env).some((name) => /^(https?|all)_proxy$/i.test(name))) return env;
	const hosts = [env.no_proxy ?? env.NO_PROXY, '127.0.0.1', 'localhost'].filter(Boolean).join(',');
	return { ...env, no_proxy: hosts, NO_PROXY: hosts };
}

/**
 * The environment of an n8n that keeps to itself. All else is as n8n has it when it is installed: with a setting of ours, tests
 * would test that setting. None of these changes what a node does.
 */
function environment(
	{ version, node }: InstalledN8n,
	brokerPort: number,
	{ userFolder, port, env }: PrepareOptions,
): NodeJS.ProcessEnv {
	const inherited = Object.entries(process.env).filter(([name]) => INHERITED.test(name));
	return {
		...pastProxy(Object.fromEntries(inherited)),
		PATH: pathWith(node),
		// For the log, which tests read.
		NO_COLOR: '1',

		// Several n8n run side by side, and leave nothing behind.
		N8N_USER_FOLDER: userFolder,
		N8N_PORT: String(port),
		N8N_RUNNERS_BROKER_PORT: String(brokerPort),
		// Read only when it is stopped: it ends what still runs after that many seconds instead of 30.
		N8N_GRACEFUL_SHUTDOWN_TIMEOUT: '8',
		// Safari takes no other cookie from plain http; it is for the editor's login alone.
		N8N_SECURE_COOKIE: 'false',
		// Otherwise a form with questions about the user covers the editor after the first login.
		N8N_PERSONALIZATION_ENABLED: 'false',
		// No other machine can reach it.
		N8N_LISTEN_ADDRESS: '127.0.0.1',

		// Nothing is sent home or fetched: the start would wait for it on a closed network.
		N8N_DIAGNOSTICS_ENABLED: 'false',
		N8N_VERSION_NOTIFICATIONS_ENABLED: 'false',
		N8N_VERSION_NOTIFICATIONS_WHATS_NEW_ENABLED: 'false',
		N8N_DYNAMIC_BANNERS_ENABLED: 'false',
		N8N_TEMPLATES_ENABLED: 'false',
		N8N_LICENSE_AUTO_RENEW_ENABLED: 'false',
		// The list of verified packages is fetched too; ours is laid down as an unverified one.
		N8N_VERIFIED_PACKAGES_ENABLED: 'false',

		...RECIPES[version].env,
		...env,
	};
}
