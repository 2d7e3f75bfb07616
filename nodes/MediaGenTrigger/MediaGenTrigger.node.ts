import { NodeConnectionTypes } from 'n8n-workflow';
import type {
	IExecuteFunctions,
	INodeExecutionData,
	INodeType,
	INodeTypeDescription,
	IWebhookFunctions,
	IWebhookResponseData,
} from 'n8n-workflow';

import { mediaGenApiTest } from '../shared/transport/credentialTest';
import { triggerFields } from './fields';
import { explainBaseAddress, handleCallback } from './handleCallback';
import { keyOf } from './seenTasks';
import { triggerMemory } from './triggerMemory';
import { BASE_ADDRESS, triggerWebhooks } from './webhooks';

export class MediaGenTrigger implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'MediaGen Trigger',
		name: 'mediaGenTrigger',
		icon: { light: 'file:mediaGenTrigger.svg', dark: 'file:mediaGenTrigger.dark.svg' },
		group: ['trigger'],
		version: 1,
		subtitle: '={{ "on " + $parameter["events"].join(", ") }}',
		description: 'Start a workflow when a task has ended, exactly once per task',
		defaults: { name: 'MediaGen Trigger' },
		eventTriggerDescription: 'Waiting for the service to call the test URL',
		inputs: [],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'mediaGenApi', required: false, testedBy: 'mediaGenApiTest' }],
		webhooks: triggerWebhooks,
		properties: triggerFields,
	};

	methods = { credentialTest: { mediaGenApiTest } };

	async webhook(this: IWebhookFunctions): Promise<IWebhookResponseData> {
		return this.getWebhookName() === BASE_ADDRESS ? explainBaseAddress(this) : await handleCallback(this);
	}

	/** The first thing that an execution runs: its sign that it has started, for whoever holds back the answer. */
	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		const items = this.getInputData();
		const memory = triggerMemory(this.getWorkflow().id ?? '', this.getNode().id);
		for (const { json } of items) {
			const taskId = json.taskId ?? json.id ?? json.task_id;
			if (typeof taskId === 'string') memory.confirm(keyOf(taskId));
		}
		return await Promise.resolve([items]);
	}
}
