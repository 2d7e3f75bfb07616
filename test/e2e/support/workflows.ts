import type { Host } from '../../../sandbox/host';
import type { Sandbox } from '../../../sandbox/service';

type WorkflowJson = Parameters<Host['importWorkflow']>[0];

/** The name by which the examples ask for a credential. Test files share a host: each gives it its own sandbox. */
export const EXAMPLE_CREDENTIAL = 'MediaGen API';

/** A credential for the sandbox. Imported workflows that name none get the newest one. */
export function credentialFor(sandbox: Sandbox, name: string) {
	return {
		name,
		type: 'mediaGenApi',
		data: { baseUrl: sandbox.url, apiKey: sandbox.key, allowPrivateCallbacks: true, brandWords: '{}' },
	};
}

/** Manual start → items with a prompt each → the node "Pictures" with the given parameters → end. */
export function imageWorkflow(
	credential: string,
	parameters: object,
	items: number,
	node: object = {},
): WorkflowJson {
	const link = (to: string) => ({ main: [[{ node: to, type: 'main', index: 0 }]] });
	return {
		name: `Pictures ${Date.now()}`,
		nodes: [
			{ id: 'go', name: 'Go', type: 'n8n-nodes-base.manualTrigger', typeVersion: 1, position: [0, 0], parameters: {} },
			{
				id: 'prompts',
				name: 'Prompts',
				type: 'n8n-nodes-base.code',
				typeVersion: 2,
				position: [200, 0],
				parameters: {
					jsCode: `return [...Array(${items}).keys()].map((index) => ({ json: { prompt: 'Picture ' + index } }));`,
				},
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
					...parameters,
				},
				credentials: { mediaGenApi: { id: '', name: credential } },
				...node,
			},
			{ id: 'end', name: 'End', type: 'n8n-nodes-base.noOp', typeVersion: 1, position: [600, 0], parameters: {} },
		],
		connections: { Go: link('Prompts'), Prompts: link('Pictures'), Pictures: link('End') },
		settings: { executionOrder: 'v1' },
	};
}
