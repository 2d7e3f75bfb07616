import type { RecordWriter } from '../core/tasks/record';
import type { ChatAnswer } from './chat';

const STOP = { end: 'end_turn', limit: 'max_tokens', tools: 'tool_use', refusal: 'refusal' } as const;

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
export function messagesAnswer({ id, reply, usage }: ChatAnswer, { model, hasBreakdown, writer }: AnswerContext) {
	const isText = writer.dialect.chatContent === 'text' && reply.toolCalls.length === 0;
	return {
		id,
		type: 'message',
		role: 'assistant',
		model,
		content: isText ? reply.text : [
			...(reply.text ? [{ type: 'text', text: reply.text }] : []),
			...reply.toolCalls.map((call) => ({ type: 'tool_use', id: call.id, name: call.name, input: call.arguments })),
		],
		stop_reason: STOP[reply.stop],
		stop_sequence: null,
		usage: writer.numbers({
			input_tokens: usage.plain,
			cache_creation_input_tokens: usage.written5m + usage.written1h,
			cache_read_input_tokens: usage.read,
			...(hasBreakdown
				? {
						cache_creation: {
							ephemeral_5m_input_tokens: usage.written5m,
							ephemeral_1h_input_tokens: usage.written1h,
						},
					}
				: {}),
			output_tokens: reply.tokens,
		}),
	};
}
