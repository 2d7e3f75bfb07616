import { setTimeout as delay } from 'node:timers/promises';
import axios from 'axios';
import type { Execution, Host } from '../../../sandbox/host';
import { whenOver } from './recorded';

/** Sends a callback to a trigger; any status is an answer. */
export async function post(url: string, body: unknown, type = 'application/json') {
	return await axios.post<{ message?: string }>(url, body, {
		proxy: false,
		validateStatus: () => true,
		headers: { 'content-type': type },
	});
}

/** The executions of a workflow, once all that were started have ended. */
export async function startedBy(host: Host, workflowId: string): Promise<Execution[]> {
	await delay(500);
	const recorded = await whenOver(host, workflowId);
	return await Promise.all(recorded.map(async (each) => await host.execution(each.id)));
}
