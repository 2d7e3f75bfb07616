import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Host } from '../host';
import type { InstalledN8n } from '../install/ensureN8n';
import type { LaidDownPackage } from './layDown';

/** Writes the package into n8n's list of community nodes, which its installer does after laying it down. */
export async function registerPackage(
	n8n: InstalledN8n,
	host: Host,
	pack: LaidDownPackage | undefined,
): Promise<void> {
	if (!pack) return;
	const { database } = host;
	const types = await host.nodeTypes(`${pack.name}.`);
	const nodes = types
		// n8n makes the "…Tool" twin of a node by itself and does not list it as installed.
		.filter(({ name }) => !types.some((other) => name === `${other.name}Tool`))
		.map(({ name, displayName, version }) => ({
			type: name,
			displayName,
			version: Array.isArray(version) ? Math.max(...version) : version,
		}));
	const argument = JSON.stringify({ database, pack, nodes, from: join(n8n.dir, 'node_modules') });
	await promisify(execFile)(n8n.node.bin, [join(__dirname, 'writeTables.cjs'), argument]);
}
