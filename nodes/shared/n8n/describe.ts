import type {
	IExecuteFunctions,
	INodeExecutionData,
	INodeProperties,
	INodeTypeDescription,
	IWebhookDescription,
} from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';

import { compareNames } from '../util/names';

export interface Resource {
	name: string;
	value: string;
}

export interface Operation {
	resource: Resource;
	name: string;
	value: string;
	/** Its name in the nodes panel, e.g. "Generate an image". */
	action: string;
	description: string;
	fields: INodeProperties[];
	execute(context: IExecuteFunctions): Promise<INodeExecutionData[][]>;
}

function operationSelector(resource: Resource, operations: readonly Operation[]): INodeProperties {
	const own = operations.filter((operation) => operation.resource.value === resource.value);
	const first = own[0]?.value ?? '';
	return {
		displayName: 'Operation',
		name: 'operation',
		type: 'options',
		noDataExpression: true,
		displayOptions: { show: { resource: [resource.value] } },
		options: own
			.map(({ name, value, action, description }) => ({ name, value, action, description }))
			.sort((a, b) => compareNames(a.name, b.name)),
		default: first,
	};
}

/** Shows a field under its operation only. This condition is the first: n8n stops reading at one that depends on an expression. */
function underOperation({ resource, value }: Operation, field: INodeProperties): INodeProperties {
	const { show, ...others } = field.displayOptions ?? {};
	const under = { resource: [resource.value], operation: [value], ...show };
	return { ...field, displayOptions: { ...others, show: under } };
}

function describeOperations(operations: readonly Operation[]): INodeProperties[] {
	const named = new Map(operations.map(({ resource }) => [resource.value, resource]));
	const resources = [...named.values()];
	return [
		{
			displayName: 'Resource',
			name: 'resource',
			// A node with one resource hides it, but keeps it: n8n's nodes panel makes its actions from it.
			type: resources.length === 1 ? 'hidden' : 'options',
			noDataExpression: true,
			options: resources,
			default: resources[0]?.value ?? '',
		},
		...resources.map((resource) => operationSelector(resource, operations)),
		...operations.flatMap((operation) =>
			operation.fields.map((field) => underOperation(operation, field)),
		),
	];
}

/** What a node that can pause adds. Where its address ends with a secret, a service that appends to the text calls the path `''`. */
export const pausing = {
	waitingNodeTooltip: 'The execution continues when the service has called back',
	webhooks: ['callback', ''].map((path): IWebhookDescription => ({
		name: 'default',
		httpMethod: 'POST',
		path,
		responseMode: 'onReceived',
		restartWebhook: true,
	})),
};

/** The node's subtitle on the canvas: what the operation does, in the words of the nodes panel. */
export function subtitleOf(operations: readonly Operation[]): string {
	const actions = operations.map(
		({ resource, action, value }) =>
			`${JSON.stringify(`${resource.value}.${value}`)}:${JSON.stringify(action)}`,
	);
	return `={{ ({${actions.join(',')}})[$parameter["resource"] + "." + $parameter["operation"]] }}`;
}

export const describeNode = (displayName: string, operations: readonly Operation[]) =>
	({
		displayName,
		defaults: { name: displayName },
		group: ['transform'],
		version: 1,
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'mediaGenApi', required: true }],
		properties: describeOperations(operations),
	}) satisfies Partial<INodeTypeDescription>;
