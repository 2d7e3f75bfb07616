import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import axios from 'axios';
import { z } from 'zod/v3';
import { ensureN8n, type Execution, type Host } from '../../../sandbox/host';
import { until } from '../support/poll';

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

/** Runs a script of this folder with n8n's own Node.js and libraries on n8n's database. Returns what it prints. */
export async function runOnDatabase(host: Host, script: string, given: object): Promise<string> {
	const n8n = await ensureN8n(host.version);
	const argument = { ...given, database: host.database, from: join(n8n.dir, 'node_modules') };
	const args = [join(__dirname, script), JSON.stringify(argument)];
	const options = { maxBuffer: 256 * MEGABYTES };
	return (await promisify(execFile)(n8n.node.bin, args, options)).stdout;
}

/** All executions of a workflow that stand in n8n's database, whatever has become of them. */
export async function recordedExecutions(host: Host, workflowId: string): Promise<Recorded[]> {
	const printed = await runOnDatabase(host, 'readExecutions.cjs', { workflowId });
	const lines = printed.split('\n').filter(Boolean);
	return lines.map((line) => recordedSchema.parse(JSON.parse(line)));
}

/** Milliseconds between two such reads, each of which is a process. */
export const READ_EVERY_MS = 500;

const OVER = ['success', 'error', 'crashed', 'canceled'];

/** Waits until nothing of the workflow runs any more, and gives what n8n has of it. */
export async function whenOver(
	host: Host,
	workflowId: string,
	timeoutMs = 120_000,
): Promise<Recorded[]> {
	return await until(
		async () => await recordedExecutions(host, workflowId),
		(all) => all.every(({ startedAt, status }) => startedAt === null || OVER.includes(status)),
		timeoutMs,
		READ_EVERY_MS,
	);
}

/** The executions of a workflow, once all that were started have ended. */
export async function startedBy(host: Host, workflowId: string): Promise<Execution[]> {
	await delay(500);
	// One that has not begun has no start yet.
	const recorded = await until(
		async () => await recordedExecutions(host, workflowId),
		(all) => all.every(({ status }) => OVER.includes(status)),
		120_000,
		READ_EVERY_MS,
	);
	return await Promise.all(recorded.map(async (each) => await host.execution(each.id)));
}

/** Sends a callback; any status is an answer. */
export async function post(url: string, body: unknown, type = 'application/json') {
	return await axios.post<{ message?: string }>(url, body, {
		proxy: false,
		validateStatus: () => true,
		headers: { 'content-type': type },
	});
}
