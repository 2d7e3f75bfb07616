import type * as AiNodeSdk from '@n8n/ai-node-sdk';
import type { INode } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import { asError } from '../../shared/api/errors';

export type Sdk = typeof AiNodeSdk;

/** Loads n8n's SDK only when a model is asked for: an n8n without it would drop the whole package. Throws a `NodeOperationError`. */
export async function loadSdk(node: INode): Promise<Sdk> {
	try {
		return await import('@n8n/ai-node-sdk');
	} catch (error) {
		throw new NodeOperationError(
			node,
			`MediaGen Chat Model needs n8n 2.30 or newer: this n8n has no SDK for AI nodes`,
			{
				description: `Update n8n. Until then use n8n's own OpenAI Chat Model with the service's address: it works, without the cache. The other MediaGen nodes work on this n8n too. (${asError(error).message.split('\n')[0]})`,
			},
		);
	}
}
