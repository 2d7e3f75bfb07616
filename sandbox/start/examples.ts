import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Host, Workflow } from '../host';
import type { Sandbox } from '../service';

export const PIPELINE = 'first-pipeline.json';

/**
 * An example as it runs in the sandbox. Two of them go on from a grid and from a video that the service must have made
 * before, by operations that its documentation does not show; the sandbox has such originals.
 */
export function withOriginals(text: string, sandbox: Sandbox): string {
	return text
		.replaceAll('PUT-THE-TASK-ID-OF-A-GRID-HERE', () => sandbox.originals.grid().id)
		.replaceAll('PUT-THE-TASK-ID-OF-A-VIDEO-HERE', () => sandbox.originals.video().id);
}

/**
 * Imports every workflow of the examples folder; one that a kept n8n has already (by its name) is left as it is.
 *
 * @returns the workflows by file name
 */
export async function importExamples(host: Host, folder: string, sandbox: Sandbox): Promise<Map<string, Workflow>> {
	const present = await host.workflows();
	const imported = new Map<string, Workflow>();
	for (const file of (await readdir(folder)).filter((name) => name.endsWith('.json')).sort()) {
		const text = withOriginals(await readFile(join(folder, file), 'utf8'), sandbox);
		const definition = JSON.parse(text) as { name?: string };
		const known = present.find(({ name }) => name === definition.name);
		imported.set(file, known ? await host.workflow(known.id) : await host.importWorkflow(definition));
	}
	return imported;
}
