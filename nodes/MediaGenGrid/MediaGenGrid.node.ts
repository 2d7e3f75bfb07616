import { NodeConnectionTypes } from 'n8n-workflow';
import type {
	IExecuteFunctions,
	ILoadOptionsFunctions,
	INodeExecutionData,
	INodePropertyOptions,
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
import { loadButtons } from './buttons';
import { lowVariation } from './operations/lowVariation';
import { reroll } from './operations/reroll';
import { variation } from './operations/variation';

const operations = [variation, lowVariation, reroll, ...taskOperations('grid')];

export class MediaGenGrid implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'MediaGen Grid',
		name: 'mediaGenGrid',
		icon: { light: 'file:mediaGenGrid.svg', dark: 'file:mediaGenGrid.dark.svg' },
		group: ['transform'],
		version: 1,
		subtitle: '={{ $parameter["operation"] + ": " + $parameter["resource"] }}',
		description: 'Vary the pictures of a grid, or draw the whole grid anew',
		defaults: { name: 'MediaGen Grid' },
		usableAsTool: true,
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'mediaGenApi', required: true, testedBy: 'mediaGenApiTest' }],
		webhooks: callbackWebhook,
		properties: describeOperations(operations),
	};

	methods = {
		credentialTest: { mediaGenApiTest },
		loadOptions: {
			async getButtons(this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
				return await loadButtons(this);
			},
		},
	};

	async webhook(this: IWebhookFunctions): Promise<IWebhookResponseData> {
		return await resumeOnCallback(this, 'grid');
	}

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		return await runOperation(this, operations);
	}
}
