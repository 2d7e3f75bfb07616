import { alternating, MESSAGES, textBlock } from '../../shared/api/chat';
import { objectOf, parseJson } from '../../shared/util/json';
import type { FilePart, Part, Question, Turn } from './question';
import { type Block, type ChatStyle, ifAny } from './style';

function fileBlock({ mediaType, source }: FilePart): Block {
	const type = mediaType.startsWith('image/') ? 'image' : 'document';
	const from =
		'url' in source
			? { type: 'url', url: source.url }
			: { type: 'base64', media_type: mediaType, data: source.base64 };
	return { type, source: from };
}

function toBlock(part: Part): Block {
	switch (part.type) {
		case 'text':
			return textBlock(part.text);
		case 'file':
			return fileBlock(part);
		case 'call': {
			const { id, name, input } = part;
			return { type: 'tool_use', id, name, input: objectOf(parseJson(input)) };
		}
		case 'result': {
			const { id, text: content, isError } = part;
			const error = isError ? { is_error: true } : {};
			return { type: 'tool_result', tool_use_id: id, content, ...error };
		}
		case 'raw':
			return { ...part.block };
	}
}

/** What comes first where the talk begins with an answer, after a memory has dropped the question: the first turn must be the user's. */
const DROPPED: Turn = { role: 'user', parts: [{ type: 'text', text: 'The talk began earlier.' }] };

/** Results of tools are the user's turns in this style. */
function toMessages(turns: readonly Turn[]) {
	const whole = turns[0]?.role === 'assistant' ? [DROPPED, ...turns] : turns;
	return alternating(
		whole.map(({ role, parts }) => ({
			role: role === 'assistant' ? role : 'user',
			content: parts.map(toBlock),
		})),
	);
}

function toPrompt({ system: texts, turns, tools, toolChoice, stop }: Question) {
	const offered: Block[] = tools.map(({ name, description, parameters }) => ({
		name,
		description,
		input_schema: parameters,
	}));
	const system = texts.map((text) => textBlock(text));
	const messages = toMessages(turns);
	const blocks = messages.flatMap(({ content }) => content);
	const ofUser = messages.flatMap(({ role, content }) => (role === 'user' ? content : []));
	return {
		fields: {
			system: ifAny(system),
			tools: ifAny(offered),
			tool_choice: toolChoice,
			messages,
			stop_sequences: ifAny(stop),
		},
		ends: {
			lastTool: offered.at(-1),
			lastSystem: system.at(-1),
			lastQuestion: ofUser.filter(({ type }) => type === 'text').at(-1),
			last: blocks.at(-1),
		},
	};
}

export const messagesStyle: ChatStyle = { ...MESSAGES, toPrompt, streaming: { stream: true } };
