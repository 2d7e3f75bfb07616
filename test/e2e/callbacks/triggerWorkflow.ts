import { randomUUID } from 'node:crypto';
import type { Host, WorkflowDefinition } from '../../../sandbox/host';
import { end, mediaGenApi, workflow } from '../support/nodes';

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

function definition(
	webhookId: string,
	parameters: Record<string, unknown>,
	credential: string,
): WorkflowDefinition {
	const type = 'n8n-nodes-mediagen.mediaGenTrigger';
	const trigger = {
		name: 'Trigger',
		type,
		typeVersion: 2,
		webhookId,
		parameters,
		credentials: mediaGenApi(credential),
	};
	return workflow(`Trigger ${webhookId}`, [trigger, end], { Trigger: 'End' });
}

/** Imports such a workflow without activating it. */
export async function importTrigger(
	host: Host,
	credential: string,
	parameters: Record<string, unknown> = {},
): Promise<TriggerWorkflow> {
	const webhookId = randomUUID();
	const { id } = await host.importWorkflow(
		definition(webhookId, { downloadFiles: false, ...parameters }, credential),
	);
	return {
		id,
		base: `${host.url}/webhook/${webhookId}`,
		url: `${host.url}/webhook/${webhookId}/callback`,
		testUrl: `${host.url}/webhook-test/${webhookId}/callback`,
	};
}

/** Imports and activates it. */
export async function activeTrigger(
	host: Host,
	credential: string,
	parameters: Record<string, unknown> = {},
): Promise<TriggerWorkflow> {
	const workflow = await importTrigger(host, credential, parameters);
	await host.activate(workflow.id);
	return workflow;
}
