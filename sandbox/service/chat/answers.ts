import { unixSeconds } from '../core/time/clocks';
import type { ChatAnswer } from './chat';
import type { Reply } from './replies';

const STOP = {
	end: 'end_turn',
	limit: 'max_tokens',
	tools: 'tool_use',
	refusal: 'refusal',
} as const;

/** The answer of `POST /v1/messages`. The spec shows `usage` and `stop_reason`; the rest is as in the interface it follows. */
export function messagesAnswer(answer: ChatAnswer) {
	const { id, model, reply, writer } = answer;
	const isText = writer.dialect.chatContent === 'text' && reply.toolCalls.length === 0;
	return {
		id,
		type: 'message',
		role: 'assistant',
		model,
		content: isText
			? reply.text
			: [
					...(reply.text ? [{ type: 'text', text: reply.text }] : []),
					...reply.toolCalls.map((call) => ({
						type: 'tool_use',
						id: call.id,
						name: call.name,
						input: call.arguments,
					})),
				],
		stop_reason: STOP[reply.stop],
		stop_sequence: null,
		usage: messagesUsage(answer),
	};
}

/** `usage` of a messages answer (spec, Chat usage objects). */
function messagesUsage({ reply, usage, hasBreakdown, writer }: ChatAnswer) {
	return {
		input_tokens: writer.number(usage.plain),
		cache_creation_input_tokens: writer.number(usage.written5m + usage.written1h),
		cache_read_input_tokens: writer.number(usage.read),
		...(hasBreakdown
			? {
					cache_creation: {
						ephemeral_5m_input_tokens: writer.number(usage.written5m),
						ephemeral_1h_input_tokens: writer.number(usage.written1h),
					},
				}
			: {}),
		output_tokens: writer.number(reply.tokens),
	};
}

const FINISH = {
	end: 'stop',
	limit: 'length',
	tools: 'tool_calls',
	refusal: 'content_filter',
} as const;
const REFUSAL = 'This was refused.';

/** The answer of `POST /v1/chat/completions`. The spec shows `usage` and `stop_reason`. */
export function completionsAnswer(answer: ChatAnswer) {
	const { id, model, now, reply, writer } = answer;
	return {
		id,
		object: 'chat.completion',
		created: unixSeconds(now),
		model,
		choices: [
			{
				index: 0,
				message: {
					role: 'assistant',
					content:
						reply.text && writer.dialect.chatContent === 'blocks'
							? [{ type: 'text', text: reply.text }]
							: reply.text || null,
					refusal: reply.stop === 'refusal' ? REFUSAL : null,
					...(reply.toolCalls.length > 0 ? { tool_calls: calledTools(reply) } : {}),
				},
				logprobs: null,
				finish_reason: FINISH[reply.stop],
			},
		],
		stop_reason: STOP[reply.stop],
		usage: completionsUsage(answer),
	};
}

/** The tool calls of an answer in completions style. */
function calledTools(reply: Reply) {
	return reply.toolCalls.map((call) => ({
		id: call.id,
		type: 'function',
		function: { name: call.name, arguments: JSON.stringify(call.arguments) },
	}));
}

/** `cache_write_tokens` "has a value only when no TTL breakdown exists" (spec, Chat usage objects). */
function completionsUsage({ reply, usage, hasBreakdown, writer }: ChatAnswer) {
	const written = usage.written5m + usage.written1h;
	const prompt = usage.plain + usage.read + written;
	return writer.numbers({
		prompt_tokens: prompt,
		completion_tokens: reply.tokens,
		total_tokens: prompt + reply.tokens,
		prompt_tokens_details: {
			cached_tokens: usage.read,
			cache_write_tokens: hasBreakdown ? 0 : written,
		},
		...(hasBreakdown
			? {
					vendor_cache_creation_5_m_tokens: usage.written5m,
					vendor_cache_creation_1_h_tokens: usage.written1h,
				}
			: {}),
	});
}

/** Pieces of a streamed text are about as long as a word, those of a tool's arguments as a few letters. */
const WORD = /\S+\s*|\s+/g;
const LETTERS = /[\s\S]{1,8}/g;

const event = (name: string, data: object) =>
	`event: ${name}\ndata: ${JSON.stringify({ type: name, ...data })}\n\n`;

/** The answer of `POST /v1/messages` as server-sent events, as in the interface that it follows. */
export function* messagesStream(answer: ChatAnswer): Generator<string> {
	const { id, model, reply, writer } = answer;
	const { output_tokens, ...input } = messagesUsage(answer);
	const message = { id, type: 'message', role: 'assistant', model, content: [] };
	const start = { ...message, stop_reason: null, stop_sequence: null };
	yield event('message_start', {
		message: { ...start, usage: { ...input, output_tokens: writer.number(1) } },
	});
	yield event('ping', {});
	let index = 0;
	if (reply.text) {
		yield event('content_block_start', { index, content_block: { type: 'text', text: '' } });
		for (const text of reply.text.match(WORD) ?? [])
			yield event('content_block_delta', { index, delta: { type: 'text_delta', text } });
		yield event('content_block_stop', { index });
		index += 1;
	}
	for (const call of reply.toolCalls) {
		const { id: callId, name } = call;
		const block = { type: 'tool_use', id: callId, name, input: {} };
		yield event('content_block_start', { index, content_block: block });
		for (const partial_json of ['', ...(JSON.stringify(call.arguments).match(LETTERS) ?? [])])
			yield event('content_block_delta', {
				index,
				delta: { type: 'input_json_delta', partial_json },
			});
		yield event('content_block_stop', { index });
		index += 1;
	}
	yield event('message_delta', {
		delta: { stop_reason: STOP[reply.stop], stop_sequence: null },
		usage: { output_tokens },
	});
	yield event('message_stop', {});
}

/**
 * The answer of `POST /v1/chat/completions` as server-sent events, as in the interface that it follows. The arguments of several
 * tool calls come in turns.
 */
export function* completionsStream(answer: ChatAnswer, withUsage: boolean): Generator<string> {
	const { id, model, now, reply } = answer;
	const chunk = (more: object) =>
		`data: ${JSON.stringify({ id, object: 'chat.completion.chunk', created: unixSeconds(now), model, ...more })}\n\n`;
	const delta = (content: object, finish: string | null = null) =>
		chunk({ choices: [{ index: 0, delta: content, logprobs: null, finish_reason: finish }] });

	yield delta({ role: 'assistant', content: '' });
	for (const piece of reply.text.match(WORD) ?? []) yield delta({ content: piece });
	const calls = calledTools(reply);
	for (const [index, call] of calls.entries())
		yield delta({
			tool_calls: [{ index, ...call, function: { ...call.function, arguments: '' } }],
		});
	const pieces = calls.map((call) => call.function.arguments.match(LETTERS) ?? []);
	for (let at = 0; at < Math.max(0, ...pieces.map(({ length }) => length)); at += 1)
		for (const [index, own] of pieces.entries()) {
			const piece = own[at];
			if (piece !== undefined)
				yield delta({ tool_calls: [{ index, function: { arguments: piece } }] });
		}
	if (reply.stop === 'refusal') yield delta({ refusal: REFUSAL });
	yield delta({}, FINISH[reply.stop]);
	if (withUsage) yield chunk({ choices: [], usage: completionsUsage(answer) });
	yield 'data: [DONE]\n\n';
}
