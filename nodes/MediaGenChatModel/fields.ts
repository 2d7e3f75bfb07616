import type { ISupplyDataFunctions } from 'n8n-workflow';

import { answerTimeout, chatModelField, maxTokens, priceOptions } from '../shared/n8n/chatFields';
import {
	additionalBodyFieldsField,
	buyingOptions,
	choice,
	commonOptions,
	fieldsOf,
	ifSet,
	inPanel,
	optionsField,
} from '../shared/n8n/options';
import { readAdditionalBody } from '../shared/n8n/parameters';
import { parseOptions } from '../shared/n8n/readOptions';
import { isObject } from '../shared/util/json';
import { number, text, toId } from '../shared/util/schema';
import { z } from '../shared/util/vendor/zod';

/** From the list or by ID, or as plain text. */
const modelName = z.preprocess((value) => toId(isObject(value) ? value.value : value), text());

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
				'POST /v1/chat/completions. It caches results of tools later.',
			],
		},
		default: 'messages',
		description: 'Which of the two chat endpoints of the service is used',
	}),
});

export type Fields = z.infer<typeof modelFields>;

/** Fields that the node makes from its own parameters, and from what the agent says. */
const OWN_FIELDS = ['model', 'max_tokens', 'system', 'messages', 'tools', 'stream'];

const { keepBalance, keepBalanceUnit, maxTasks } = buyingOptions;

const sampling = (displayName: string, description: string) =>
	ifSet(number(), {
		displayName,
		type: 'number',
		typeOptions: { numberPrecision: 2 },
		default: 1,
		description,
	});

const options = z.object({
	...priceOptions,
	cachedHistory: choice({
		displayName: 'Cached History',
		choices: {
			all: ['Everything', 'Up to the last result of a tool'],
			question: ['Up to the Question', 'Without results of tools'],
			none: [
				'System Prompt and Tools',
				'Nothing of the conversation, for a memory that drops its oldest turns',
			],
		},
		default: 'all',
		description: 'Which part of the conversation is cached, besides system prompt and tools',
	}),
	keepBalance,
	keepBalanceUnit,
	maxTasks: ifSet(maxTasks, {
		...maxTasks.field,
		description:
			'How many questions this node asks at most in one execution of the workflow: each step of an agent is one',
	}),
	reference: ifSet(commonOptions.reference, {
		...commonOptions.reference.field,
		description: 'Text of your own that comes back in the log of each answer',
	}),
	temperature: sampling(
		'Temperature',
		'How much the answers vary. Without it the service decides.',
	),
	timeout: answerTimeout('How long to wait for one answer, to its end'),
	topP: sampling(
		'Top P',
		'Share of the likely words to choose from. Without it the service decides.',
	),
});

/** How the model is asked: see the descriptions of the fields. Times in seconds, prices per million tokens. */
export type ModelOptions = z.infer<typeof options> & {
	additionalBodyFields: Record<string, unknown>;
};

export const fields = [
	...fieldsOf(modelFields.shape),
	optionsField([
		...fieldsOf(options.shape),
		{ ...additionalBodyFieldsField, placeholder: 'e.g. {"top_k": 5}' },
	]),
];

export function readModelOptions(context: ISupplyDataFunctions, itemIndex: number): ModelOptions {
	const given = context.getNodeParameter('options', itemIndex, {});
	return {
		...parseOptions(context, options, given),
		additionalBodyFields: readAdditionalBody(context, itemIndex, OWN_FIELDS),
	};
}
