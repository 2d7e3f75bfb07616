import type { IExecuteFunctions, INodeExecutionData, INodeProperties } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import { asNodeError, errorItem, recordKeyIn } from './nodeErrors';
import { optionsOfFailedItem } from './options';

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

const resourceField: INodeProperties = {
	displayName: 'Resource',
	name: 'resource',
	type: 'options',
	noDataExpression: true,
	options: [],
	default: '',
};

const operationField: INodeProperties = {
	displayName: 'Operation',
	name: 'operation',
	type: 'options',
	noDataExpression: true,
	options: [],
	default: '',
};

function resourcesOf(operations: readonly Operation[]): Resource[] {
	return [...new Map(operations.map(({ resource }) => [resource.value, resource])).values()];
}

/** A node with one resource keeps the parameter, which saved workflows have, and does not show it. */
function resourceSelector(resources: Resource[]): INodeProperties {
	const [first] = resources;
	const field: INodeProperties = {
		...resourceField,
		options: resources,
		default: first?.value ?? '',
	};
	return resources.length === 1 ? { ...field, type: 'hidden', options: undefined } : field;
}

function operationSelector(resource: Resource, operations: readonly Operation[]): INodeProperties {
	const own = operations.filter((operation) => operation.resource.value === resource.value);
	return {
		...operationField,
		displayOptions: { show: { resource: [resource.value] } },
		options: own
			.map(({ name, value, action, description }) => ({ name, value, action, description }))
			.sort((a, b) => a.name.localeCompare(b.name)),
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
export function describeOperations(operations: readonly Operation[]): INodeProperties[] {
	const resources = resourcesOf(operations);
	return [
		resourceSelector(resources),
		...resources.map((resource) => operationSelector(resource, operations)),
		...operations.flatMap((operation) =>
			operation.fields.map((field) => underOperation(operation, field)),
		),
	];
}

/** A number that the subtitle names behind the operation, where it is set and no expression. */
interface SubtitleNumber {
	parameter: string;
	/** What it counts, e.g. "Picture". */
	word: string;
}

/** The node's subtitle on the canvas: the operation by its label, with the resource where a node has several. */
export function subtitleOf(operations: readonly Operation[], number?: SubtitleNumber): string {
	const [first] = operations;
	const labels = operations.map(({ resource, name, value }) => {
		const label = resource.value === first?.resource.value ? name : `${name} ${resource.name}`;
		return `${JSON.stringify(`${resource.value}.${value}`)}:${JSON.stringify(label)}`;
	});
	const operation = `({${labels.join(',')}})[$parameter["resource"] + "." + $parameter["operation"]]`;
	if (!number) return `={{ ${operation} }}`;
	const value = `$parameter["${number.parameter}"]`;
	return `={{ ${operation} + (typeof ${value} === "number" ? " ${number.word} " + ${value} : "") }}`;
}

/**
 * An error of all items at once (the credential, an option) becomes every item's error where the node is set to continue: n8n
 * itself would pass the input on as if nothing had happened.
 */
async function runOrContinue(
	context: IExecuteFunctions,
	operation: Operation,
): Promise<INodeExecutionData[][]> {
	try {
		return await operation.execute(context);
	} catch (error) {
		const node = context.getNode();
		const nodeError = asNodeError(node, error);
		if (!context.continueOnFail()) throw nodeError;
		return [
			context.getInputData().map(({ json }, itemIndex) => {
				const { fileName: _fileName, ...own } = optionsOfFailedItem(context, itemIndex);
				return errorItem(node, nodeError, itemIndex, own, recordKeyIn(json));
			}),
		];
	}
}

/** Runs the operation that the node is set to. Throws a `NodeOperationError` for one that it does not have. */
export async function runOperation(
	context: IExecuteFunctions,
	operations: readonly Operation[],
): Promise<INodeExecutionData[][]> {
	const resource = context.getNodeParameter('resource', 0);
	const value = context.getNodeParameter('operation', 0);
	const operation = operations.find(
		(candidate) => candidate.resource.value === resource && candidate.value === value,
	);
	if (operation) return await runOrContinue(context, operation);
	throw new NodeOperationError(
		context.getNode(),
		`The operation "${String(value)}" does not exist for the resource "${String(resource)}"`,
	);
}
