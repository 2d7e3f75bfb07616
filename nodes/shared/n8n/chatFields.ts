import type { ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';

import { openClient } from '../api/client';
import { integer, number } from '../util/schema';
import { listed, matchingValues, openValueField } from './fields';
import { asNodeError } from './nodeErrors';
import { inPanel, numberIfSet, presetNumber } from './options';

export const chatModelField = openValueField({
	displayName: 'Model',
	name: 'model',
	required: true,
	searchListMethod: 'searchChatModels',
	placeholder: 'e.g. my-chat-model',
	description: 'A chat model of the service',
});

export const CHECK_MODEL = 'Check "Model", and the base URL in the MediaGen credential.';

/** Milliseconds for a list in the editor, where somebody waits. */
const LIST_WITHIN_MS = 15_000;

/** The list of "Model": what the service itself lists. Throws an n8n error that says how to continue without a list. */
export async function searchChatModels(
	this: ILoadOptionsFunctions,
	filter?: string,
): Promise<INodeListSearchResult> {
	try {
		const client = await openClient(this);
		const ids = await client.chat.models(LIST_WITHIN_MS);
		return matchingValues(listed(ids.sort()), filter);
	} catch (error) {
		throw asNodeError(this.getNode(), error, { hint: 'Choose By ID and enter the ID of a model.' });
	}
}

export const maxTokens = (preset: number, description: string) =>
	inPanel(integer(1), {
		displayName: 'Max Tokens',
		type: 'number',
		typeOptions: { minValue: 1 },
		required: true,
		default: preset,
		description,
	});

export const answerTimeout = (description: string) =>
	presetNumber(number, [1], { displayName: 'Timeout (Seconds)', default: 300, description });

const price = (displayName: string, of: string) =>
	numberIfSet(number, [0], {
		displayName,
		typeOptions: { numberPrecision: 6 },
		default: 0,
		description: `Price of a million ${of}, in any currency. With the prices of everything that was used, the output has an estimated cost.`,
	});

/** Options for the user's prices: see `ChatPrices`. */
export const priceOptions = {
	priceCacheRead: price('Price of Cache Reads', 'input tokens that were read from the cache'),
	priceCacheWrite1h: price(
		'Price of Cache Writes (1 Hour)',
		'input tokens that were written to the cache for an hour',
	),
	priceCacheWrite5m: price(
		'Price of Cache Writes (5 Minutes)',
		'input tokens that were written to the cache for five minutes',
	),
	priceInput: price('Price of Input', 'plain input tokens'),
	priceOutput: price('Price of Output', 'output tokens'),
};
