import type {
	IExecuteFunctions,
	INodeExecutionData,
	INodeType,
	INodeTypeDescription,
	IWebhookFunctions,
	IWebhookResponseData,
} from 'n8n-workflow';
import { readTask } from './readTask';

/** What expressions see of the execution. */
interface Execution {
	customData: { setAll(values: Record<string, string>): void };
}

/**
 * The least that a trigger costs on n8n if it reads the task from the service, stores that the execution has started, and states
 * the cost. It checks nothing, keeps no duplicate away, and answers before the execution runs.
 */
export class MinimalTrigger implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Minimal Trigger',
		name: 'minimalTrigger',
		group: ['trigger'],
		version: 2,
		description: 'Starts a workflow with the record of a task',
		defaults: { name: 'Minimal Trigger' },
		inputs: [],
		outputs: ['main'],
		credentials: [{ name: 'mediaGenApi', required: true }],
		webhooks: [
			{ name: 'default', httpMethod: 'POST', path: 'callback', responseMode: 'onReceived' },
		],
		properties: [],
	};

	async webhook(this: IWebhookFunctions): Promise<IWebhookResponseData> {
		return { workflowData: [[{ json: await readTask(this) }]] };
	}

	execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		this.getWorkflowStaticData('node').startedAt = Date.now();
		const execution: Execution = this.getWorkflowDataProxy(0).$execution;
		execution.customData.setAll({
			mediagen_tasks: '1',
			mediagen_cost: '0.04',
			mediagen_credits: '40',
			mediagen_unpriced: '0',
		});
		return Promise.resolve([this.getInputData()]);
	}
}
