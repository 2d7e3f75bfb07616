import type { INodeProperties } from 'n8n-workflow';

import type { Resource } from '../shared/n8n/describe';

export const balanceResource: Resource = { name: 'Balance', value: 'balance' };

export const simplifyField: INodeProperties = {
	displayName: 'Simplify',
	name: 'simplify',
	type: 'boolean',
	default: true,
	description: 'Whether to return a simplified version of the response instead of the raw data',
};
