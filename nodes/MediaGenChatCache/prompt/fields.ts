import type { INodeProperties } from 'n8n-workflow';

import { MAX_CACHE_MARKERS, MIN_PREFIX_TOKENS } from '../shared/api/chat';
import type { Resource } from '../shared/n8n/describe';
import { NOT_MARKED } from './conversation';
import { chatOptionsField } from './options';

export const chatResource: Resource = { name: 'Chat', value: 'chat' };

const cachedBlocks: INodeProperties = {
	displayName: 'Cached Blocks',
	name: 'cachedBlocks',
	type: 'fixedCollection',
	typeOptions: { multipleValues: true, sortable: true },
	placeholder: 'Add Block',
	default: {},
	description: `Text that stays the same from one request to the next, byte for byte, in the order in which the model reads it. It has to come to about ${MIN_PREFIX_TOKENS} tokens for the service to keep it. At most ${MAX_CACHE_MARKERS} blocks can be marked.`,
	options: [
		{
			displayName: 'Block',
			name: 'block',
			values: [
				{
					displayName: 'Text',
					name: 'text',
					type: 'string',
					typeOptions: { rows: 4 },
					required: true,
					default: '',
					placeholder: 'e.g. the whole text of a manual',
				},
				{
					displayName: 'Cache For',
					name: 'ttl',
					type: 'options',
					options: [
						{ name: '5 Minutes', value: '5m', description: 'Since it was last used' },
						{ name: '1 Hour', value: '1h', description: 'Since it was last used. The header that this needs is sent along.' },
						{
							name: 'Not Marked',
							value: NOT_MARKED,
							description: 'Kept as part of a marked block that comes after it',
						},
					],
					default: '5m',
					description: 'How long the service keeps everything up to the end of this block',
				},
				{
					displayName: 'Place',
					name: 'place',
					type: 'options',
					options: [
						{ name: 'System', value: 'system', description: 'Comes before all turns' },
						{ name: 'User Turn', value: 'user' },
						{ name: 'Assistant Turn', value: 'assistant' },
					],
					default: 'system',
					description: 'Who says it',
				},
			],
		},
	],
};

const earlierTurns: INodeProperties = {
	displayName: 'Earlier Turns',
	name: 'earlierTurns',
	type: 'fixedCollection',
	typeOptions: { multipleValues: true, sortable: true },
	placeholder: 'Add Turn',
	default: {},
	description:
		'What was said before the question and is not to be cached. To cache turns, add them to the cached blocks with the place User Turn or Assistant Turn.',
	options: [
		{
			displayName: 'Turn',
			name: 'turn',
			values: [
				{
					displayName: 'Role',
					name: 'role',
					type: 'options',
					options: [
						{ name: 'User', value: 'user' },
						{ name: 'Assistant', value: 'assistant' },
					],
					default: 'user',
				},
				{
					displayName: 'Text',
					name: 'text',
					type: 'string',
					typeOptions: { rows: 2 },
					required: true,
					default: '',
					placeholder: 'e.g. What is chapter 2 about?',
				},
			],
		},
	],
};

/** The fields of both operations: they differ in how the request is laid out, not in what is asked. */
export const chatFields: INodeProperties[] = [
	{
		displayName: 'Model',
		name: 'model',
		type: 'string',
		required: true,
		default: '',
		placeholder: 'e.g. my-chat-model',
		description: 'ID of a chat model of the service',
	},
	cachedBlocks,
	earlierTurns,
	{
		displayName: 'Question',
		name: 'prompt',
		type: 'string',
		typeOptions: { rows: 3 },
		required: true,
		default: '',
		placeholder: 'e.g. Which chapter tells how to change the filter?',
		description: 'What changes from request to request. It comes last, in a block of its own, and is never cached.',
	},
	{
		displayName: 'Max Tokens',
		name: 'maxTokens',
		type: 'number',
		typeOptions: { minValue: 1 },
		required: true,
		default: 1024,
		description: 'How many tokens the answer may have at most',
	},
	{
		displayName: 'Extra Body Fields',
		name: 'extraBody',
		type: 'json',
		default: '{}',
		placeholder: 'e.g. {"temperature": 0.2}',
		description: 'Further fields of the request as a JSON object, sent as they are',
	},
	chatOptionsField,
];
