import { setTimeout as delay } from 'node:timers/promises';
import type { Host } from '../../../sandbox/host';
import { isListening } from '../../../sandbox/host/rest/webhooks';
import { activateWorkflow } from '../../../sandbox/host/rest/workflows';

const PATIENCE_MS = 60_000;

/** Waits until n8n takes a POST at this address of its own. */
export async function untilListening(host: Host, url: string): Promise<void> {
	const path = new URL(url).pathname.replace('/webhook/', '');
	const deadline = Date.now() + PATIENCE_MS;
	while (!(await isListening(host.api, { node: '', method: 'POST', path }))) {
		if (Date.now() > deadline) throw new Error(`n8n does not listen at ${url}. Its log ends with:\n${host.log.tail()}`);
		await delay(100);
	}
}

/**
 * Activates a workflow whose n8n will be killed under load. A host waits at its restart for those that it has activated
 * itself, and asks n8n for its node types for that; under load n8n answers before it serves them.
 */
export async function activateLoosely(host: Host, workflowId: string, url: string): Promise<void> {
	await activateWorkflow(host.api, workflowId);
	await untilListening(host, url);
}

/**
 * Waits until an n8n that was started again has gone through what its last end left behind. It takes webhooks before that,
 * and n8n 2.41 then takes an execution that has just been resumed for one of those that were cut off.
 */
export async function untilRecovered(host: Host, mark: number): Promise<void> {
	const deadline = Date.now() + PATIENCE_MS;
	while (!host.log.since(mark).join('\n').includes('Editor is now accessible')) {
		if (Date.now() > deadline) throw new Error(`n8n did not start again. Its log ends with:\n${host.log.tail()}`);
		await delay(100);
	}
}
