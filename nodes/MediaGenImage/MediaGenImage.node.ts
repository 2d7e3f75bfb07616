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

const operations = [generate, ...taskOperations('image')];

export class MediaGenImage implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'MediaGen Image',
		name: 'mediaGenImage',
		icon: { light: 'file:mediaGenImage.svg', dark: 'file:mediaGenImage.dark.svg' },
		group: ['transform'],
		version: 1,
		subtitle: '={{ $parameter["operation"] + ": " + $parameter["resource"] }}',
		description: 'Generate images from text, from other images, or by repainting',
		defaults: { name: 'MediaGen Image' },
		usableAsTool: true,
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'mediaGenApi', required: true, testedBy: 'mediaGenApiTest' }],
		webhooks: callbackWebhook,
		properties: describeOperations(operations),
	};

	async webhook(this: IWebhookFunctions): Promise<IWebhookResponseData> {
		return await resumeOnCallback(this, 'image');
	}

	methods = { credentialTest: { mediaGenApiTest } };

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		return await runOperation(this, operations);
	}
}
