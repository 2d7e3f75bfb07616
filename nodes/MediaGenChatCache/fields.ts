import type { INodeProperties } from 'n8n-workflow';

import { MIN_PREFIX_TOKENS } from '../shared/api/chat';
import { answerTimeout, chatModelField, maxTokens, priceOptions } from '../shared/n8n/chatFields';
import { listField, optionsOf, rowsField, textField, toOptions } from '../shared/n8n/fields';
import {
	additionalBodyFieldsField,
	buyingOptions,
	commonOptions,
	fieldsOf,
	optionsField,
	toggle,
} from '../shared/n8n/options';
import { z } from '../shared/util/vendor/zod';

export const NOT_MARKED = 'none';

export const cachedBlocksField = rowsField({
	displayName: 'Cached Blocks',
	name: 'cachedBlocks',
	typeOptions: { multipleValues: true, sortable: true },
	// The panel starts with one block to fill in. It is ignored while its text is empty.
	default: { block: [{ text: '', ttl: '5m', place: 'system' }] },
	description: `Text that is the same in each request, byte for byte, in the order in which the model reads it. The service caches it from about ${MIN_PREFIX_TOKENS} tokens on.`,
	row: 'Block',
	values: [
		textField({
			displayName: 'Text',
			name: 'text',
			typeOptions: { rows: 4 },
			placeholder: 'e.g. the whole text of a manual',
			description: 'A block without text is ignored',
		}),
		listField({
			displayName: 'Cache For',
			name: 'ttl',
			options: optionsOf({
				'5m': ['5 Minutes', 'Since its last use'],
				'1h': ['1 Hour', 'Since its last use. The header that this requires is sent too.'],
				[NOT_MARKED]: ['Not Marked', 'Cached as part of a marked block that follows it'],
			}),
			description: 'How long the service keeps everything up to the end of this block',
		}),
		listField({
			displayName: 'Place',
			name: 'place',
			options: optionsOf({
				system: ['System', 'Before all turns'],
				user: ['User Turn'],
				assistant: ['Assistant Turn'],
			}),
			description: 'Whose text it is',
		}),
	],
});

const earlierTurnsField = rowsField({
	displayName: 'Earlier Turns',
	name: 'earlierTurns',
	typeOptions: { multipleValues: true, sortable: true },
	description:
		'Turns before the question that are not cached. To cache turns, add them to the cached blocks with the place User Turn or Assistant Turn.',
	row: 'Turn',
	values: [
		listField({
			displayName: 'Role',
			name: 'role',
			options: toOptions(['user', 'assistant']),
		}),
		textField({
			displayName: 'Text',
			name: 'text',
			typeOptions: { rows: 2 },
			required: true,
			placeholder: 'e.g. What is chapter 2 about?',
		}),
	],
});

/** The fields of both operations: they differ in the layout of the request, not in what is asked. */
export const promptFields: INodeProperties[] = [
	chatModelField,
	cachedBlocksField,
	earlierTurnsField,
	textField({
		displayName: 'Question',
		name: 'prompt',
		typeOptions: { rows: 3 },
		required: true,
		placeholder: 'e.g. Which chapter explains how to change the filter?',
		description:
			'What changes from request to request. It comes last, in a block of its own, and is never cached.',
	}),
	...fieldsOf({ maxTokens: maxTokens(1024, 'Maximum number of tokens of the answer') }),
];

export const additionalField: INodeProperties = {
	...additionalBodyFieldsField,
	placeholder: 'e.g. {"temperature": 0.2}',
	description:
		'Fields of the request that this node does not show, as a JSON object. They are sent as they are.',
};

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
