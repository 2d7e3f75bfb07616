import type { IExecuteFunctions } from 'n8n-workflow';

import { priceOptions } from '../shared/n8n/chatPrices';
import {
	buyingOptions,
	commonOptions,
	fieldsOf,
	optionsField,
	presetNumber,
	toggle,
} from '../shared/n8n/options';
import { parseOptions, readOptions } from '../shared/n8n/readOptions';
import { number } from '../shared/util/schema';
import { z } from '../shared/util/vendor/zod';
import { additionalField } from './prompt/fields';

const chatOptions = z.object({
	...commonOptions,
	...buyingOptions,
	...priceOptions,
	timeout: presetNumber(number, [1], {
		displayName: 'Timeout (Seconds)',
		default: 300,
		description: 'How long to wait for one answer',
	}),
	warmCacheFirst: toggle({
		displayName: 'Warm Cache First',
		default: true,
		description:
			'Whether to send the first of several items with the same cached blocks alone, so that the others read what it wrote instead of each paying for it',
	}),
	watchPrefix: toggle({
		displayName: 'Watch Prefix',
		default: true,
		description:
			"Whether to warn when the cached blocks differ from those of the node's last run. Hashes of them are kept in the workflow's static data.",
	}),
});

/** How a run works: see the descriptions of the fields. Times in seconds, prices per million tokens. */
export type ChatOptions = Omit<z.infer<typeof chatOptions>, 'reference'>;

/** The collection "Options" of both operations. */
export const chatOptionsField = optionsField([...fieldsOf(chatOptions.shape), additionalField]);

/** Reads the options once for all items. Throws a `NodeOperationError` that names the option. */
export function readChatOptions(context: IExecuteFunctions): ChatOptions {
	const { reference: _ofItem, ...shape } = chatOptions.shape;
	const given = readOptions(Object.keys(shape), (name) => context.getNodeParameter(name, 0, null));
	return parseOptions(context.getNode(), chatOptions, given);
}
