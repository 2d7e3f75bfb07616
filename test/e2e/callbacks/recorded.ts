import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { z } from 'zod/v3';
import { ensureN8n, type Host } from '../../../sandbox/host';

const recordedSchema = z.object({
	id: z.string(),
	status: z.string(),
	startedAt: z.string().nullable(),
	/** Every task that its data names. */
	taskIds: z.array(z.string()),
});

/** An execution as n8n has written it down. */
export type Recorded = z.infer<typeof recordedSchema>;

const MEGABYTES = 2 ** 20;

/** All executions of a workflow that stand in n8n's database, whatever has become of them. */
export async function recordedExecutions(host: Host, workflowId: string): Promise<Recorded[]> {
	const n8n = await ensureN8n(host.version);
	const argument = {
		database: host.database,
		workflowId,
		from: join(n8n.dir, 'node_modules'),
	};
	const { stdout } = await promisify(execFile)(
		n8n.node.bin,
		[join(__dirname, 'readExecutions.cjs'), JSON.stringify(argument)],
		{ maxBuffer: 256 * MEGABYTES },
	);
	return stdout
		.split('\n')
		.filter(Boolean)
		.map((line) => recordedSchema.parse(JSON.parse(line)));
}

const OVER = ['success', 'error', 'crashed', 'canceled'];

/** Waits until nothing of the workflow runs any more, and gives what n8n has of it. */
export async function whenOver(
	host: Host,
	workflowId: string,
	timeoutMs = 120_000,
): Promise<Recorded[]> {
	const deadline = Date.now() + timeoutMs;
	for (;;) {
		const executions = await recordedExecutions(host, workflowId);
		const begun = executions.filter(({ startedAt }) => startedAt !== null);
		if (begun.every(({ status }) => OVER.includes(status)) || Date.now() > deadline)
			return executions;
		await delay(500);
	}
}

function countByTask(
	executions: readonly Recorded[],
	taskIds: readonly string[],
): Map<string, number> {
	const counts = new Map(taskIds.map((taskId) => [taskId, 0]));
	for (const taskId of executions.flatMap((execution) => execution.taskIds)) {
		counts.set(taskId, (counts.get(taskId) ?? 0) + 1);
	}
	return counts;
}

/** How many executions there are for each of the tasks; those that n8n has never begun do not count. */
export function startsByTask(
	executions: readonly Recorded[],
	taskIds: readonly string[],
): Map<string, number> {
	return countByTask(
		executions.filter(({ startedAt }) => startedAt !== null),
		taskIds,
	);
}

/** How many executions have come to their end for each of the tasks. */
export function endsByTask(
	executions: readonly Recorded[],
	taskIds: readonly string[],
): Map<string, number> {
	return countByTask(
		executions.filter(({ status }) => status === 'success'),
		taskIds,
	);
}
