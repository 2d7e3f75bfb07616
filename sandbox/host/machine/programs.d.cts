export type Program =
	| 'python3'
	| 'make'
	| 'g++'
	| 'tar'
	| 'chromium'
	| 'redis-server'
	| 'initdb'
	| 'postgres'
	| 'pg_isready'
	| 'setpriv'
	| 'nginx';

/** What an n8n needs to be installed. */
export const COMPILER: Program[];

/** What a PostgreSQL needs. */
export const POSTGRES: Program[];

/** What queue mode needs. */
export const QUEUE_MODE: Program[];

/** What the tests of a restart behind a reverse proxy need. */
export const PROXY: Program[];

/**
 * The path of a program on this machine. `MEDIAGEN_CHROMIUM` names another Chromium.
 *
 * @throws with the command that installs it, where it is missing
 */
export function programPath(program: Program): string;

/**
 * @param purpose begins the message: "Queue mode"
 * @throws with the command that installs what is missing
 */
export function assertPrograms(programs: Program[], purpose: string): void;
