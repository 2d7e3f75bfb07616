import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { keyOf, ProcessedTasks } from '../../../nodes/MediaGenTrigger/processedTasks';
import { ensureN8n, type Host } from '../../../sandbox/host';

export interface Remembered {
	taskId: string;
	/** How long ago its execution was started. */
	hours: number;
}

const HOUR_MS = 3_600_000;

/** Makes the trigger called "Trigger" remember tasks, as if it had been called back for them in the past. */
export async function remember(
	{ version, database }: Host,
	workflowId: string,
	tasks: readonly Remembered[],
): Promise<void> {
	const processed = new ProcessedTasks();
	const now = Date.now();
	for (const { taskId, hours } of tasks)
		processed.note(keyOf(taskId), 'started', now - hours * HOUR_MS);
	const n8n = await ensureN8n(version);
	const staticData = { 'node:Trigger': { processedTasks: processed.toText(Infinity, now) } };
	const argument = JSON.stringify({
		database,
		workflowId,
		staticData,
		from: join(n8n.dir, 'node_modules'),
	});
	await promisify(execFile)(n8n.node.bin, [join(__dirname, 'writeStaticData.cjs'), argument]);
}
