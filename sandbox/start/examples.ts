import { mkdir, readdir, readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Host } from '../host';

/** The example that `npm start` runs. */
const PIPELINE = 'first-pipeline.json';

const NEEDS_2 = /Needs n8n 2/;

/** Where examples write files: the one folder that n8n 2 allows, in its Docker image. */
const DOCKER_FILES = '/home/node/.n8n-files';

/**
 * Imports the workflows of the examples folder. A kept n8n has some of them already, by name: they stay as they are.
 *
 * n8n lists the latest first. The order of the imports makes the list begin with the pipeline, with the others in alphabetical order
 * below it.
 *
 * On n8n 1.x those are left out whose note says that they need n8n 2.
 *
 * Examples that write files use `.n8n-files` in the user's home directory. The folder is created if it is missing.
 *
 * @returns the pipeline's id, and whether it is a new one
 */
export async function importExamples(
	host: Host,
	folder: string,
): Promise<{ id: string; isNew: boolean }> {
	const present = new Map((await host.workflows()).map(({ id, name }) => [name, id]));
	const files = (await readdir(folder))
		.filter((name) => name.endsWith('.json') && name !== PIPELINE)
		.sort()
		.reverse();
	const filesFolder = join(homedir(), '.n8n-files');
	await mkdir(filesFolder, { recursive: true });
	let pipeline = { id: '', isNew: false };
	for (const file of [...files, PIPELINE]) {
		const text = await readFile(join(folder, file), 'utf8');
		if (host.version.startsWith('1.') && NEEDS_2.test(text)) continue;
		const definition = JSON.parse(text.replaceAll(DOCKER_FILES, filesFolder)) as { name: string };
		const known = present.get(definition.name);
		pipeline = {
			id: known ?? (await host.importWorkflow(definition)).id,
			isNew: known === undefined,
		};
	}
	return pipeline;
}
