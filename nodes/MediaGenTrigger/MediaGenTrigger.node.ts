import { NodeConnectionTypes } from 'n8n-workflow';
import type {
	IExecuteFunctions,
	INodeExecutionData,
	INodeType,
	INodeTypeDescription,
	IWebhookFunctions,
	IWebhookResponseData,
} from 'n8n-workflow';

import { clock } from '../shared/util/clock';
import { mediaGenApiTest } from '../shared/api/credentialTest';
import { triggerFields } from './fields';
import { explainBaseAddress, handleCallback } from './handleCallback';
import { deliver, type Handover, readHandover } from './handover';
import { keyOf } from './seenTasks';
import { readSettings } from './settings';
import { readSeen, writeSeen } from './store';
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

	/** The first thing that an execution runs, and so the sign that it has begun, for whoever holds back the answer. */
	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		const items = this.getInputData();
		const tasks = items.map(readHandover).filter((task) => task !== undefined);
		// Whatever else is here was put in by hand: there is nothing to make of it.
		if (tasks.length < items.length) return [items];
		noteStarted(this, tasks);
		return [await deliver(this, tasks)];
	}
}

function noteStarted(context: IExecuteFunctions, tasks: readonly Handover[]): void {
	// A test, or somebody who runs an old execution again, is no callback.
	if (context.getMode() !== 'webhook') return;
	const memory = triggerMemory(context.getWorkflow().id ?? '', context.getNode().id);
	const foreign = tasks.filter(({ taskId }) => !memory.confirm(keyOf(taskId)));
	if (foreign.length === 0) {
		if (memory.isDueToStore('execution')) writeSeen(context, memory);
		return;
	}
	for (const { taskId } of foreign) memory.seen.note(keyOf(taskId), 'started', clock.now());
	// What n8n runs at its start, since an earlier process did not get to it, has the static data of that time: stored
	// now, it would undo all that came later.
	if (!foreign.some(({ storeStart }) => storeStart)) return;
	// A worker: only what it stores tells the processes that take the calls.
	memory.windowHours = readSettings({ options: context.getNodeParameter('options', 0, {}) }).dedupeWindow;
	readSeen(context, memory);
	writeSeen(context, memory);
}
