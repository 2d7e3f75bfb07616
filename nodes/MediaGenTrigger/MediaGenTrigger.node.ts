import { NodeConnectionTypes } from 'n8n-workflow';
import type {
	IExecuteFunctions,
	INodeExecutionData,
	INodeType,
	IWebhookFunctions,
	IWebhookResponseData,
} from 'n8n-workflow';

import { mediaGenApiTest } from '../shared/api/credentialTest';
import { type NodeDescription, related } from '../shared/n8n/builderHint';
import { properties, webhooks } from './description';
import { taskOutput, triggerPayload } from './output';
import { receive } from './receive';
import { confirmStart } from './triggerState';

const SET_ADDRESS =
	'Set the Production URL as "Callback Base URL" in a MediaGen node: each task that it buys starts an execution when it has ended.';

export class MediaGenTrigger implements INodeType {
	description: NodeDescription = {
		displayName: 'MediaGen Trigger',
		name: 'mediaGenTrigger',
		icon: { light: 'file:mediaGenTrigger.svg', dark: 'file:mediaGenTrigger.dark.svg' },
		group: ['trigger'],
		// n8n 2.x evaluates an expression for each call of a webhook node of version 1.
		version: 2,
		defaultVersion: 2,
		subtitle: '={{ "on " + $parameter["events"].join(", ") }}',
		description: 'Start a workflow when the service calls back that a media task has ended',
		defaults: { name: 'MediaGen Trigger' },
		eventTriggerDescription: 'Waiting for the service to call the test URL',
		triggerPanel: {
			header: 'Tasks that have ended start this workflow',
			executionsHelp: {
				inactive: `Publish the workflow (on n8n 1.x: activate it). ${SET_ADDRESS}`,
				active: SET_ADDRESS,
			},
			activationHint: `Publish this workflow (on n8n 1.x: activate it). ${SET_ADDRESS}`,
		},
		builderHint: {
			searchHint:
				'Only for tasks that another workflow submits with waitMode "none" and the address of this trigger as options.callbackBaseUrl. Nodes that wait for their tasks need no trigger.',
			relatedNodes: [related('mediaGenImage', 'Submits tasks that end here')],
		},
		inputs: [],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'mediaGenApi', required: false, testedBy: 'mediaGenApiTest' }],
		webhooks,
		properties,
	};

	methods = { credentialTest: { mediaGenApiTest } };

	/** Handles a call from the service, before n8n starts an execution. */
	async webhook(this: IWebhookFunctions): Promise<IWebhookResponseData> {
		return await receive(this);
	}

	/** Runs first in the execution: confirms to the waiting call that it has started, and makes the output. */
	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		const items = this.getInputData();
		const [item, ...others] = items;
		const payload = triggerPayload.safeParse(item?.json).data;
		// Items that did not come from a call, such as pinned ones, pass as they are.
		if (!payload || others.length > 0) return [items];
		return [confirmStart(this, payload) ? await taskOutput(this, payload) : []];
	}
}
