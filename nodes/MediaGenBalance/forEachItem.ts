import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { errorItem, hasErrorOutput } from '../shared/n8n/errorItem';
import { asNodeError } from '../shared/n8n/nodeErrors';

/**
 * Makes one output item of each input item. What goes wrong ends the node, or becomes the item's error where the
 * node is set to continue.
 */
export async function forEachItem(
	context: IExecuteFunctions,
	toJson: (itemIndex: number) => Promise<IDataObject>,
): Promise<INodeExecutionData[]> {
	const items: INodeExecutionData[] = [];
	for (let itemIndex = 0; itemIndex < context.getInputData().length; itemIndex++) {
		try {
			items.push({ json: await toJson(itemIndex), pairedItem: { item: itemIndex } });
		} catch (error) {
			const nodeError = asNodeError(context.getNode(), error, { itemIndex });
			if (!context.continueOnFail()) throw nodeError;
			items.push(errorItem(nodeError, itemIndex, hasErrorOutput(context.getNode())));
		}
	}
	return items;
}
