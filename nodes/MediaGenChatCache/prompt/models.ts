import type { ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';

import { createClient } from '../../shared/api/client';
import { getConnection } from '../../shared/api/connection';
import { asNodeError } from '../../shared/n8n/nodeErrors';
import { matchingValues } from '../../shared/n8n/fields';

const BY_ID = 'Choose By ID and enter the ID of a model.';

/** The list of "Model": what the service itself lists. Throws an n8n error that says how to continue without a list. */
export async function searchChatModels(
	this: ILoadOptionsFunctions,
	filter?: string,
): Promise<INodeListSearchResult> {
	try {
		const ids = await createClient(this, await getConnection(this)).chat.models();
		return matchingValues(
			ids.sort().map((id) => ({ name: id, value: id })),
			filter,
		);
	} catch (error) {
		throw asNodeError(this.getNode(), error, { hint: BY_ID });
	}
}
