import { keyOf, ProcessedTasks } from '../../../nodes/MediaGenTrigger/processedTasks';
import type { Host } from '../../../sandbox/host';
import { runOnDatabase } from './recorded';

export interface Remembered {
	taskId: string;
	/** How long ago its execution was started. */
	hours: number;
}

const HOUR_MS = 3_600_000;

/** Makes the trigger called "Trigger" remember tasks, as if it had been called back for them in the past. */
export async function remember(
	host: Host,
	workflowId: string,
	tasks: readonly Remembered[],
): Promise<void> {
	const processed = new ProcessedTasks();
	const now = Date.now();
	for (const { taskId, hours } of tasks)
		processed.note(keyOf(taskId), 'started', now - hours * HOUR_MS);
	const staticData = { 'node:Trigger': { processedTasks: processed.toText(Infinity, now) } };
	await runOnDatabase(host, 'writeStaticData.cjs', { workflowId, staticData });
}
