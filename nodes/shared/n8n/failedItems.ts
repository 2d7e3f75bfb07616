import type { IDataObject, IExecuteFunctions, INode, INodeExecutionData } from 'n8n-workflow';
import { NodeApiError, NodeOperationError } from 'n8n-workflow';

import { clock } from '../util/clock';
import { isObject, objectOf, toJson } from '../util/json';
import type { Operation } from './describe';
import { asNodeError, errorItem, LINE_END, type NodeError, serviceError } from './nodeErrors';
import { goesOn, optionsOfFailedItem } from './readOptions';

export interface FailedItem {
	itemIndex: number;
	error: NodeError;
}

export function isFailed<Item extends object>(item: Item): item is Item & FailedItem {
	return 'error' in item && item.error !== undefined;
}

/** Number of items after which n8n gets a turn: evaluating the parameters of thousands of items would block it for seconds. */
const ITEMS_PER_TURN = 50;

/** Runs `work` for each input item in order. What it throws becomes that item's error. */
export async function forEachItem<Item extends object>(
	context: IExecuteFunctions,
	work: (itemIndex: number) => Item | Promise<Item>,
): Promise<Array<Item | FailedItem>> {
	const results: Array<Item | FailedItem> = [];
	for (let itemIndex = 0; itemIndex < context.getInputData().length; itemIndex++) {
		results.push(await itemOrError(context, itemIndex, () => work(itemIndex)));
		if (itemIndex % ITEMS_PER_TURN === ITEMS_PER_TURN - 1) await clock.sleep(0);
	}
	return results;
}

export async function itemOrError<Item extends object>(
	context: { getNode(): INode },
	itemIndex: number,
	work: () => Item | Promise<Item>,
): Promise<Item | FailedItem> {
	try {
		return await work();
	} catch (error) {
		return { itemIndex, error: asNodeError(context.getNode(), error, { itemIndex }) };
	}
}

/** Throws the first item's error, unless the node is set to continue. */
export function throwFirstError(context: IExecuteFunctions, items: readonly object[]): void {
	const failed = items.find(isFailed);
	if (failed && !goesOn(context)) throw failed.error;
}

export const withParagraph = (...texts: Array<string | null | undefined>) =>
	texts.filter(Boolean).join(LINE_END + LINE_END);

/** The error of a run: the first failed item's, with their number and, in the description, what became of the others, which may be paid for. */
export function runError(
	node: INode,
	items: readonly object[],
	first: FailedItem,
	others: string | undefined,
): NodeError {
	const { error, itemIndex } = first;
	const failed = items.filter(isFailed).length;
	const rest = items.length > 1 ? ` (${failed} of ${items.length} items have no result)` : '';
	const message = error.message + rest;
	const description = withParagraph(error.description, others);
	return error instanceof NodeApiError
		? serviceError(node, message, { description, itemIndex, httpCode: error.httpCode ?? undefined })
		: new NodeOperationError(node, message, { description, itemIndex });
}

/** The output of items that were processed one by one. Throws the first item's error, unless the node is set to continue. */
export function toOutputItems(
	context: IExecuteFunctions,
	results: ReadonlyArray<INodeExecutionData | FailedItem>,
): INodeExecutionData[] {
	throwFirstError(context, results);
	return results.map((result) =>
		isFailed(result) ? errorItem(context.getNode(), result.error, result.itemIndex) : result,
	);
}

/** The key of the purchase record in an item without a result: an error item, or one of a task that was open at the limit of a pause. */
export function recordKeyIn({ error, status, recordKey }: IDataObject = {}): string | undefined {
	const named = isObject(error) ? error.recordKey : status === 'submitted' ? recordKey : undefined;
	return typeof named === 'string' ? named : undefined;
}

/** An error of all items at once becomes that of each if the node is set to continue: n8n itself would pass the input on. */
async function runOrContinue(
	context: IExecuteFunctions,
	operation: Operation,
): Promise<INodeExecutionData[][]> {
	try {
		return await operation.execute(context);
	} catch (error) {
		const node = context.getNode();
		const isStopped = context.getExecutionCancelSignal()?.aborted === true;
		const nodeError = asNodeError(node, error, { isStopped });
		const left = objectOf(nodeError.context.left);
		// Answers are too long for an error that n8n stores.
		delete nodeError.context.left;
		if (!goesOn(context)) throw nodeError;
		return [
			context.getInputData().map(({ json }, itemIndex) => {
				const { fileName: _fileName, ...own } = optionsOfFailedItem(context, itemIndex);
				const { recordKey, ...bought } = objectOf(left[itemIndex]);
				const fields = toJson({ ...own, ...bought });
				return errorItem(node, nodeError, itemIndex, fields, recordKeyIn(json) ?? recordKey);
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
