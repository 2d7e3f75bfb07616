import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod/v3';
import type { Host, Workflow } from '../host';
import type { Sandbox } from '../service';

export const PIPELINE = 'first-pipeline.json';

/**
 * Two examples go on from a grid and from a video that the service must have made before, by operations that its
 * documentation does not show. The sandbox has such originals.
 */
const ORIGINALS = {
	'PUT-THE-TASK-ID-OF-A-GRID-HERE': (sandbox: Sandbox) => sandbox.originals.grid().id,
	'PUT-THE-TASK-ID-OF-A-VIDEO-HERE': (sandbox: Sandbox) => sandbox.originals.video().id,
};

const originalsOf = (sandbox: Sandbox) =>
	Object.entries(ORIGINALS).map(([placeholder, create]) => ({ placeholder, id: create(sandbox) }));

const withIds = (text: string, originals: Array<{ placeholder: string; id: string }>) =>
	originals.reduce((changed, { placeholder, id }) => changed.replaceAll(placeholder, () => id), text);

/** An example as it runs in the sandbox, with the ids of originals in it. */
export const withOriginals = (text: string, sandbox: Sandbox) => withIds(text, originalsOf(sandbox));

const rememberedSchema = z.array(z.object({ placeholder: z.string(), id: z.string() }));

/**
 * Imports every workflow of the examples folder. A kept n8n has some of them already, by name: they stay as they are, but
 * name the originals of this start in place of those of the last one.
 *
 * @param userFolder n8n's
 * @returns the workflows by file name, and whether the pipeline is a new one
 */
export async function importExamples(host: Host, folder: string, sandbox: Sandbox, userFolder: string) {
	const present = await host.workflows();
	const originals = originalsOf(sandbox);
	const memory = join(userFolder, 'originals.json');
	const last = rememberedSchema.parse(JSON.parse(await readFile(memory, 'utf8').catch(() => '[]')));
	const renewed = last.map(({ placeholder, id }) => ({
		placeholder: id,
		id: originals.find((original) => original.placeholder === placeholder)?.id ?? id,
	}));

	const workflows = new Map<string, { workflow: Workflow; isNew: boolean }>();
	for (const file of (await readdir(folder)).filter((name) => name.endsWith('.json')).sort()) {
		const definition = JSON.parse(withIds(await readFile(join(folder, file), 'utf8'), originals)) as { name?: string };
		const known = present.find(({ name }) => name === definition.name);
		const workflow = known
			? await host.changeWorkflow(known.id, (text) => withIds(text, renewed))
			: await host.importWorkflow(definition);
		workflows.set(file, { workflow, isNew: known === undefined });
	}
	await writeFile(memory, JSON.stringify(originals));
	return workflows;
}
