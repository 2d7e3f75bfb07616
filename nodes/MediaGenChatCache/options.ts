import { answerTimeout, priceOptions } from '../shared/n8n/chatFields';
import {
	buyingOptions,
	commonOptions,
	fieldsOf,
	optionsField,
	toggle,
} from '../shared/n8n/options';
import { z } from '../shared/util/vendor/zod';
import { additionalField } from './prompt/fields';

const options = z.object({
	...commonOptions,
	...buyingOptions,
	...priceOptions,
	timeout: answerTimeout('How long to wait for one answer'),
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

/** Those that all items share. */
export const chatOptions = options.omit({ reference: true });

/** How a run works: see the descriptions of the fields. Times in seconds, prices per million tokens. */
export type ChatOptions = z.infer<typeof chatOptions>;

export const chatOptionsField = optionsField([...fieldsOf(options.shape), additionalField]);
