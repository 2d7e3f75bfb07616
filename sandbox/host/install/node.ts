import { existsSync, readFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import type { Progress } from '../progress';
import type { HostRecipe } from '../versions';
import { installFromLock } from './locked';

/** A Node.js to run n8n on. */
export interface NodeRuntime {
	/** The executable. */
	bin: string;
	/** The folder with its headers in `include/node`, for building native packages; where absent, npm downloads them. */
	headers?: string;
	/** Tells builds for different Node.js majors apart. */
	name: string;
}

/**
 * The folder with the headers of the machine's own Node.js, where they stand beside it: two levels above the executable.
 *
 * Headers of another version, as another install may have left there, do not count.
 */
export function ownHeaders(
	bin = process.execPath,
	version = process.versions.node,
): string | undefined {
	const home = dirname(dirname(bin));
	const include = join(home, 'include', 'node');
	if (!existsSync(join(include, 'node.h')) || !existsSync(join(include, 'node_version.h')))
		return undefined;
	const text = readFileSync(join(include, 'node_version.h'), 'utf8');
	const found = ['MAJOR', 'MINOR', 'PATCH'].map(
		(part) => new RegExp(`^#define NODE_${part}_VERSION (\\d+)`, 'm').exec(text)?.[1],
	);
	return found.join('.') === version ? home : undefined;
}

/** Majors of Node.js whose newest release is kept, with a lockfile, in the folder `node-<major>`. */
export type RegistryNode = 22 | 24;

/**
 * The machine's own Node.js where n8n runs on it, else Node.js 24 from the npm registry.
 *
 * @throws when neither is available on this platform
 */
export async function ensureNode({ node }: HostRecipe, progress: Progress): Promise<NodeRuntime> {
	const own = Number(process.versions.node.split('.')[0]);
	if (own >= node.from && own <= node.to) {
		return {
			bin: process.execPath,
			headers: process.env.npm_config_nodedir ?? ownHeaders(),
			name: `node-${own}-${process.platform}-${process.arch}`,
		};
	}
	return await nodeFromRegistry(24, progress);
}

/**
 * Node.js from the npm registry, kept in the cache.
 *
 * @throws where the registry has none for this platform
 */
export async function nodeFromRegistry(
	wanted: RegistryNode,
	progress: Progress,
): Promise<NodeRuntime> {
	const folder = await installFromLock(
		{
			title: `Node.js ${wanted}`,
			name: `node-${wanted}`,
			from: join(__dirname, '..', `node-${wanted}`),
			madeFor: [process.platform, process.arch],
			usually: 'half a minute, once',
		},
		progress,
	);
	const home = join(folder, 'node_modules', `node-${process.platform}-${process.arch}`);
	if (!existsSync(join(home, 'bin', 'node'))) {
		throw new Error(
			`This needs Node.js ${wanted}, this is ${process.version}, and none for ${process.platform} ${process.arch} ` +
				`is on the npm registry. Install Node.js ${wanted} and run the command again with it.`,
		);
	}
	return {
		bin: join(home, 'bin', 'node'),
		headers: home,
		name: `node-${wanted}-${process.platform}-${process.arch}`,
	};
}

/** PATH with this Node.js first, so that everything n8n starts runs on it as well. */
export function pathWith(node: NodeRuntime): string {
	return `${dirname(node.bin)}${delimiter}${process.env.PATH ?? ''}`;
}
