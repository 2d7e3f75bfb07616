import type { IExecuteFunctions, INodeExecutionData, INodeProperties } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import { number, oneOf } from '../../shared/util/schema';
import type { Operation } from '../../shared/n8n/describe';
import { errorItem, hasErrorOutput } from '../../shared/n8n/errorItem';
import { asNodeError } from '../../shared/n8n/nodeErrors';
import { type BalanceRecord, describeBalance, readBalance, remainingOf } from '../balance';
import { balanceResource } from '../fields';

const fields: INodeProperties[] = [
	{
		displayName: 'Compare',
		name: 'compare',
		type: 'options',
		options: [
			{ name: 'Balance', value: 'balance', description: 'In the unit that the service is set up with' },
			{ name: 'Credits', value: 'credits' },
		],
		default: 'balance',
	},
	{
		displayName: 'Threshold',
		name: 'threshold',
		type: 'number',
		required: true,
		default: 1,
		description: 'What must be left for "Enough". A key without a limit always has enough.',
	},
];

const unitSchema = oneOf(['balance', 'credits']);
const thresholdSchema = number(0);

function isEnough(context: IExecuteFunctions, record: BalanceRecord, itemIndex: number): boolean {
	const threshold = thresholdSchema.safeParse(context.getNodeParameter('threshold', itemIndex));
	if (!threshold.success) {
		throw new NodeOperationError(
			context.getNode(),
			`"Threshold" ${threshold.error.issues[0]?.message ?? ''} [item ${itemIndex}]`,
			{ itemIndex },
		);
	}
	const unit = unitSchema.parse(context.getNodeParameter('compare', itemIndex));
	const remaining = remainingOf(record, unit);
	return remaining === null || remaining >= threshold.data;
}

/** Parts the items by whether enough is left: output 0 is "Enough", output 1 is "Low". */
export const check: Operation = {
	resource: balanceResource,
	name: 'Check',
	value: 'check',
	action: 'Check the balance',
	description: 'Go one way while enough is left and another way when it is not',
	fields,
	async execute(context) {
		const enough: INodeExecutionData[] = [];
		const low: INodeExecutionData[] = [];
		// One question serves all items: nothing is spent between them.
		const balance = readBalance(context);
		for (const [itemIndex, item] of context.getInputData().entries()) {
			try {
				const record = await balance;
				const branch = isEnough(context, record, itemIndex) ? enough : low;
				branch.push({
					...item,
					json: { ...item.json, balance: describeBalance(record) },
					pairedItem: { item: itemIndex },
				});
			} catch (error) {
				const nodeError = asNodeError(context.getNode(), error, { itemIndex });
				if (!context.continueOnFail()) throw nodeError;
				low.push(errorItem(nodeError, itemIndex, hasErrorOutput(context.getNode())));
			}
		}
		return [enough, low];
	},
};
