import { NodeConnectionTypes } from 'n8n-workflow';
import type {
	IExecuteFunctions,
	INodeExecutionData,
	INodeType,
	INodeTypeDescription,
	IWebhookFunctions,
	IWebhookResponseData,
} from 'n8n-workflow';

import { callbackWebhook } from '../shared/n8n/callbackWebhook';
import { describeOperations, runOperation } from '../shared/n8n/describe';
import { resumeOnCallback } from '../shared/tasks/resume';
import { taskOperations } from '../shared/tasks/operations';
import { mediaGenApiTest } from '../shared/api/credentialTest';
import { generate } from './operations/generate';
import { remix } from './operations/remix';

const operations = [generate, remix, ...taskOperations('video')];

export class MediaGenVideo implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'MediaGen Video',
		name: 'mediaGenVideo',
		icon: { light: 'file:mediaGenVideo.svg', dark: 'file:mediaGenVideo.dark.svg' },
		group: ['transform'],
		version: 1,
		subtitle: '={{ $parameter["operation"] + ": " + $parameter["resource"] }}',
		description: 'Generate videos from text, images or other videos, and extend them',
		defaults: { name: 'MediaGen Video' },
		usableAsTool: true,
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'mediaGenApi', required: true, testedBy: 'mediaGenApiTest' }],
		webhooks: callbackWebhook,
		properties: describeOperations(operations),
	};

	methods = { credentialTest: { mediaGenApiTest } };

	async webhook(this: IWebhookFunctions): Promise<IWebhookResponseData> {
		return await resumeOnCallback(this, 'video');
	}

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		return await runOperation(this, operations);
	}
}
