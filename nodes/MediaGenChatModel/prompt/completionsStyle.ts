import { COMPLETIONS, textBlock } from '../../shared/api/chat';
import type { FilePart, Part, Question, ToolChoice, Turn } from './question';
import { type Block, type ChatStyle, ifAny } from './style';

function fileBlock({ mediaType, name, source }: FilePart): Block {
	const url = 'url' in source ? source.url : `data:${mediaType};base64,${source.base64}`;
	if (mediaType.startsWith('image/')) return { type: 'image_url', image_url: { url } };
	return { type: 'file', file: { filename: name ?? 'attachment', file_data: url } };
}

function contentOf(part: Part): Block[] {
	if (part.type === 'text') return [textBlock(part.text)];
	if (part.type === 'file') return [fileBlock(part)];
	return part.type === 'raw' ? [{ ...part.block }] : [];
}

interface Message {
	role: 'system' | 'user' | 'assistant' | 'tool';
	/** A list of blocks, which can have markers. A tool's result is text, which can have none (spec §8). */
	content: Block[] | string | null;
	tool_calls?: Block[];
	tool_call_id?: string;
}

/** Each result of a tool is a message of its own in this style. */
function toMessages({ role, parts }: Turn): Message[] {
	const results = parts.flatMap((part): Message[] =>
		part.type === 'result' ? [{ role: 'tool', tool_call_id: part.id, content: part.text }] : [],
	);
	const calls = parts.flatMap((part): Block[] => {
		if (part.type !== 'call') return [];
		const { id, name, input } = part;
		return [{ id, type: 'function', function: { name, arguments: input } }];
	});
	const content = parts.flatMap(contentOf);
	if (calls.length === 0 && content.length === 0) return results;
	return [
		...results,
		{
			role: role === 'tool' ? 'user' : role,
			content: ifAny(content) ?? null,
			tool_calls: ifAny(calls),
		},
	];
}

function toToolChoice(choice: ToolChoice): unknown {
	if (choice.type === 'tool') return { type: 'function', function: { name: choice.name } };
	return choice.type === 'any' ? 'required' : choice.type;
}

function toPrompt({ system: texts, turns, tools, toolChoice, stop }: Question) {
	const system = texts.map((text) => textBlock(text));
	const messages: Message[] = [
		...(system.length > 0 ? [{ role: 'system' as const, content: system }] : []),
		...turns.flatMap(toMessages),
	];
	const offered = tools.map(({ name, description, parameters }) => ({
		type: 'function',
		function: { name, description, parameters },
	}));
	const blocksOf = (...roles: string[]) =>
		messages.flatMap(({ role, content }) =>
			roles.includes(role) && Array.isArray(content) ? content : [],
		);
	return {
		fields: {
			messages,
			tools: ifAny(offered),
			tool_choice: toolChoice && toToolChoice(toolChoice),
			stop: ifAny(stop),
		},
		ends: {
			lastSystem: system.at(-1),
			lastQuestion: blocksOf('user')
				.filter(({ type }) => type === 'text')
				.at(-1),
			last: blocksOf('user', 'assistant').at(-1),
		},
	};
}

export const completionsStyle: ChatStyle = {
	...COMPLETIONS,
	toPrompt,
	// Without the option a stream has no usage.
	streaming: { stream: true, stream_options: { include_usage: true } },
};
