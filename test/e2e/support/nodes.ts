import type { WorkflowDefinition } from '../../../sandbox/host';

export interface NodeJson {
	name: string;
	type: string;
	[key: string]: unknown;
}

/** From a node's first output to the next node; a list names one node per output. */
export type Links = Record<string, string | string[]>;

/** Puts nodes and links together to a workflow. */
export function workflow(name: string, nodes: NodeJson[], links: Links): WorkflowDefinition {
	const link = (to: string) => [{ node: to, type: 'main', index: 0 }];
	return {
		name,
		nodes: nodes.map((node, index) => ({
			id: `node-${index}`,
			position: [index * 200, 0],
			typeVersion: 1,
			...node,
		})),
		connections: Object.fromEntries(
			Object.entries(links).map(([from, to]) => [
				from,
				{ main: (Array.isArray(to) ? to : [to]).map(link) },
			]),
		),
		settings: { executionOrder: 'v1' },
	};
}

export const startByHand: NodeJson = {
	name: 'Go',
	type: 'n8n-nodes-base.manualTrigger',
	parameters: {},
};

/** Starts an execution for each POST to its address, and answers at once. */
export const startByWebhook = (path: string): NodeJson => ({
	name: 'Go',
	type: 'n8n-nodes-base.webhook',
	typeVersion: 2,
	webhookId: path,
	parameters: { httpMethod: 'POST', path, responseMode: 'onReceived', options: {} },
});

/** Items with a `prompt` each: "Picture 0", "Picture 1" … */
export const promptItems = (count: number): NodeJson => ({
	name: 'Items',
	type: 'n8n-nodes-base.code',
	typeVersion: 2,
	parameters: {
		jsCode: `return [...Array(${count}).keys()].map((index) => ({ json: { prompt: 'Picture ' + index } }));`,
	},
});

export const MODEL = 'imagegen-2-official';

/** A node's reference to the MediaGen credential of that name. */
export const mediaGenApi = (name: string) => ({ mediaGenApi: { id: '', name } });

/** The MediaGen Image node, which makes a picture of each item's `prompt` and leaves it at the service; `settings` are the node's own. */
export const pictureNode = (
	name: string,
	credential: string,
	parameters: object,
	settings: object = {},
): NodeJson => ({
	name,
	type: 'n8n-nodes-mediagen.mediaGenImage',
	parameters: {
		resource: 'image',
		operation: 'generate',
		model: MODEL,
		prompt: '={{ $json.prompt ?? "A picture" }}',
		downloadFiles: false,
		...parameters,
	},
	credentials: mediaGenApi(credential),
	...settings,
});

export const end: NodeJson = { name: 'End', type: 'n8n-nodes-base.noOp', parameters: {} };
