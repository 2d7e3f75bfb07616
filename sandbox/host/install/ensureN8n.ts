import { execFile } from 'node:child_process';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { silentProgress, type Progress } from '../progress';
import { RECIPES, type HostVersion } from '../versions';
import { installFromLock } from './locked';
import { ensureNode, type NodeRuntime } from './node';
import { npm } from './npm';

/** An n8n that is ready to be started. */
export interface InstalledN8n {
	version: HostVersion;
	/** The folder that holds `node_modules`. */
	dir: string;
	/** What it runs on. */
	node: NodeRuntime;
	/** The script to give to that Node.js. */
	bin: string;
}

/** One compiler per core, which optimizes a little: SQLite builds in half the time. Has no effect on what is downloaded instead. */
const QUICK_BUILD = { JOBS: 'max', CFLAGS: '-O1', CXXFLAGS: '-O1' };

/**
 * Installs n8n into the cache, from its committed lockfile, unless it is there.
 *
 * @param progress shows the two to six minutes that a first install takes
 */
export async function ensureN8n(
	version: HostVersion,
	progress: Progress = silentProgress,
): Promise<InstalledN8n> {
	const recipe = RECIPES[version];
	const node = await ensureNode(recipe, progress);
	const dir = await installFromLock(
		{
			title: `n8n ${version}`,
			name: `n8n-${version}`,
			from: join(__dirname, '..', version),
			madeFor: [node.name],
			usually: recipe.usually,
			finish: async (folder, note) => {
				note(`building ${recipe.rebuild.join(' and ')}`);
				await npm(['rebuild', ...recipe.rebuild, '--ignore-scripts=false'], {
					cwd: folder,
					nodeBin: dirname(node.bin),
					env: { ...QUICK_BUILD, ...(node.headers && { npm_config_nodedir: node.headers }) },
				});
				await assertLoads(folder, node, recipe.rebuild);
			},
		},
		progress,
	);
	return { version, dir, node, bin: join(dir, 'node_modules', 'n8n', 'bin', 'n8n') };
}

/** npm counts a native package as rebuilt even where its script found nothing to do, so it is loaded once. */
async function assertLoads(folder: string, node: NodeRuntime, packages: string[]): Promise<void> {
	for (const name of packages) {
		try {
			await promisify(execFile)(node.bin, ['-e', `require(${JSON.stringify(name)})`], {
				cwd: folder,
			});
		} catch (error) {
			throw new Error(
				`${name} was installed but does not load on ${node.name}. Building it takes python3, make and g++ ` +
					'(Debian: apt-get install python3 make g++).',
				{ cause: error },
			);
		}
	}
}
