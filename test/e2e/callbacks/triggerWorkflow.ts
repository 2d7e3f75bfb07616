import { randomUUID } from 'node:crypto';
import type { Host } from '../../../sandbox/host';
import { chain, end, mediaGen, type NodeJson } from '../support/nodes';

/** A workflow in n8n that begins with a MediaGen Trigger called "Trigger". */
export interface TriggerWorkflow {
	id: string;
	/** What the trigger's panel shows. */
	base: string;
	/** What the service calls. */
	url: string;
	/** What the service calls while the editor listens for a test event. */
	testUrl: string;
}

/** A MediaGen Trigger, called "Trigger". */
export const triggerNode = (credential: string, parameters: object = {}): NodeJson =>
	mediaGen('Trigger', 'mediaGenTrigger', credential, parameters, {
		typeVersion: 2,
		webhookId: randomUUID(),
	});

/** Imports a workflow that begins with one, without activating it; it downloads no files by default. */
export async function importTrigger(
	host: Host,
	credential: string,
	parameters: object = {},
): Promise<TriggerWorkflow> {
	const trigger = triggerNode(credential, { downloadFiles: false, ...parameters });
	const path = String(trigger.webhookId);
	const { id } = await host.importWorkflow(chain(`Trigger ${path}`, [trigger, end]));
	const base = `${host.url}/webhook/${path}`;
	const testUrl = `${host.url}/webhook-test/${path}/callback`;
	return { id, base, url: `${base}/callback`, testUrl };
}

/** Imports and activates it. */
export async function activeTrigger(
	host: Host,
	credential: string,
	parameters: object = {},
): Promise<TriggerWorkflow> {
	const workflow = await importTrigger(host, credential, parameters);
	await host.activate(workflow.id);
	return workflow;
}
