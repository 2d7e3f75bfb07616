import type { WorkflowDefinition } from '../../../sandbox/host';
import {
	chain,
	httpRequest,
	type Links,
	mediaGen,
	MODEL,
	type NodeJson,
	pictureNode,
	startByHand,
} from '../../e2e/support/nodes';

/** The name of both credentials: the package's, and that of n8n's own HTTP Request. */
export const BENCH_CREDENTIAL = 'Bench';

/** The MediaGen Image node. */
export const picture = (name: string, parameters: object): NodeJson =>
	pictureNode(name, BENCH_CREDENTIAL, parameters);

/** The MediaGen Upload node, for the file of the node before it. */
export const upload = mediaGen('Upload', 'mediaGenUpload', BENCH_CREDENTIAL, {
	...{ resource: 'image', operation: 'upload' },
	...{ source: 'binary', binaryPropertyName: 'data' },
});

/** n8n's Wait, which goes on by itself after so many seconds unless it is given something else. */
export const waitNode = (parameters: object): NodeJson => ({
	name: 'Wait',
	type: 'n8n-nodes-base.wait',
	typeVersion: 1.1,
	parameters,
});

/** Reads a file, lets n8n come to rest, and sends it with the given node. */
export const uploadWorkflow = (file: string, sender: NodeJson): WorkflowDefinition =>
	chain(`Upload by ${sender.type}`, [
		startByHand,
		{ name: 'Read', type: 'n8n-nodes-base.readWriteFile', parameters: { fileSelector: file } },
		waitNode({ amount: 2 }),
		sender,
	]);

/** n8n's HTTP Request, with the service's key. */
export const request = (name: string, parameters: object): NodeJson => ({
	...httpRequest(name, {
		authentication: 'genericCredentialType',
		genericAuthType: 'httpHeaderAuth',
		...parameters,
	}),
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
	waitNode({ amount: intervalSeconds }),
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
export const loopLinks = (end: string): Links => ({
	Submit: 'Wait',
	Wait: 'Look',
	Look: 'Ended',
	Ended: [end, 'Wait'],
});

/** Tells the bench's own server that the workflow has gone on; `taskId` is an expression without its braces. */
export const tell = (url: string, taskId: string): NodeJson =>
	httpRequest('Tell', { url: `=${url}/{{ ${taskId} }}` });
