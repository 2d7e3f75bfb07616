import type { ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';

import { openClient } from '../api/client';
import { listed, matchingValues, openValueField } from './fields';
import { asNodeError } from './nodeErrors';

export const chatModelField = openValueField({
	displayName: 'Model',
	name: 'model',
	required: true,
	searchListMethod: 'searchChatModels',
	placeholder: 'e.g. my-chat-model',
	description: 'A chat model of the service',
});

/** What to do about a 404 to a question. */
export const CHECK_MODEL = 'Check "Model", and the base URL in the MediaGen credential.';

const BY_ID = 'Choose By ID and enter the ID of a model.';

/** The list of "Model": what the service itself lists. Throws an n8n error that says how to continue without a list. */
export async function searchChatModels(
	this: ILoadOptionsFunctions,
	filter?: string,
): Promise<INodeListSearchResult> {
	try {
		const client = await openClient(this);
		const ids = await client.chat.models();
		return matchingValues(listed(ids.sort()), filter);
	} catch (error) {
		throw asNodeError(this.getNode(), error, { hint: BY_ID });
	}
}
