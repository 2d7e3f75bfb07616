import { type PostgresConnection, postgresEnvironment } from '../n8n/database';

/** The settings that make several n8n processes one installation. */
export interface SharedSettings {
	postgres: PostgresConnection;
	redisPort: number;
	encryptionKey: string;
	/** The proxy's address, which is the only one that is known outside. */
	url: string;
}

/** Goes over the environment of every process of a queue-mode installation. */
export function queueEnvironment({ postgres, redisPort, encryptionKey, url }: SharedSettings): Record<string, string> {
	return {
		EXECUTIONS_MODE: 'queue',
		N8N_ENCRYPTION_KEY: encryptionKey,
		WEBHOOK_URL: `${url}/`,
		N8N_EDITOR_BASE_URL: `${url}/`,
		N8N_PROXY_HOPS: '1',
		// Files must be readable by every process, and there is no shared disk in general.
		N8N_DEFAULT_BINARY_DATA_MODE: 'database',
		// n8n 1.x only accepts a mode that is listed here as well.
		N8N_AVAILABLE_BINARY_DATA_MODES: 'filesystem,database',
		N8N_DISABLE_PRODUCTION_MAIN_PROCESS: 'true',

		...postgresEnvironment(postgres),
		DB_POSTGRESDB_POOL_SIZE: '10',

		QUEUE_BULL_REDIS_HOST: '127.0.0.1',
		QUEUE_BULL_REDIS_PORT: String(redisPort),
		QUEUE_HEALTH_CHECK_ACTIVE: 'true',
	};
}
