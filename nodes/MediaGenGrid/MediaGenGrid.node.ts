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

import { mediaGenApiTest } from '../shared/api/credentialTest';
import { describeOperations, runOperation, subtitleOf } from '../shared/n8n/describe';
import { callbackWebhook } from '../shared/n8n/options';
import { taskOperations } from '../shared/tasks/operations';
import { resumeOnCallback } from '../shared/tasks/resume';
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
		subtitle: subtitleOf(operations),
		description: 'Make variations of a picture in a grid of four, or re-roll the whole grid',
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
