import { pathWith, type NodeRuntime } from '../install/node';
import { RECIPES, type HostVersion } from '../versions';

/** What of the surrounding environment reaches n8n: all else could change its behaviour from one machine to the next. */
const INHERITED =
	/^(HOME|USER|TMPDIR|LANG|LC_.*|TZ|SSL_CERT_.*|NODE_EXTRA_CA_CERTS|(https?|no|all)_proxy)$/i;

export interface EnvironmentOptions {
	version: HostVersion;
	node: NodeRuntime;
	userFolder: string;
	port: number;
	brokerPort: number;
	/** Goes over everything else. */
	env?: Record<string, string>;
}

/**
 * The environment of an n8n that keeps to itself. All else is as n8n has it when it is installed: with a setting of ours, tests
 * would test that setting. None of these changes what a node does.
 */
export function n8nEnvironment({
	version,
	node,
	userFolder,
	port,
	brokerPort,
	env,
}: EnvironmentOptions): Record<string, string> {
	return {
		...inherited(),
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
		// Otherwise a form with questions about the user lies over the editor after the first login.
		N8N_PERSONALIZATION_ENABLED: 'false',
		// No other machine gets to it.
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

function inherited(): Record<string, string> {
	const kept: Record<string, string> = {};
	for (const [name, value] of Object.entries(process.env)) {
		if (value !== undefined && INHERITED.test(name)) kept[name] = value;
	}
	return kept;
}
