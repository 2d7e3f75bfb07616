import { randomUUID } from 'node:crypto';
import type { Host, WorkflowDefinition } from '../../../sandbox/host';
import { end, type NodeJson, pictureNode, startByWebhook, workflow } from '../support/nodes';

/** A workflow that a webhook starts with a list of prompts, and that pauses in the node "Pictures" until they are made. */
export interface PausingWorkflow {
	id: string;
	/** Takes `{ "prompts": […] }`, one item each. */
	url: string;
}

function definition(
	path: string,
	credential: string,
	parameters: object,
	settings: object,
	last: NodeJson,
): WorkflowDefinition {
	const prompts = {
		name: 'Prompts',
		type: 'n8n-nodes-base.splitOut',
		parameters: { fieldToSplitOut: 'body.prompts', options: { destinationFieldName: 'prompt' } },
	};
	const pictures = pictureNode(
		'Pictures',
		credential,
		{ waitMode: 'callback', ...parameters },
		settings,
	);
	const links = { Go: 'Prompts', Prompts: 'Pictures', Pictures: last.name };
	return workflow(`Pausing ${path}`, [startByWebhook(path), prompts, pictures, last], links);
}

/** Imports and activates such a workflow; `settings` are the node's own, and `last` is the node behind it. */
export async function pausingWorkflow(
	host: Host,
	credential: string,
	parameters: object = {},
	settings: object = {},
	last: NodeJson = end,
): Promise<PausingWorkflow> {
	const path = randomUUID();
	const { id } = await host.importWorkflow(
		definition(path, credential, parameters, settings, last),
	);
	const url = `${host.url}/webhook/${path}`;
	await host.activate(id);
	return { id, url };
}
