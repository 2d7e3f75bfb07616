import type { Operation } from '../../shared/n8n/describe';
import { forEachItem, toOutputItems } from '../../shared/n8n/failedItems';
import { commonOptions, fieldsOf } from '../../shared/n8n/options';
import { parseParameters } from '../../shared/n8n/parameters';
import { toJson } from '../../shared/util/json';
import { z } from '../../shared/util/vendor/zod';
import { balanceResource, retrieveBalance, toBalance } from '../balance';

const rules = z.object({ simplify: commonOptions.simplify });

const fields = fieldsOf(rules.shape);

/** What remains and what was used (spec §1): `GET /v1/balance`. */
export const get: Operation = {
	resource: balanceResource,
	name: 'Get',
	value: 'get',
	action: 'Get the balance',
	description: 'Get what remains and what was used',
	fields,
	async execute(context) {
		const balance = retrieveBalance(context);
		const results = await forEachItem(context, async (itemIndex) => {
			const record = await balance;
			const { simplify } = parseParameters({ context, fields, itemIndex }, rules);
			return {
				json: toJson(simplify ? toBalance(record) : record.raw),
				pairedItem: { item: itemIndex },
			};
		});
		return [toOutputItems(context, results)];
	},
};
