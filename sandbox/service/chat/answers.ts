import type { RecordWriter } from '../core/tasks/record';
import { unixSeconds } from '../core/time/clocks';
import type { ChatAnswer } from './chat';
import type { Reply } from './replies';

export const STOP = {
	end: 'end_turn',
	limit: 'max_tokens',
	tools: 'tool_use',
	refusal: 'refusal',
} as const;

/** What both styles need for an answer. */
export interface AnswerContext {
	model: string;
	/** Clock milliseconds. */
	now: number;
	/** Whether `usage` separates cache writes by their lifetime. */
	hasBreakdown: boolean;
	writer: RecordWriter;
}

/** The answer of `POST /v1/messages`. The spec shows `usage` and `stop_reason`; the rest is as in the interface it follows. */
export function messagesAnswer(answer: ChatAnswer, context: AnswerContext) {
	const { id, reply } = answer;
	const { model, writer } = context;
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
		usage: messagesUsage(answer, context),
	};
}

/** `usage` of a messages answer (spec, Chat usage objects). */
export function messagesUsage(
	{ reply, usage }: ChatAnswer,
	{ hasBreakdown, writer }: AnswerContext,
) {
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

export const FINISH = {
	end: 'stop',
	limit: 'length',
	tools: 'tool_calls',
	refusal: 'content_filter',
} as const;
export const REFUSAL = 'This was refused.';

/** The answer of `POST /v1/chat/completions`. The spec shows `usage` and `stop_reason`. */
export function completionsAnswer(answer: ChatAnswer, context: AnswerContext) {
	const { model, now, writer } = context;
	const { id, reply } = answer;
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
		usage: completionsUsage(answer, context),
	};
}

/** The tool calls of an answer in completions style. */
export function calledTools(reply: Reply) {
	return reply.toolCalls.map((call) => ({
		id: call.id,
		type: 'function',
		function: { name: call.name, arguments: JSON.stringify(call.arguments) },
	}));
}

/** `cache_write_tokens` "has a value only when no TTL breakdown exists" (spec, Chat usage objects). */
export function completionsUsage(
	{ reply, usage }: ChatAnswer,
	{ hasBreakdown, writer }: AnswerContext,
) {
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
