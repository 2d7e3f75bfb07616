import { rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { watch } from 'gulp';
import { type Host, layDown, packPackage, type Progress } from '../host';

/** What the package is built from. */
const SOURCES = ['nodes/**/*', 'credentials/**/*', 'index.ts', 'package.json'];

/**
 * Builds the package and restarts n8n whenever a source file changes. Changes during a restart lead to one more.
 *
 * @returns how to stop it
 */
export function rebuildOnChange(root: string, host: Host, progress: Progress): () => Promise<void> {
	async function rebuild(): Promise<void> {
		const tarball = await packPackage({ progress, script: 'build:quick' });
		await layDown(tarball, host.userFolder);
		await rm(dirname(tarball), { recursive: true, force: true });
		await progress.step('Restarting n8n', () => host.restart(), '10 s');
		progress.info('  Reload the editor to see the change.');
	}

	const watcher = watch(SOURCES, { cwd: root, delay: 300 }, (done) => {
		rebuild()
			// The n8n with the last working build keeps running.
			.catch((error: unknown) => console.error(error instanceof Error ? error.message : error))
			.finally(() => done());
	});
	progress.info(
		'  Watching nodes/ and credentials/. Types are not checked here: npm run typecheck.',
	);
	return () => Promise.resolve(watcher.close());
}
