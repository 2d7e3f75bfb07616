import type {
	ChatModel,
	ChatModelConfig,
	GenerateResult,
	Message,
	MessageContent,
	StreamChunk,
	Tool,
} from '@n8n/ai-node-sdk';
import type { ICredentialDataDecryptedObject, INodeType } from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';

import { MediaGenChatModel } from '../../../nodes/MediaGenChatModel/MediaGenChatModel.node';
import { runNode, type RunResult } from './engine';

export const text = (said: string): MessageContent => ({ type: 'text', text: said });
export const system = (said: string): Message => ({ role: 'system', content: [text(said)] });
export const user = (said: string, ...more: MessageContent[]): Message => ({
	role: 'user',
	content: [text(said), ...more],
});
export const assistant = (said: string): Message => ({ role: 'assistant', content: [text(said)] });

/** A call of a tool as n8n's agents send it back, and its result: n8n puts the id into the arguments, and leaves the text out. */
export const called = (id: string, toolName: string, input: object, result: string): Message[] => [
	{
		role: 'assistant',
		content: [
			{ type: 'tool-call', toolCallId: id, toolName, input: JSON.stringify({ ...input, id }) },
		],
	},
	{ role: 'tool', content: [{ type: 'tool-result', toolCallId: id, result }] },
];

/** Each style of a request, whole and streamed. */
export const STYLES = (['messages', 'completions'] as const).flatMap((apiStyle) =>
	[false, true].map((streams) => ({ apiStyle, streams })),
);

export const drawTool: Tool = {
	type: 'function',
	name: 'draw',
	description: 'Draws a picture',
	inputSchema: { type: 'object', properties: { what: { type: 'string' } } },
};

/** A root node that works with the model that it is supplied with, as an agent does. */
const asker = (work: (model: ChatModel) => Promise<void>): INodeType => ({
	description: {
		displayName: 'Asker',
		name: 'asker',
		group: ['transform'],
		version: 1,
		description: 'Asks the model of the test',
		defaults: { name: 'Asker' },
		inputs: [
			NodeConnectionTypes.Main,
			{ type: NodeConnectionTypes.AiLanguageModel, required: true, maxConnections: 1 },
		],
		outputs: [NodeConnectionTypes.Main],
		properties: [],
	},
	async execute() {
		const model = await this.getInputConnectionData(NodeConnectionTypes.AiLanguageModel, 0);
		await work(model as ChatModel);
		return [[{ json: {} }]];
	},
});

export interface ModelRun {
	credential: ICredentialDataDecryptedObject;
	parameters?: object;
	options?: object;
	/** How often the agent's node runs in this execution: it is supplied with a model each time. */
	rounds?: number;
	onStart?: (cancel: () => void) => void;
}

/** Runs work with a model, in n8n's engine. An expectation that fails in it fails the test: for the engine it is an error of a node. */
export async function withModel(
	{ credential, parameters, options = {}, rounds, onStart }: ModelRun,
	work: (model: ChatModel) => Promise<void>,
): Promise<RunResult> {
	let unmet: Error | undefined;
	const run = await runNode({
		node: asker(async (model) => {
			try {
				await work(model);
			} catch (error) {
				if (error instanceof Error && 'matcherResult' in error) unmet = error;
				throw error;
			}
		}),
		parameters: {},
		credential,
		rounds,
		onStart,
		model: {
			node: new MediaGenChatModel(),
			parameters: {
				model: { __rl: true, mode: 'id', value: 'vendor-chat-1' },
				caching: '5m',
				maxTokens: 500,
				apiStyle: 'messages',
				options: options as never,
				...parameters,
			},
		},
	});
	if (unmet) throw unmet;
	return run;
}

/** What came of a question: whole, or in chunks. */
export interface Asked {
	result: GenerateResult | undefined;
	chunks: StreamChunk[];
	error: RunResult['error'];
}

/** Asks one question. With `streams` the answer comes in chunks. */
export async function ask(
	run: ModelRun & { streams?: boolean; tools?: Tool[]; config?: ChatModelConfig },
	...messages: Message[]
): Promise<Asked> {
	const { streams = false, tools = [], config } = run;
	const chunks: StreamChunk[] = [];
	let result: GenerateResult | undefined;
	const { error } = await withModel(run, async (bare) => {
		const model = tools.length > 0 ? bare.withTools(tools) : bare;
		if (streams) for await (const chunk of model.stream(messages, config)) chunks.push(chunk);
		else result = await model.generate(messages, config);
	});
	return { result, chunks, error };
}

/** An answer in either form: its text, its tool calls, how it ended, and what it used. */
export function read({ result, chunks }: Asked) {
	if (result) {
		const { content } = result.message;
		return {
			text: content.map((part) => (part.type === 'text' ? part.text : '')).join(''),
			calls: content.flatMap((part) =>
				part.type === 'tool-call'
					? [{ id: part.toolCallId, name: part.toolName, input: part.input }]
					: [],
			),
			finishReason: result.finishReason,
			usage: result.usage,
		};
	}
	const finish = chunks.at(-1);
	return {
		text: chunks.map((chunk) => (chunk.type === 'text-delta' ? chunk.delta : '')).join(''),
		calls: chunks.flatMap((chunk) =>
			chunk.type === 'tool-call-delta'
				? [{ id: chunk.id, name: chunk.name, input: chunk.argumentsDelta }]
				: [],
		),
		...(finish?.type === 'finish'
			? { finishReason: finish.finishReason, usage: finish.usage }
			: { finishReason: undefined, usage: undefined }),
	};
}
