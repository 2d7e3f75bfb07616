import type { IExecuteFunctions, INodeProperties } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import { flag, integer, number } from '../shared/util/schema';
import { concurrencyOption, simplifyOption } from '../shared/n8n/commonOptions';
import { z } from '../shared/util/vendor/zod';

const price = (displayName: string, name: string, of: string): INodeProperties => ({
	displayName,
	name,
	type: 'number',
	typeOptions: { minValue: 0, numberPrecision: 6 },
	default: 0,
	description: `What a million ${of} cost, in any currency. With the prices of all that was used, the output has an estimated cost.`,
});

/** The collection "Options" of both operations. */
export const chatOptionsField: INodeProperties = {
	displayName: 'Options',
	name: 'options',
	type: 'collection',
	placeholder: 'Add option',
	default: {},
	options: [
		concurrencyOption,
		price('Price of Cache Reads', 'priceCacheRead', 'input tokens that were read from the cache'),
		price('Price of Cache Writes (1 Hour)', 'priceCacheWrite1h', 'input tokens that were written to the cache for an hour'),
		price('Price of Cache Writes (5 Minutes)', 'priceCacheWrite5m', 'input tokens that were written to the cache for five minutes'),
		price('Price of Input', 'priceInput', 'plain input tokens'),
		price('Price of Output', 'priceOutput', 'output tokens'),
		simplifyOption,
		{
			displayName: 'Timeout',
			name: 'timeout',
			type: 'number',
			typeOptions: { minValue: 1 },
			default: 300,
			description: 'Seconds to wait for one answer',
		},
		{
			displayName: 'Warm Cache First',
			name: 'warmCacheFirst',
			type: 'boolean',
			default: true,
			description:
				'Whether the first of several items with the same cached blocks goes ahead, so that the others read what it has written instead of each paying for it',
		},
		{
			displayName: 'Watch Prefix',
			name: 'watchPrefix',
			type: 'boolean',
			default: true,
			description:
				"Whether to warn where the cached blocks differ from those of the node's last run. A fingerprint of them is kept in the workflow's static data.",
		},
	],
};

const unitPrice = number(0).optional();

const chatOptions = z.object({
	concurrency: integer(1, 100).default(5),
	priceCacheRead: unitPrice,
	priceCacheWrite1h: unitPrice,
	priceCacheWrite5m: unitPrice,
	priceInput: unitPrice,
	priceOutput: unitPrice,
	simplify: flag().default(true),
	timeout: number(1).default(300),
	warmCacheFirst: flag().default(true),
	watchPrefix: flag().default(true),
});

/** How a run goes: see the fields' descriptions. Seconds for times; prices for a million tokens. */
export type ChatOptions = z.infer<typeof chatOptions>;

const labelOf = (name: string) =>
	chatOptionsField.options?.find((option) => option.name === name && 'displayName' in option);

/** Reads and checks the collection "Options", once for all items. Throws a `NodeOperationError` that names the option. */
export function readChatOptions(context: IExecuteFunctions): ChatOptions {
	const given = z.record(z.unknown()).parse(context.getNodeParameter('options', 0, {}));
	const set = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== '' && value !== null));
	const read = chatOptions.safeParse(set);
	if (read.success) return read.data;
	const issue = read.error.issues[0];
	const name = String(issue?.path[0] ?? 'options');
	const option = labelOf(name);
	const label = option && 'displayName' in option ? option.displayName : name;
	throw new NodeOperationError(context.getNode(), `"${label}" ${issue?.message ?? 'is not valid'} [item 0]`, {
		itemIndex: 0,
		description: 'Nothing was sent to the service.',
	});
}
