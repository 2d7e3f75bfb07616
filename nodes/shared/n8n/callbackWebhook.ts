import type { IWebhookDescription } from 'n8n-workflow';

/**
 * The address at which a parked execution is resumed. It belongs to the execution, not to the workflow: nothing is
 * registered for it when a workflow is activated.
 */
export const callbackWebhook: IWebhookDescription[] = [
	{
		name: 'default',
		httpMethod: 'POST',
		path: 'callback',
		responseMode: 'onReceived',
		restartWebhook: true,
	},
];
