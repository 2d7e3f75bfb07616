import type { INodeType } from 'n8n-workflow';

import { searchChatModels } from '../shared/n8n/chatFields';
import { asTool, type NodeDescription, related } from '../shared/n8n/builderHint';
import { describeNode, subtitleOf } from '../shared/n8n/describe';
import { executeOf } from '../shared/n8n/failedItems';
import { completion } from './operations/completion';
import { message } from './operations/message';

const operations = [message, completion];

export class MediaGenChatCache implements INodeType {
	description: NodeDescription = {
		...describeNode('MediaGen Chat Cache', operations),
		name: 'mediaGenChatCache',
		icon: { light: 'file:mediaGenChatCache.svg', dark: 'file:mediaGenChatCache.dark.svg' },
		subtitle: subtitleOf(operations),
		description: 'Ask an LLM many questions about one long text, with prompt caching',
		usableAsTool: asTool('Answers a question about a long text. Every call costs money.'),
		builderHint: {
			searchHint:
				'For many questions about one long text: set the text once as a cached block and give the questions as input items, without a loop. It is not a chat model for an AI Agent.',
			relatedNodes: [related('mediaGenChatCacheTool', 'The same as a tool of an AI Agent')],
		},
	};

	methods = { listSearch: { searchChatModels } };

	execute = executeOf(operations);
}
