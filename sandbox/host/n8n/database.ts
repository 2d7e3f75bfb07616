/** A PostgreSQL server without a password. */
export interface PostgresConnection {
	host: string;
	port: number;
	user: string;
	database: string;
}

/** Where n8n keeps its tables: a file of SQLite's, or a PostgreSQL server. */
export type HostDatabase = { file: string } | { connection: PostgresConnection };

/** What tells n8n to keep its tables in that server. */
export function postgresEnvironment({
	host,
	port,
	user,
	database,
}: PostgresConnection): Record<string, string> {
	return {
		DB_TYPE: 'postgresdb',
		DB_POSTGRESDB_HOST: host,
		DB_POSTGRESDB_PORT: String(port),
		DB_POSTGRESDB_USER: user,
		DB_POSTGRESDB_DATABASE: database,
	};
}
