import { randomUUID } from 'crypto';

import {
	type AnswerEnd,
	answerIn,
	type ChatResponse,
	contentText,
	isCut,
	messageIn,
	readReply,
} from '../../shared/api/chat';
import { isBlank, isObject, objectOf, objectsIn, parseJson } from '../../shared/util/json';
import type { Turn } from '../prompt/question';

export interface ToolCall {
	id: string;
	name: string;
	/** Its arguments as JSON. */
	input: string;
}

export interface Answer extends AnswerEnd {
	id?: string;
	text: string;
	calls: ToolCall[];
	/** As received; `undefined` if there is none. */
	usage: Record<string, unknown> | undefined;
}

export const RAISE_MAX_TOKENS = 'Raise "Max Tokens".';

export const ASK_AGAIN = 'Ask again, or choose another model.';

export class UnusableAnswer extends Error {
	constructor(
		message: string,
		readonly hint: string,
	) {
		super(message);
	}
}

/** A tool call whose arguments are text, or an object, or missing. */
export type GivenCall = Record<'id' | 'name' | 'input', unknown>;

/** What came of an answer, before its tool calls are checked. */
export type AnswerParts = Omit<Answer, 'calls' | 'hasNoEnd'> & { calls: GivenCall[] };

/** Whether a response has none of the parts of an answer. */
export const isUnread = ({ text, calls, stopReason, usage }: AnswerParts) =>
	text === '' && calls.length === 0 && stopReason === null && usage === undefined;

const newId = () => `call_${randomUUID()}`;

/**
 * n8n treats a call as done, and does not pass it on, if another call in the talk has the same ID: such a call gets a new ID. One that the
 * answer holds twice, ID and all, is made once.
 */
export function withOwnIds(calls: readonly ToolCall[], turns: readonly Turn[]): ToolCall[] {
	const earlier = turns.flatMap(({ parts }) => parts);
	const taken = new Set(earlier.flatMap((part) => (part.type === 'call' ? part.id : [])));
	const once = new Map(calls.map((call) => [JSON.stringify(call), call]));
	return [...once.values()].map((call) => {
		const id = taken.has(call.id) ? newId() : call.id;
		taken.add(id);
		return { ...call, id };
	});
}

/** @param isLastOfCut whether the answer was cut after the call began: only arguments that are text show whether they are complete */
function toToolCall(call: GivenCall, isLastOfCut: boolean): ToolCall {
	const name = typeof call.name === 'string' ? call.name : '';
	const given = typeof call.input === 'string' ? call.input.trim() : (call.input ?? '');
	const isText = typeof given === 'string' && given !== '';
	const parsed = isText ? parseJson(given) : given;
	// Some services write no arguments as the text `null`.
	const input = parsed === '' || parsed === null ? {} : parsed;
	if (!isObject(input) || (isLastOfCut && !isText)) {
		throw isLastOfCut
			? new UnusableAnswer(
					`The answer was cut at "Max Tokens", in the middle of a call of the tool "${name}"`,
					RAISE_MAX_TOKENS,
				)
			: new UnusableAnswer(
					`The arguments of a call of the tool "${name}" are not a JSON object`,
					ASK_AGAIN,
				);
	}
	return {
		id: typeof call.id === 'string' && call.id !== '' ? call.id : newId(),
		name,
		input: JSON.stringify(input),
	};
}

/** The tool calls in a message of completions style, or in a part of one. Older services have one, in a field of its own. */
export function callsIn({ tool_calls: given, function_call: call }: Record<string, unknown>) {
	const calls = objectsIn(given);
	const isCall = Object.values(objectOf(call)).some((part) => !isBlank(part));
	return calls.length === 0 && isCall ? [{ function: call }] : calls;
}

/** The parts of a whole response, of either style, bare or in `data`. */
export function partsIn(response: ChatResponse): AnswerParts {
	const body = answerIn(response);
	const message = messageIn(body);
	const { text, stopReason, usage } = readReply(response);
	// Blocks in messages style, a field of the message in completions style.
	const inBlocks = [...objectsIn(body.content), ...objectsIn(message.content)]
		.filter(({ type }) => type === 'tool_use')
		.map(({ id, name, input, arguments: given }) => ({ id, name, input: input ?? given }));
	const inField = callsIn(message).map((call) => {
		const { name, arguments: input } = objectOf(call.function);
		return { id: call.id, name, input };
	});
	return {
		id: typeof body.id === 'string' ? body.id : undefined,
		// The words of a refusal are in a field next to the text.
		text: text === '' ? contentText(message.refusal) : text,
		calls: [...inBlocks, ...inField],
		stopReason,
		usage,
	};
}

/** Checks the tool calls. Throws an `UnusableAnswer` for arguments that break off: the tool would run without the rest of them. */
export function toAnswer(parts: AnswerParts): Answer {
	const cut = isCut(parts) ? parts.calls.at(-1) : undefined;
	return { ...parts, calls: parts.calls.map((call) => toToolCall(call, call === cut)) };
}
