import { homedir } from 'node:os';
import { join } from 'node:path';

/**
 * The folder for installed n8n versions: outside the checkout, so that a fresh clone finds them again.
 *
 * `MEDIAGEN_CACHE` names another; else the platform's usual place is used.
 */
export function cacheFolder(env: NodeJS.ProcessEnv = process.env): string {
	if (env.MEDIAGEN_CACHE) return env.MEDIAGEN_CACHE;
	return join(env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'n8n-nodes-mediagen');
}
