import { randomUUID } from 'node:crypto';
import type { Host, WorkflowDefinition } from '../../../sandbox/host';

/** A workflow that a webhook starts with a list of prompts, and that pauses in the node "Pictures" until they are made. */
export interface PausingWorkflow {
	id: string;
	/** Takes `{ "prompts": […] }`, one item each. */
	url: string;
}

const link = (to: string) => ({ main: [[{ node: to, type: 'main', index: 0 }]] });

function definition(path: string, credential: string, options: object, node: object): WorkflowDefinition {
	return {
		name: `Pausing ${path}`,
		nodes: [
			{
				id: 'start',
				name: 'Start',
				type: 'n8n-nodes-base.webhook',
				typeVersion: 2,
				position: [0, 0],
				webhookId: path,
				parameters: { httpMethod: 'POST', path, responseMode: 'onReceived' },
			},
			{
				id: 'prompts',
				name: 'Prompts',
				type: 'n8n-nodes-base.splitOut',
				typeVersion: 1,
				position: [200, 0],
				parameters: { fieldToSplitOut: 'body.prompts', options: { destinationFieldName: 'prompt' } },
			},
			{
				id: 'pictures',
				name: 'Pictures',
				type: 'n8n-nodes-mediagen.mediaGenImage',
				typeVersion: 1,
				position: [400, 0],
				parameters: {
					resource: 'image',
					operation: 'generate',
					model: 'imagegen-2-official',
					prompt: '={{ $json.prompt }}',
					waitMode: 'callback',
					options,
				},
				credentials: { mediaGenApi: { id: '', name: credential } },
				...node,
			},
			{ id: 'end', name: 'End', type: 'n8n-nodes-base.noOp', typeVersion: 1, position: [600, 0], parameters: {} },
		],
		connections: { Start: link('Prompts'), Prompts: link('Pictures'), Pictures: link('End') },
		settings: { executionOrder: 'v1' },
	};
}

/** Imports and activates such a workflow; `node` goes over the node "Pictures" itself. */
export async function pausingWorkflow(
	host: Host,
	credential: string,
	options: object = {},
	node: object = {},
): Promise<PausingWorkflow> {
	const path = randomUUID();
	const { id } = await host.importWorkflow(definition(path, credential, options, node));
	const url = `${host.url}/webhook/${path}`;
	await host.activate(id);
	return { id, url };
}
