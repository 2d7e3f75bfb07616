import type { WorkflowDefinition } from '../../../sandbox/host';

export interface NodeJson {
	name: string;
	type: string;
	[key: string]: unknown;
}

type Target = string | Array<string | string[]>;

/**
 * From a node's first output to the next node; a list has an entry for each output: one node, or several. A part of an agent
 * is linked by another kind of connection: `{ ai_tool: 'Agent' }`.
 */
export type Links = Record<string, Target | Record<string, string>>;

const linksTo = (target: Target, type: string) =>
	[target].flat().map((to) => [to].flat().map((node) => ({ node, type, index: 0 })));

/** Puts nodes and links together to a workflow; `settings` are the workflow's own. */
export function workflow(
	name: string,
	nodes: NodeJson[],
	links: Links,
	settings: object = {},
): WorkflowDefinition {
	const connections = Object.entries(links).map(([from, to]) => {
		const kinds = typeof to === 'string' || Array.isArray(to) ? { main: to } : to;
		const linked = Object.entries(kinds).map(([type, target]) => [type, linksTo(target, type)]);
		return [from, Object.fromEntries(linked)] as const;
	});
	return {
		name,
		nodes: nodes.map((node, index) => ({
			id: `node-${index}`,
			position: [index * 200, 0],
			typeVersion: 1,
			...node,
		})),
		connections: Object.fromEntries(connections),
		settings: { executionOrder: 'v1', ...settings },
	};
}

/** A workflow of nodes one after the other. */
export function chain(name: string, nodes: NodeJson[], settings: object = {}): WorkflowDefinition {
	const links = nodes.slice(1).map((node, at) => [nodes[at]?.name ?? '', node.name] as const);
	return workflow(name, nodes, Object.fromEntries(links), settings);
}

export const startByHand: NodeJson = {
	name: 'Go',
	type: 'n8n-nodes-base.manualTrigger',
	parameters: {},
};

/** Starts an execution for each POST to its address; by default it answers at once. */
export const startByWebhook = (path: string, responseMode = 'onReceived'): NodeJson => ({
	name: 'Go',
	type: 'n8n-nodes-base.webhook',
	typeVersion: 2.1,
	webhookId: path,
	parameters: { httpMethod: 'POST', path, responseMode, options: {} },
});

/** n8n's Code node. */
export const code = (name: string, jsCode: string): NodeJson => ({
	name,
	type: 'n8n-nodes-base.code',
	typeVersion: 2,
	parameters: { jsCode },
});

/** Items of these rows; `rows` is an expression in JavaScript. */
export const itemsOf = (rows: string, name = 'Items'): NodeJson =>
	code(name, `return ${rows}.map((json) => ({ json }));`);

/** Items with a `prompt` each: "Picture 0", "Picture 1" … */
export const promptItems = (count: number): NodeJson =>
	itemsOf(`[...Array(${count}).keys()].map((index) => ({ prompt: 'Picture ' + index }))`);

/** Prompts as those items have them. */
export const promptsOf = (count: number) =>
	Array.from({ length: count }, (_, index) => `Picture ${index}`);

/** Gives its input in batches on output 1, and goes on on output 0 when nothing is left. */
export const loopOver = (name: string, batchSize = 1): NodeJson => ({
	name,
	type: 'n8n-nodes-base.splitInBatches',
	typeVersion: 3,
	parameters: { batchSize, options: {} },
});

/** n8n's HTTP Request. */
export const httpRequest = (name: string, parameters: object): NodeJson => ({
	name,
	type: 'n8n-nodes-base.httpRequest',
	typeVersion: 4.2,
	parameters: { options: {}, ...parameters },
});

export const MODEL = 'imagegen-2-official';

/** A node's reference to the MediaGen credential of that name. */
export const mediaGenApi = (name: string) => ({ mediaGenApi: { id: '', name } });

/** A node of this package, `mediaGenImage` for example; `settings` are the node's own. */
export const mediaGen = (
	name: string,
	type: string,
	credential: string,
	parameters: object = {},
	settings: object = {},
): NodeJson => ({
	name,
	type: `n8n-nodes-mediagen.${type}`,
	parameters,
	credentials: mediaGenApi(credential),
	...settings,
});

/** The MediaGen Image node, which makes a picture of each item's `prompt` and leaves it at the service. */
export const pictureNode = (
	name: string,
	credential: string,
	parameters: object = {},
	settings: object = {},
): NodeJson => {
	const made = { resource: 'image', operation: 'generate', model: MODEL, downloadFiles: false };
	const prompt = '={{ $json.prompt ?? "A picture" }}';
	return mediaGen(name, 'mediaGenImage', credential, { ...made, prompt, ...parameters }, settings);
};

export const end: NodeJson = { name: 'End', type: 'n8n-nodes-base.noOp', parameters: {} };
