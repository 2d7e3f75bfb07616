import type { IExecuteFunctions, INodeProperties } from 'n8n-workflow';

import {
	concurrencyOption,
	concurrencySchema,
	includeInputOption,
	optionsField,
	parseOptions,
	referenceOption,
	simplifyField,
	spendingOptions,
	spendingSchema,
	whenUnsureOption,
	whenUnsureSchema,
} from '../shared/n8n/options';
import { isObject } from '../shared/util/json';
import { flag, number } from '../shared/util/schema';
import { z } from '../shared/util/vendor/zod';

const price = (displayName: string, name: string, of: string): INodeProperties => ({
	displayName,
	name,
	type: 'number',
	typeOptions: { minValue: 0, numberPrecision: 6 },
	default: 0,
	description: `Price of a million ${of}, in any currency. With the prices of everything that was used, the output has an estimated cost.`,
});

/** The collection "Options" of both operations. */
export const chatOptionsField = optionsField([
	concurrencyOption,
	includeInputOption,
	price('Price of Cache Reads', 'priceCacheRead', 'input tokens that were read from the cache'),
	price(
		'Price of Cache Writes (1 Hour)',
		'priceCacheWrite1h',
		'input tokens that were written to the cache for an hour',
	),
	price(
		'Price of Cache Writes (5 Minutes)',
		'priceCacheWrite5m',
		'input tokens that were written to the cache for five minutes',
	),
	price('Price of Input', 'priceInput', 'plain input tokens'),
	price('Price of Output', 'priceOutput', 'output tokens'),
	referenceOption,
	simplifyField,
	{
		displayName: 'Timeout (Seconds)',
		name: 'timeout',
		type: 'number',
		typeOptions: { minValue: 1 },
		default: 300,
		description: 'How long to wait for one answer',
	},
	{
		displayName: 'Warm Cache First',
		name: 'warmCacheFirst',
		type: 'boolean',
		default: true,
		description:
			'Whether to send the first of several items with the same cached blocks alone, so that the others read what it wrote instead of each paying for it',
	},
	{
		displayName: 'Watch Prefix',
		name: 'watchPrefix',
		type: 'boolean',
		default: true,
		description:
			"Whether to warn when the cached blocks differ from those of the node's last run. Hashes of them are kept in the workflow's static data.",
	},
	whenUnsureOption,
	...spendingOptions,
]);

const unitPrice = number(0).optional();

const chatOptions = z.object({
	concurrency: concurrencySchema,
	includeInput: flag().default(false),
	priceCacheRead: unitPrice,
	priceCacheWrite1h: unitPrice,
	priceCacheWrite5m: unitPrice,
	priceInput: unitPrice,
	priceOutput: unitPrice,
	simplify: flag().default(true),
	timeout: number(1).default(300),
	warmCacheFirst: flag().default(true),
	watchPrefix: flag().default(true),
	whenUnsure: whenUnsureSchema,
	...spendingSchema,
});

/** How a run works: see the descriptions of the fields. Times in seconds, prices per million tokens. */
export type ChatOptions = z.infer<typeof chatOptions>;

/** Reads the options once for all items. Throws a `NodeOperationError` that names the option. */
export function readChatOptions(context: IExecuteFunctions): ChatOptions {
	const given: unknown = context.getNodeParameter('options', 0, {});
	return parseOptions(context.getNode(), chatOptions, isObject(given) ? given : {}, [
		chatOptionsField,
	]);
}
