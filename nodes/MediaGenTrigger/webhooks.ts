import type { IWebhookDescription } from 'n8n-workflow';

export const BASE_ADDRESS = 'setup';

/**
 * Two addresses: the one that the service calls, and above it the base address that people give to the service. The
 * panel shows the base address alone, for the service adds `/callback` by itself (spec, Events 2). Nothing is
 * registered at the service: every submission names its own address.
 */
export const triggerWebhooks: IWebhookDescription[] = [
	{
		name: BASE_ADDRESS,
		httpMethod: 'GET',
		path: '',
		isFullPath: true,
		responseMode: 'onReceived',
		ndvHideMethod: true,
	},
	{
		name: 'default',
		httpMethod: 'POST',
		path: 'callback',
		responseMode: 'onReceived',
		ndvHideUrl: true,
	},
];
