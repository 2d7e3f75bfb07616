import { unixSeconds } from '../core/time/clocks';
import {
	calledTools,
	completionsUsage,
	FINISH,
	messagesUsage,
	REFUSAL,
	STOP,
	type AnswerContext,
} from './answers';
import type { ChatAnswer } from './chat';

/** Pieces of a streamed text are about as long as a word, those of a tool's arguments as a few letters. */
const WORD = /\S+\s*|\s+/g;
const LETTERS = /[\s\S]{1,8}/g;

const event = (name: string, data: object) =>
	`event: ${name}\ndata: ${JSON.stringify({ type: name, ...data })}\n\n`;

/** The answer of `POST /v1/messages` as server-sent events, as in the interface that it follows. */
export function* messagesStream(answer: ChatAnswer, context: AnswerContext): Generator<string> {
	const { id, reply } = answer;
	const { output_tokens, ...input } = messagesUsage(answer, context);
	const message = { id, type: 'message', role: 'assistant', model: context.model, content: [] };
	const start = { ...message, stop_reason: null, stop_sequence: null };
	yield event('message_start', {
		message: { ...start, usage: { ...input, output_tokens: context.writer.number(1) } },
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
export function* completionsStream(
	answer: ChatAnswer,
	context: AnswerContext,
	withUsage: boolean,
): Generator<string> {
	const { id, reply } = answer;
	const chunk = (more: object) =>
		`data: ${JSON.stringify({ id, object: 'chat.completion.chunk', created: unixSeconds(context.now), model: context.model, ...more })}\n\n`;
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
	if (withUsage) yield chunk({ choices: [], usage: completionsUsage(answer, context) });
	yield 'data: [DONE]\n\n';
}
