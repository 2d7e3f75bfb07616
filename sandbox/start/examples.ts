import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Host, Workflow } from '../host';

export const PIPELINE = 'first-pipeline.json';

/**
 * Imports every workflow of the examples folder; one that a kept n8n has already (by its name) is left as it is.
 *
 * @returns the workflows by file name
 */
export async function importExamples(host: Host, folder: string): Promise<Map<string, Workflow>> {
	const present = await host.workflows();
	const imported = new Map<string, Workflow>();
	for (const file of (await readdir(folder)).filter((name) => name.endsWith('.json')).sort()) {
		const definition = JSON.parse(await readFile(join(folder, file), 'utf8')) as { name?: string };
		const known = present.find(({ name }) => name === definition.name);
		imported.set(file, known ? await host.workflow(known.id) : await host.importWorkflow(definition));
	}
	return imported;
}
