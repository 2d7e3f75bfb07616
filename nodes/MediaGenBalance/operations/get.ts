import type { Operation } from '../../shared/n8n/describe';
import { forEachItem, toOutputItems } from '../../shared/n8n/failedItems';
import { commonOptions, fieldsOf } from '../../shared/n8n/options';
import { toJson } from '../../shared/util/json';
import { balanceResource, retrieveBalance, toBalance } from '../balance';

/** What remains and what was used (spec §1): `GET /v1/balance`. */
export const get: Operation = {
	resource: balanceResource,
	name: 'Get',
	value: 'get',
	action: 'Get the balance',
	description: 'Get what remains and what was used',
	fields: fieldsOf({ simplify: commonOptions.simplify }),
	async execute(context) {
		const balance = retrieveBalance(context);
		const results = await forEachItem(context, async (itemIndex) => {
			const record = await balance;
			const simplify = context.getNodeParameter('simplify', itemIndex, true) !== false;
			return {
				json: toJson(simplify ? toBalance(record) : record.raw),
				pairedItem: { item: itemIndex },
			};
		});
		return [toOutputItems(context, results)];
	},
};
