import type { IExecuteFunctions, INodeExecutionData, INodeProperties } from 'n8n-workflow';

import type { BalanceRecord } from '../../shared/api/records';
import type { Operation } from '../../shared/n8n/describe';
import { errorItem, forEachItem, isFailed, throwFirstError } from '../../shared/n8n/nodeErrors';
import { validationError } from '../../shared/n8n/parameters';
import { number, oneOf } from '../../shared/util/schema';
import { balanceResource, remainingOf, retrieveBalance, toBalance } from '../balance';

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
		description: 'What must remain for "Enough". A key without a limit always has enough.',
	},
];

const unitSchema = oneOf(['balance', 'credits']);
const thresholdSchema = number(0);

function isEnough(context: IExecuteFunctions, record: BalanceRecord, itemIndex: number): boolean {
	const threshold = thresholdSchema.safeParse(context.getNodeParameter('threshold', itemIndex));
	if (!threshold.success) {
		const issues = threshold.error.issues.map((issue) => ({ ...issue, path: ['threshold'] }));
		throw validationError(context.getNode(), fields, issues, itemIndex);
	}
	const remaining = remainingOf(record, unitSchema.parse(context.getNodeParameter('compare', itemIndex)));
	return remaining === null || remaining >= threshold.data;
}

/** Sorts the items by whether enough remains: output 0 is "Enough", output 1 is "Low". */
export const check: Operation = {
	resource: balanceResource,
	name: 'Check',
	value: 'check',
	action: 'Check the balance',
	description: 'Continue on one output while enough remains, and on the other when it does not',
	fields,
	async execute(context) {
		const enough: INodeExecutionData[] = [];
		const low: INodeExecutionData[] = [];
		// One request serves all items: nothing is spent between them.
		const balance = retrieveBalance(context);
		const items = context.getInputData();
		const results = await forEachItem(context, async (itemIndex) => {
			const record = await balance;
			const json = { ...items[itemIndex]?.json, balance: toBalance(record) };
			return { isEnough: isEnough(context, record, itemIndex), item: { ...items[itemIndex], json, pairedItem: { item: itemIndex } } };
		});
		throwFirstError(context, results);
		for (const result of results) {
			if (isFailed(result)) low.push(errorItem(context.getNode(), result.error, result.itemIndex));
			else (result.isEnough ? enough : low).push(result.item);
		}
		return [enough, low];
	},
};
