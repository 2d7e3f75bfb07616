import type {
	IExecuteFunctions,
	INodeExecutionData,
	INodeProperties,
	INodeTypeDescription,
	IWebhookDescription,
} from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';

import { compareNames } from '../util/case';

/** A resource as the panel shows it. */
export interface Resource {
	name: string;
	value: string;
}

/** One operation: what the panel shows of it, and what it does with all input items. */
export interface Operation {
	resource: Resource;
	/** Label, in Title Case. */
	name: string;
	value: string;
	/** Its name in the nodes panel, e.g. "Generate an image". */
	action: string;
	description: string;
	fields: INodeProperties[];
	execute(context: IExecuteFunctions): Promise<INodeExecutionData[][]>;
}

/** A choice whose options come with the operations. */
const selector = (displayName: string, name: string): INodeProperties => ({
	displayName,
	name,
	type: 'options',
	noDataExpression: true,
	options: [],
	default: '',
});

function resourcesOf(operations: readonly Operation[]): Resource[] {
	return [...new Map(operations.map(({ resource }) => [resource.value, resource])).values()];
}

/** A node with one resource keeps the parameter, which saved workflows have, and does not show it. */
function resourceSelector(resources: Resource[]): INodeProperties {
	const [first] = resources;
	const field: INodeProperties = {
		...selector('Resource', 'resource'),
		options: resources,
		default: first?.value ?? '',
	};
	return resources.length === 1 ? { ...field, type: 'hidden', options: undefined } : field;
}

function operationSelector(resource: Resource, operations: readonly Operation[]): INodeProperties {
	const own = operations.filter((operation) => operation.resource.value === resource.value);
	return {
		...selector('Operation', 'operation'),
		displayOptions: { show: { resource: [resource.value] } },
		options: own
			.map(({ name, value, action, description }) => ({ name, value, action, description }))
			.sort((a, b) => compareNames(a.name, b.name)),
		default: own[0]?.value ?? '',
	};
}

/**
 * Shows a field under its operation only. The operation's condition comes first: n8n stops reading conditions at the first one
 * that depends on an expression, and would then show the field under every operation.
 */
function underOperation({ resource, value }: Operation, field: INodeProperties): INodeProperties {
	const { show, ...others } = field.displayOptions ?? {};
	return {
		...field,
		displayOptions: {
			...others,
			show: { resource: [resource.value], operation: [value], ...show },
		},
	};
}

/** The panel of a node with the given operations: resource, operation, and each operation's own fields. */
function describeOperations(operations: readonly Operation[]): INodeProperties[] {
	const resources = resourcesOf(operations);
	return [
		resourceSelector(resources),
		...resources.map((resource) => operationSelector(resource, operations)),
		...operations.flatMap((operation) =>
			operation.fields.map((field) => underOperation(operation, field)),
		),
	];
}

/**
 * The address that resumes a paused execution. It belongs to the execution, not to the workflow: nothing is registered for it
 * when a workflow is activated. Where the address ends with a secret, a service that appends to the text calls the path `''`.
 */
export const callbackWebhook: IWebhookDescription[] = ['callback', ''].map((path) => ({
	name: 'default',
	httpMethod: 'POST',
	path,
	responseMode: 'onReceived',
	restartWebhook: true,
}));

/** Words of an action in whose place the subtitle has a number, where that is set and no expression: "picture 3" for "a picture". */
interface SubtitleNumber {
	parameter: string;
	words: string;
	/** What the parameter counts. */
	unit: string;
}

/** The node's subtitle on the canvas: what the operation does, in the words of the nodes panel. */
export function subtitleOf(operations: readonly Operation[], number?: SubtitleNumber): string {
	const actions = operations.map(
		({ resource, action, value }) =>
			`${JSON.stringify(`${resource.value}.${value}`)}:${JSON.stringify(action)}`,
	);
	const action = `({${actions.join(',')}})[$parameter["resource"] + "." + $parameter["operation"]]`;
	if (!number) return `={{ ${action} }}`;
	const { parameter, words, unit } = number;
	const value = `$parameter["${parameter}"]`;
	return `={{ typeof ${value} === "number" ? ${action}.replace("${words}", "${unit} " + ${value}) : ${action} }}`;
}

/** The part of a description that all nodes with operations have in common. */
export const describeNode = (operations: readonly Operation[]) =>
	({
		group: ['transform'],
		version: 1,
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'mediaGenApi', required: true, testedBy: 'mediaGenApiTest' }],
		properties: describeOperations(operations),
	}) satisfies Partial<INodeTypeDescription>;
