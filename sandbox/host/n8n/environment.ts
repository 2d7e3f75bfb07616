import { pathWith, type NodeRuntime } from '../install/node';
import { RECIPES, type HostVersion } from '../versions';

/** What of the surrounding environment reaches n8n: all else could change its behaviour from one machine to the next. */
const INHERITED = /^(HOME|USER|TMPDIR|LANG|LC_.*|TZ|SSL_CERT_.*|NODE_EXTRA_CA_CERTS|(https?|no|all)_proxy)$/i;

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
 * The environment of an n8n that keeps to itself: on the loopback address, nothing sent home, nothing fetched, binary data
 * on disk.
 */
export function n8nEnvironment({ version, node, userFolder, port, brokerPort, env }: EnvironmentOptions): Record<string, string> {
	return {
		...inherited(),
		PATH: pathWith(node),
		NO_COLOR: '1',

		N8N_USER_FOLDER: userFolder,
		N8N_HOST: '127.0.0.1',
		N8N_LISTEN_ADDRESS: '127.0.0.1',
		N8N_PORT: String(port),
		N8N_RUNNERS_BROKER_PORT: String(brokerPort),
		N8N_SECURE_COOKIE: 'false',
		N8N_ENFORCE_SETTINGS_FILE_PERMISSIONS: 'true',
		N8N_GRACEFUL_SHUTDOWN_TIMEOUT: '8',

		N8N_DEFAULT_BINARY_DATA_MODE: 'filesystem',

		N8N_DIAGNOSTICS_ENABLED: 'false',
		N8N_VERSION_NOTIFICATIONS_ENABLED: 'false',
		N8N_VERSION_NOTIFICATIONS_WHATS_NEW_ENABLED: 'false',
		N8N_DYNAMIC_BANNERS_ENABLED: 'false',
		N8N_TEMPLATES_ENABLED: 'false',
		N8N_HIRING_BANNER_ENABLED: 'false',
		N8N_PERSONALIZATION_ENABLED: 'false',
		N8N_LICENSE_AUTO_RENEW_ENABLED: 'false',
		// The list of verified packages comes from the internet; ours is laid down as an unverified one.
		N8N_VERIFIED_PACKAGES_ENABLED: 'false',
		N8N_UNVERIFIED_PACKAGES_ENABLED: 'true',

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
