import { chatModelField, maxTokens } from '../shared/n8n/chatFields';
import { choice, fieldsOf, inPanel } from '../shared/n8n/options';
import { isObject } from '../shared/util/json';
import { text } from '../shared/util/schema';
import { z } from '../shared/util/vendor/zod';

/** From the list or by ID, or as plain text. */
const modelName = z.preprocess((value) => (isObject(value) ? value.value : value), text());

export const modelFields = z.object({
	model: inPanel(modelName, chatModelField),
	caching: choice({
		displayName: 'Caching',
		choices: {
			off: ['Off', 'No cache markers are sent'],
			'5m': ['5 Minutes', 'Since the last question of the same agent'],
			'1h': ['1 Hour', 'Since the last question. Writing to the cache costs more.'],
		},
		default: '5m',
		description:
			'How long the service keeps the prompt of the agent, so that the next question reads it instead of paying for it again',
	}),
	maxTokens: maxTokens(4096, 'Maximum number of tokens of one answer'),
	apiStyle: choice({
		displayName: 'API Style',
		choices: {
			messages: ['Messages', 'POST /v1/messages'],
			completions: [
				'Chat Completions',
				'POST /v1/chat/completions. It caches results of tools one answer later.',
			],
		},
		default: 'messages',
		description: 'Which of the two chat endpoints of the service is used',
	}),
});

export type Fields = z.infer<typeof modelFields>;

export const fields = fieldsOf(modelFields.shape);
