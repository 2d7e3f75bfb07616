import type {
	IExecuteFunctions,
	INodeExecutionData,
	INodeType,
	INodeTypeDescription,
	IWebhookFunctions,
	IWebhookResponseData,
} from 'n8n-workflow';
import { readTask } from './readTask';

const LONGEST_MS = 3_600_000;

/** The least that a pause costs on n8n if the task is read from the service before the execution goes on: n8n's Wait, and one request. */
export class MinimalWait implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Minimal Wait',
		name: 'minimalWait',
		group: ['organization'],
		version: 2,
		description: 'Pauses until a callback, and goes on with the record of its task',
		defaults: { name: 'Minimal Wait' },
		inputs: ['main'],
		outputs: ['main'],
		credentials: [{ name: 'mediaGenApi', required: true }],
		webhooks: [
			{
				name: 'default',
				httpMethod: 'POST',
				path: 'callback',
				responseMode: 'onReceived',
				restartWebhook: true,
			},
		],
		properties: [],
	};

	async webhook(this: IWebhookFunctions): Promise<IWebhookResponseData> {
		return { workflowData: [[{ json: await readTask(this) }]] };
	}

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		await this.putExecutionToWait(new Date(Date.now() + LONGEST_MS));
		return [this.getInputData()];
	}
}
