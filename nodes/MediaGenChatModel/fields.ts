import type { INodeProperties, ISupplyDataFunctions } from 'n8n-workflow';

import { chatModelField } from '../shared/n8n/chatFields';
import { optionsOf } from '../shared/n8n/fields';
import { validationError } from '../shared/n8n/parameters';
import { integer, oneOf, text } from '../shared/util/schema';
import { z } from '../shared/util/vendor/zod';
import { CACHE_MODES } from './cache/markers';

export const fields: INodeProperties[] = [
	chatModelField,
	{
		displayName: 'Caching',
		name: 'caching',
		type: 'options',
		options: optionsOf({
			off: ['Off', 'No cache markers are sent'],
			'5m': ['5 Minutes', 'Since the last question of the same agent'],
			'1h': ['1 Hour', 'Since the last question. Writing to the cache costs more.'],
		}),
		default: '5m',
		description:
			'How long the service keeps the prompt of the agent, so that the next question reads it instead of paying for it again',
	},
	{
		displayName: 'Max Tokens',
		name: 'maxTokens',
		type: 'number',
		typeOptions: { minValue: 1 },
		required: true,
		default: 4096,
		description: 'Maximum number of tokens of one answer',
	},
	{
		displayName: 'API Style',
		name: 'apiStyle',
		type: 'options',
		options: optionsOf({
			messages: ['Messages', 'POST /v1/messages'],
			completions: [
				'Chat Completions',
				'POST /v1/chat/completions. It caches results of tools one answer later.',
			],
		}),
		default: 'messages',
		description: 'Which of the two chat endpoints of the service is used',
	},
];

const given = z.object({
	model: text(),
	caching: oneOf(CACHE_MODES),
	max_tokens: integer(1),
	api_style: oneOf(['messages', 'completions']),
});

export type Fields = z.infer<typeof given>;

/** Reads the fields. Throws a `NodeOperationError` that names the field. */
export function readFields(context: ISupplyDataFunctions, itemIndex: number): Fields {
	const read = given.safeParse({
		model: context.getNodeParameter('model', itemIndex, '', { extractValue: true }),
		caching: context.getNodeParameter('caching', itemIndex),
		max_tokens: context.getNodeParameter('maxTokens', itemIndex),
		api_style: context.getNodeParameter('apiStyle', itemIndex),
	});
	if (read.success) return read.data;
	throw validationError({ context, fields, itemIndex }, read.error.issues);
}
