/**
 * What this node uses of n8n's SDK for AI nodes, which comes with n8n 2.30 and newer. This package does not declare it as a dependency: a
 * package that does is hidden from the list of verified nodes on an older n8n.
 */
declare module '@n8n/ai-node-sdk' {
	import type { ISupplyDataFunctions, SupplyData } from 'n8n-workflow';

	/** A part of a message. There are more kinds than these. */
	export type MessageContent =
		| { type: 'text'; text: string }
		| {
				type: 'file';
				mediaType?: string;
				/** Base64 if it is text. */
				data?: string | Uint8Array;
				providerMetadata?: Record<string, unknown>;
		  }
		| {
				type: 'tool-call';
				toolCallId?: string;
				toolName: string;
				/** JSON. */
				input: string;
		  }
		| { type: 'tool-result'; toolCallId: string; result: unknown; isError?: boolean }
		| { type: 'provider'; value: Record<string, unknown> }
		| { type: 'reasoning' | 'citation' | 'invalid-tool-call' };

	export interface Message {
		role: 'system' | 'user' | 'assistant' | 'tool';
		content: MessageContent[];
		id?: string;
	}

	export interface FunctionTool {
		type: 'function';
		name: string;
		description?: string;
		inputSchema: unknown;
	}

	export type Tool = FunctionTool | { type: 'provider'; name: string };

	export interface TokenUsage {
		promptTokens: number;
		completionTokens: number;
		totalTokens: number;
		inputTokenDetails?: { cacheRead?: number };
	}

	export type FinishReason =
		'stop' | 'length' | 'content-filter' | 'tool-calls' | 'error' | 'other';

	export interface GenerateResult {
		id?: string;
		finishReason?: FinishReason;
		usage?: TokenUsage;
		message: Message;
	}

	export type StreamChunk =
		| { type: 'text-delta'; delta: string }
		| { type: 'tool-call-delta'; id?: string; name?: string; argumentsDelta?: string }
		| { type: 'finish'; finishReason: FinishReason; usage?: TokenUsage };

	/** What comes with one question: LangChain's call options. */
	export interface ChatModelConfig {
		signal?: AbortSignal;
		stop?: string[];
		tool_choice?: unknown;
	}

	export interface ChatModel {
		provider: string;
		modelId: string;
		generate(messages: Message[], config?: ChatModelConfig): Promise<GenerateResult>;
		stream(messages: Message[], config?: ChatModelConfig): AsyncIterable<StreamChunk>;
		withTools(tools: Tool[]): ChatModel;
	}

	export function supplyModel(context: ISupplyDataFunctions, model: ChatModel): SupplyData;

	export function getParametersJsonSchema(tool: FunctionTool): unknown;
}
