import type { Host } from '../../../sandbox/host';

export type WorkflowJson = Parameters<Host['importWorkflow']>[0];

/** The name of both credentials: the package's, and that of n8n's own HTTP Request. */
export const BENCH_CREDENTIAL = 'Bench';

interface NodeJson {
	name: string;
	[key: string]: unknown;
}

/** From a node's first output to the next node; a list names one node per output. */
type Links = Record<string, string | string[]>;

/** Puts nodes and links together to a workflow. */
export function workflow(name: string, nodes: NodeJson[], links: Links): WorkflowJson {
	const link = (to: string) => [{ node: to, type: 'main', index: 0 }];
	return {
		name,
		nodes: nodes.map((node, index) => ({ id: `node-${index}`, position: [index * 200, 0], typeVersion: 1, ...node })),
		connections: Object.fromEntries(
			Object.entries(links).map(([from, to]) => [from, { main: (Array.isArray(to) ? to : [to]).map(link) }]),
		),
		settings: { executionOrder: 'v1' },
	};
}

export const startByHand: NodeJson = { name: 'Go', type: 'n8n-nodes-base.manualTrigger', parameters: {} };

/** Starts an execution for each POST to its address, and answers at once. */
export const startByWebhook = (path: string): NodeJson => ({
	name: 'Go',
	type: 'n8n-nodes-base.webhook',
	typeVersion: 2,
	webhookId: path,
	parameters: { httpMethod: 'POST', path, responseMode: 'onReceived', options: {} },
});

export const items = (count: number): NodeJson => ({
	name: 'Items',
	type: 'n8n-nodes-base.code',
	typeVersion: 2,
	parameters: { jsCode: `return [...Array(${count}).keys()].map((index) => ({ json: { prompt: 'Picture ' + index } }));` },
});

export const MODEL = 'imagegen-2-official';

/** The MediaGen Image node. */
export const picture = (name: string, parameters: object): NodeJson => ({
	name,
	type: 'n8n-nodes-mediagen.mediaGenImage',
	parameters: { resource: 'image', operation: 'generate', model: MODEL, prompt: '={{ $json.prompt ?? "A picture" }}', ...parameters },
	credentials: { mediaGenApi: { id: '', name: BENCH_CREDENTIAL } },
});

/** n8n's HTTP Request, with the service's key. */
export const request = (name: string, parameters: object): NodeJson => ({
	name,
	type: 'n8n-nodes-base.httpRequest',
	typeVersion: 4.2,
	parameters: { authentication: 'genericCredentialType', genericAuthType: 'httpHeaderAuth', options: {}, ...parameters },
	credentials: { httpHeaderAuth: { id: '', name: BENCH_CREDENTIAL } },
});

/** The submission of a picture by HTTP Request; `webhook` is an expression without its braces. */
export const submitByHand = (serviceUrl: string, webhook?: string): NodeJson =>
	request('Submit', {
		method: 'POST',
		url: `${serviceUrl}/v1/images/generations`,
		sendBody: true,
		specifyBody: 'json',
		jsonBody: `={{ { model: '${MODEL}', prompt: $json.prompt ?? 'A picture'${webhook ? `, webhook: ${webhook}` : ''} } }}`,
	});

/** Wait → look → are we there yet?, as the service is polled without this package. Its end is the first output of "Ended". */
export const loopNodes = (serviceUrl: string, intervalSeconds: number): NodeJson[] => [
	{ name: 'Wait', type: 'n8n-nodes-base.wait', typeVersion: 1.1, parameters: { amount: intervalSeconds } },
	request('Look', { url: `=${serviceUrl}/v1/tasks/{{ $json.data[0]?.task_id ?? $json.data.id }}` }),
	{
		name: 'Ended',
		type: 'n8n-nodes-base.if',
		typeVersion: 2.2,
		parameters: {
			conditions: {
				options: { caseSensitive: true, leftValue: '', typeValidation: 'strict', version: 2 },
				combinator: 'and',
				conditions: [
					{
						id: 'ended',
						leftValue: "={{ ['completed', 'failed'].includes($json.data.status) }}",
						rightValue: '',
						operator: { type: 'boolean', operation: 'true', singleValue: true },
					},
				],
			},
			options: {},
		},
	},
];

/** Where the loop's nodes are linked to one another, and its end to the node of the given name. */
export const loopLinks = (end: string): Links => ({ Submit: 'Wait', Wait: 'Look', Look: 'Ended', Ended: [end, 'Wait'] });

export const end: NodeJson = { name: 'End', type: 'n8n-nodes-base.noOp', parameters: {} };

/** Tells the bench's own server that the workflow has gone on; `taskId` is an expression without its braces. */
export const tell = (url: string, taskId: string): NodeJson => ({
	name: 'Tell',
	type: 'n8n-nodes-base.httpRequest',
	typeVersion: 4.2,
	parameters: { url: `=${url}/{{ ${taskId} }}`, options: {} },
});
