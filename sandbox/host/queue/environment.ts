import { type PostgresConnection, postgresEnvironment } from '../n8n/database';

/** The settings that make several n8n processes one installation. */
export interface SharedSettings {
	postgres: PostgresConnection;
	redisPort: number;
	encryptionKey: string;
	/** The proxy's address, which is the only one that is known outside. */
	url: string;
}

/**
 * Goes over the environment of every process of a queue-mode installation: what `docs/scaling.md` recommends, and where the servers
 * are. All else is n8n's default.
 */
export function queueEnvironment({
	postgres,
	redisPort,
	encryptionKey,
	url,
}: SharedSettings): Record<string, string> {
	return {
		EXECUTIONS_MODE: 'queue',
		N8N_ENCRYPTION_KEY: encryptionKey,
		WEBHOOK_URL: `${url}/`,
		N8N_EDITOR_BASE_URL: `${url}/`,
		N8N_PROXY_HOPS: '1',
		// Files must be readable by every process, and there is no shared disk in general. n8n 2.x has this by default in queue mode.
		N8N_DEFAULT_BINARY_DATA_MODE: 'database',
		// n8n 1.x only accepts a mode that is listed here as well.
		N8N_AVAILABLE_BINARY_DATA_MODES: 'filesystem,database',
		// Production webhooks are the processors' alone, as n8n's own documentation of queue mode asks for.
		N8N_DISABLE_PRODUCTION_MAIN_PROCESS: 'true',

		...postgresEnvironment(postgres),

		QUEUE_BULL_REDIS_HOST: '127.0.0.1',
		QUEUE_BULL_REDIS_PORT: String(redisPort),
		// 1.123 runs the jobs of a worker that is gone again by default, from the start; 2.x never does, and ignores this.
		QUEUE_WORKER_MAX_STALLED_COUNT: '0',
		// Tells when a worker is ready.
		QUEUE_HEALTH_CHECK_ACTIVE: 'true',
	};
}
