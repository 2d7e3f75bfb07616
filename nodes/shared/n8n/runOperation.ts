import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import { toJson } from '../util/json';
import type { Operation } from './describe';
import { recordKeyIn } from './failedItems';
import { asNodeError, errorItem } from './nodeErrors';
import { optionsOfFailedItem } from './readOptions';

/** An error of all items at once becomes that of each if the node is set to continue: n8n itself would pass the input on. */
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
				return errorItem(node, nodeError, itemIndex, toJson(own), recordKeyIn(json));
			}),
		];
	}
}

/** The `execute` of a node with these operations. Throws a `NodeOperationError` for one that it does not have. */
export const executeOf = (operations: readonly Operation[]) =>
	async function execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		const resource = this.getNodeParameter('resource', 0);
		const value = this.getNodeParameter('operation', 0);
		const operation = operations.find(
			(candidate) => candidate.resource.value === resource && candidate.value === value,
		);
		if (operation) return await runOrContinue(this, operation);
		throw new NodeOperationError(
			this.getNode(),
			`The operation "${String(value)}" does not exist for the resource "${String(resource)}"`,
		);
	};
