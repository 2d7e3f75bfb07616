import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Host, Workflow } from '../host';

export const PIPELINE = 'first-pipeline.json';

/**
 * Imports every workflow of the examples folder. A kept n8n has some of them already, by name: they stay as they are.
 *
 * @returns the workflows by file name, and whether each is a new one
 */
export async function importExamples(host: Host, folder: string) {
	const present = await host.workflows();
	const workflows = new Map<string, { workflow: Workflow; isNew: boolean }>();
	for (const file of (await readdir(folder)).filter((name) => name.endsWith('.json')).sort()) {
		const definition = JSON.parse(await readFile(join(folder, file), 'utf8')) as { name?: string };
		const known = present.find(({ name }) => name === definition.name);
		const workflow = known ? await host.workflow(known.id) : await host.importWorkflow(definition);
		workflows.set(file, { workflow, isNew: known === undefined });
	}
	return workflows;
}
