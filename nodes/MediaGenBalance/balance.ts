import type { IExecuteFunctions, INodeProperties } from 'n8n-workflow';

import { openClient } from '../shared/api/client';
import { type BalanceRecord, remainingFields } from '../shared/api/balance';
import { RateLimitError } from '../shared/api/errors';
import type { Resource } from '../shared/n8n/describe';
import { asNodeError, endpointHint } from '../shared/n8n/nodeErrors';
import { camelCased } from '../shared/util/names';

export const balanceResource: Resource = { name: 'Balance', value: 'balance' };

/** n8n saves static data after production executions only. */
export const staticDataNotice: INodeProperties = {
	displayName:
		"The node remembers its last run only in executions that a trigger of an activated workflow starts, not in the editor: n8n saves the workflow's static data only then.",
	name: 'staticDataNotice',
	type: 'notice',
	default: '',
};

/** The balance of the node's key (spec §1). Throws a `NodeApiError` where the service refuses it, which it may do with HTTP 200. */
export async function retrieveBalance(context: IExecuteFunctions): Promise<BalanceRecord> {
	try {
		const client = await openClient(context, context.getExecutionCancelSignal());
		return await client.balance.retrieve();
	} catch (error) {
		// The node has no options, so not the one that the usual hint names.
		const hint = error instanceof RateLimitError ? 'Run the node again later.' : undefined;
		throw asNodeError(context.getNode(), error, { hint: hint ?? endpointHint(error) });
	}
}

export function toBalance(record: BalanceRecord) {
	const { raw: _raw, ...fields } = record;
	return { ...camelCased(fields), ...remainingFields(record) };
}
