import type { IExecuteFunctions, INodeType, ISupplyDataFunctions, SupplyData } from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';

import { openClient } from '../shared/api/client';
import { mediaGenApiTest } from '../shared/api/credentialTest';
import { type NodeDescription, related } from '../shared/n8n/builderHint';
import { searchChatModels } from '../shared/n8n/chatFields';
import { asNodeError } from '../shared/n8n/nodeErrors';
import { parseParameters } from '../shared/n8n/parameters';
import { SpendingGuard } from '../shared/purchase/spendingGuard';
import { isObject } from '../shared/util/json';
import { z } from '../shared/util/vendor/zod';
import { fields, modelFields, readModelOptions } from './fields';
import { MediaGenModel } from './model';
import { completionsStyle } from './prompt/completionsStyle';
import { messagesStyle } from './prompt/messagesStyle';
import { asSubNodeError, Purchases } from './purchases';
import { completeAdapter, Receipts } from './sdk/adapter';
import { loadSdk } from './sdk/load';
import { memoryOf } from './warnings';

const STYLES = { messages: messagesStyle, completions: completionsStyle };

/** Where the spending guard counts, in all steps of an agent. n8n's types do not show that sub-nodes have `getContext` too. */
const countingContext = z.custom<
	Pick<IExecuteFunctions, 'getContext' | 'getNode' | 'continueOnFail'>
>((context) => isObject(context) && typeof context.getContext === 'function');

/** Makes the model for one run of an agent. Throws a node error that names the field. */
async function supply(context: ISupplyDataFunctions, itemIndex: number): Promise<SupplyData> {
	const node = context.getNode();
	const sdk = await loadSdk(node);
	const given = parseParameters({ context, fields, itemIndex }, modelFields);
	const options = readModelOptions(context, itemIndex);
	const signal = context.getExecutionCancelSignal();
	const client = await openClient(context, signal);
	const rules = { ...options, maxTasksReached: 'fail' } as const;
	const memory = memoryOf(`${context.getWorkflow().id ?? ''}/${node.id}`);
	const receipts = new Receipts();
	const model = new MediaGenModel({
		sdk,
		fields: given,
		options,
		style: STYLES[given.apiStyle],
		client,
		purchases: new Purchases(
			context,
			new SpendingGuard(countingContext.parse(context), rules, client),
		),
		signal,
		memory,
		receipts,
		warn: (warnings) => {
			for (const warning of memory.notYetSaid(warnings))
				context.logger.warn(`MediaGen: "${node.name}": ${warning}`);
		},
	});
	const supplied = sdk.supplyModel(context, model);
	completeAdapter(supplied.response, receipts);
	return supplied;
}

export class MediaGenChatModel implements INodeType {
	description: NodeDescription = {
		displayName: 'MediaGen Chat Model',
		name: 'mediaGenChatModel',
		icon: { light: 'file:mediaGenChatModel.svg', dark: 'file:mediaGenChatModel.dark.svg' },
		group: ['transform'],
		version: 1,
		subtitle: '={{ $parameter["model"].value || $parameter["model"] }}',
		description:
			'Chat model for AI agents, with prompt caching and with its cost in the log. Needs n8n 2.30 or newer.',
		defaults: { name: 'MediaGen Chat Model' },
		builderHint: {
			searchHint:
				'Chat model of an AI Agent for the MediaGen service, with prompt caching. Put no date and no random value into the system prompt of the agent: nothing would be read from the cache.',
			relatedNodes: [related('mediaGenImageTool', 'Makes pictures as a tool of the agent')],
		},
		inputs: [],
		outputs: [NodeConnectionTypes.AiLanguageModel],
		outputNames: ['Model'],
		credentials: [{ name: 'mediaGenApi', required: true, testedBy: 'mediaGenApiTest' }],
		properties: fields,
	};

	methods = { credentialTest: { mediaGenApiTest }, listSearch: { searchChatModels } };

	async supplyData(this: ISupplyDataFunctions, itemIndex: number): Promise<SupplyData> {
		try {
			return await supply(this, itemIndex);
		} catch (error) {
			throw asSubNodeError(asNodeError(this.getNode(), error));
		}
	}
}
