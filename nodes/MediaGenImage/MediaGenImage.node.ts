import { NodeConnectionTypes } from 'n8n-workflow';
import type {
	IExecuteFunctions,
	INodeExecutionData,
	INodeType,
	INodeTypeDescription,
	IWebhookFunctions,
	IWebhookResponseData,
} from 'n8n-workflow';

import { mediaGenApiTest } from '../shared/api/credentialTest';
import { describeOperations, runOperation, subtitleOf } from '../shared/n8n/describe';
import { searchListed } from '../shared/n8n/openValue';
import { callbackWebhook } from '../shared/n8n/options';
import { taskOperations } from '../shared/tasks/operations';
import { resumeOnCallback } from '../shared/tasks/resume';
import { edit } from './operations/edit';
import { generate } from './operations/generate';
import { MODELS } from './operations/generate/fields';

const operations = [generate, edit, ...taskOperations('image')];

export class MediaGenImage implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'MediaGen Image',
		name: 'mediaGenImage',
		icon: { light: 'file:mediaGenImage.svg', dark: 'file:mediaGenImage.dark.svg' },
		group: ['transform'],
		version: 1,
		subtitle: subtitleOf(operations),
		description: 'Generate AI images: text to image, image to image, editing, and inpainting',
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

	methods = { credentialTest: { mediaGenApiTest }, listSearch: { searchModels: searchListed(MODELS) } };

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		return await runOperation(this, operations);
	}
}
