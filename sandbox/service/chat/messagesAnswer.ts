import type { ChatAnswer } from './chat';

const STOP = { end: 'end_turn', limit: 'max_tokens', tools: 'tool_use', refusal: 'refusal' } as const;

/**
 * The answer of `POST /v1/messages`. The spec shows `usage` and `stop_reason`; the rest is as in the interface it follows.
 * @param hasBreakdown whether writes are told apart by their lifetime
 */
export function messagesAnswer({ id, reply, usage }: ChatAnswer, model: string, hasBreakdown: boolean) {
	return {
		id,
		type: 'message',
		role: 'assistant',
		model,
		content: [
			...(reply.text ? [{ type: 'text', text: reply.text }] : []),
			...reply.toolCalls.map((call) => ({ type: 'tool_use', id: call.id, name: call.name, input: call.arguments })),
		],
		stop_reason: STOP[reply.stop],
		stop_sequence: null,
		usage: {
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
		},
	};
}
