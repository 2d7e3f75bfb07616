import type { ISupplyDataFunctions } from 'n8n-workflow';

import { answerTimeout, priceOptions } from '../shared/n8n/chatFields';
import {
	buyingOptions,
	choice,
	commonOptions,
	fieldsOf,
	ifSet,
	optionsField,
} from '../shared/n8n/options';
import { parseOptions } from '../shared/n8n/readOptions';
import { additionalBodyFieldsField, readAdditionalBody } from '../shared/n8n/parameters';
import { number } from '../shared/util/schema';
import { z } from '../shared/util/vendor/zod';

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

export const modelOptionsField = optionsField([
	...fieldsOf(options.shape),
	{ ...additionalBodyFieldsField, placeholder: 'e.g. {"top_k": 5}' },
]);

export function readModelOptions(context: ISupplyDataFunctions, itemIndex: number): ModelOptions {
	const given = context.getNodeParameter('options', itemIndex, {});
	return {
		...parseOptions(context, options, given),
		additionalBodyFields: readAdditionalBody(context, itemIndex, OWN_FIELDS),
	};
}
