import type { Message, MessageContent } from '@n8n/ai-node-sdk';

import { isObject, textOrJson } from '../../shared/util/json';

/** A picture or a document: its bytes in base64, or its address. */
export interface FilePart {
	type: 'file';
	mediaType: string;
	name?: string;
	source: { base64: string } | { url: string };
}

export type Part =
	| { type: 'text'; text: string }
	| FilePart
	/** `input` is JSON, as it was written when the call was made. */
	| { type: 'call'; id: string; name: string; input: string }
	| { type: 'result'; id: string; text: string; isError: boolean }
	/** A block of the service's own, sent as it is. */
	| { type: 'raw'; block: Record<string, unknown> };

export interface Turn {
	role: 'user' | 'assistant' | 'tool';
	parts: Part[];
}

export interface OfferedTool {
	name: string;
	description: string;
	/** JSON schema of its parameters. */
	parameters: unknown;
}

/** Whether a tool must be called, and which, as messages style has it. */
export type ToolChoice = { type: 'auto' | 'any' | 'none' } | { type: 'tool'; name: string };

export interface Question {
	system: string[];
	turns: Turn[];
	tools: readonly OfferedTool[];
	/** Only with tools. */
	toolChoice: ToolChoice | undefined;
	stop: readonly string[];
}

/** A tool's result: n8n gives text, other agents a list of parts. */
function resultText(result: unknown): string {
	if (!Array.isArray(result)) return textOrJson(result);
	return result
		.map((part: unknown) =>
			isObject(part) && typeof part.text === 'string' ? part.text : textOrJson(part),
		)
		.join('\n');
}

function filePart({
	mediaType,
	data,
	providerMetadata: { url, filename } = {},
}: MessageContent & { type: 'file' }): Part[] {
	const name = typeof filename === 'string' ? { name: filename } : {};
	const type = mediaType ?? 'application/octet-stream';
	if (typeof url === 'string') return [{ type: 'file', mediaType: type, ...name, source: { url } }];
	if (data === undefined) return [];
	const base64 = typeof data === 'string' ? data : Buffer.from(data).toString('base64');
	return [{ type: 'file', mediaType: type, ...name, source: { base64 } }];
}

function partsOf(content: MessageContent): Part[] {
	switch (content.type) {
		case 'text':
			// Both endpoints refuse an empty text, and one of blanks only.
			return content.text.trim() === '' ? [] : [{ type: 'text', text: content.text }];
		case 'file':
			return filePart(content);
		case 'tool-call': {
			const { toolCallId: id = '', toolName: name, input } = content;
			return [{ type: 'call', id, name, input }];
		}
		case 'tool-result': {
			const { toolCallId: id, result, isError = false } = content;
			return [{ type: 'result', id, text: resultText(result), isError }];
		}
		case 'provider':
			return [{ type: 'raw', block: content.value }];
		case 'reasoning':
		case 'citation':
		case 'invalid-tool-call':
			return [];
	}
}

/** Reads an agent's messages. What changes from call to call, such as their ids, is left out. */
export function readMessages(messages: readonly Message[]): Pick<Question, 'system' | 'turns'> {
	const system: string[] = [];
	const turns: Turn[] = [];
	for (const { role, content } of messages) {
		const parts = content.flatMap(partsOf);
		if (role === 'system')
			system.push(...parts.flatMap((part) => (part.type === 'text' ? part.text : [])));
		else if (parts.length > 0) turns.push({ role, parts });
	}
	return { system, turns };
}

/** Reads a choice in LangChain's words: `auto`, `any`, `none`, or a tool's name. */
export function readToolChoice(choice: unknown): ToolChoice | undefined {
	if (typeof choice !== 'string' || choice === '') return undefined;
	if (choice === 'auto' || choice === 'any' || choice === 'none') return { type: choice };
	return choice === 'required' ? { type: 'any' } : { type: 'tool', name: choice };
}
