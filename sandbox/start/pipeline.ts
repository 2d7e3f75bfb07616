import { mkdir, stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { z } from 'zod/v3';
import type { Execution, Host, Progress } from '../host';

const NODES = { before: 'Balance Before', make: 'Make Pictures', after: 'Balance After' };

const balanceSchema = z.object({ remaining: z.number().nullable() });

/**
 * Runs the example pipeline once, saves what it made and says so.
 *
 * @throws with n8n's own words when the execution fails, or when it made nothing
 */
export async function runPipeline(
	host: Host,
	workflowId: string,
	root: string,
	progress: Progress,
): Promise<void> {
	const execution = await progress.step(
		'Running the first example',
		() => host.run(workflowId, { timeout: 180_000 }),
		'6 s',
	);
	if (execution.status !== 'success') {
		const { message = 'n8n gives no reason', description = '' } = execution.error ?? {};
		throw new Error(
			`The pipeline ended with "${execution.status}" at "${execution.lastNode}": ${message}\n${description ?? ''}`,
		);
	}

	const stamp = new Date().toISOString().slice(0, 19).replaceAll(':', '-');
	const folder = join(root, '.sandbox', 'output', stamp);
	const files = await saveFiles(host, execution, NODES.make, folder);
	if (files.length === 0)
		throw new Error(`The pipeline completed, but "${NODES.make}" returned no file.`);

	const [before, after] = [NODES.before, NODES.after].map(
		(node) => balanceSchema.parse(execution.json(node)[0]).remaining,
	);
	console.log(`\nThe pipeline made ${files.length} pictures from one:`);
	for (const { path, bytes } of files)
		console.log(`  ${relative(process.cwd(), path)}  (${Math.ceil(bytes / 1_000)} kB)`);
	console.log(
		`Balance before: ${before ?? 'unlimited'}. Balance after: ${after ?? 'unlimited'}.\n`,
	);
}

/** Saves the files of one node's items into `folder`, under the names that the node gave them. */
async function saveFiles(host: Host, execution: Execution, node: string, folder: string) {
	await mkdir(folder, { recursive: true });
	const saved: Array<{ path: string; bytes: number }> = [];
	for (const [index, file] of execution.files(node).entries()) {
		const path = join(folder, file.fileName ?? `${index + 1}.${file.fileExtension ?? 'bin'}`);
		await host.saveBinary(file, path);
		saved.push({ path, bytes: (await stat(path)).size });
	}
	return saved;
}
