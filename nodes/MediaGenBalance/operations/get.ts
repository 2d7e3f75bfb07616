import type { Operation } from '../../shared/n8n/describe';
import { toJson } from '../../shared/output/items';
import { describeBalance, readBalance } from '../balance';
import { balanceResource, simplifyField } from '../fields';
import { forEachItem } from '../forEachItem';

/** What is left and what has been used (spec §1): `GET /v1/balance`. */
export const get: Operation = {
	resource: balanceResource,
	name: 'Get',
	value: 'get',
	action: 'Get the balance',
	description: 'Ask what is left and what has been used',
	fields: [simplifyField],
	async execute(context) {
		const items = await forEachItem(context, async (itemIndex) => {
			const record = await readBalance(context);
			return context.getNodeParameter('simplify', itemIndex, true) === false
				? toJson(record)
				: toJson(describeBalance(record));
		});
		return [items];
	},
};
