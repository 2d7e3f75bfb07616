import type { IExecuteFunctions, INodeExecutionData, INodeType, INodeTypeDescription } from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';

import { mediaGenApiTest } from '../shared/api/credentialTest';
import { describeOperations, runOperation, subtitleOf } from '../shared/n8n/describe';
import { completion } from './operations/completion';
import { message } from './operations/message';
import { searchChatModels } from './prompt/models';

const operations = [message, completion];

export class MediaGenChatCache implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'MediaGen Chat Cache',
		name: 'mediaGenChatCache',
		icon: { light: 'file:mediaGenChatCache.svg', dark: 'file:mediaGenChatCache.dark.svg' },
		group: ['transform'],
		version: 1,
		subtitle: subtitleOf(operations),
		description: 'Ask an LLM many questions about one long text, with prompt caching',
		defaults: { name: 'MediaGen Chat Cache' },
		usableAsTool: true,
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'mediaGenApi', required: true, testedBy: 'mediaGenApiTest' }],
		properties: describeOperations(operations),
	};

	methods = { credentialTest: { mediaGenApiTest }, listSearch: { searchChatModels } };

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		return await runOperation(this, operations);
	}
}
