/** Where n8n keeps its tables: a file of SQLite's, or a PostgreSQL server. */
export type HostDatabase = { file: string } | { connection: { host: string; port: number; user: string; database: string } };
