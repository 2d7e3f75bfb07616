import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Host } from '../host';

/** The example that `npm start` runs. */
const PIPELINE = 'first-pipeline.json';

/**
 * Imports every workflow of the examples folder. A kept n8n has some of them already, by name: they stay as they are.
 *
 * n8n lists the latest first. So they are imported in such an order that the list begins with the pipeline, and has the others in
 * alphabetical order below it.
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
	let pipeline = { id: '', isNew: false };
	for (const file of [...files, PIPELINE]) {
		const definition = JSON.parse(await readFile(join(folder, file), 'utf8')) as { name: string };
		const known = present.get(definition.name);
		pipeline = {
			id: known ?? (await host.importWorkflow(definition)).id,
			isNew: known === undefined,
		};
	}
	return pipeline;
}
