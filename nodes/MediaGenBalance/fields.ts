import type { INodeProperties } from 'n8n-workflow';

/** n8n saves static data after production executions only. */
export const staticDataNotice: INodeProperties = {
	displayName:
		"The last run is kept in the workflow's static data. n8n saves it for executions that a trigger of an activated workflow starts, not for runs in the editor.",
	name: 'staticDataNotice',
	type: 'notice',
	default: '',
};
