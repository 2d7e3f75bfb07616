import { randomUUID } from 'crypto';

import {
	type AnswerEnd,
	answerIn,
	type ChatResponse,
	isCut,
	readReply,
} from '../../shared/api/chat';
import { isBlank, isObject, objectOf, objectsIn, parseJson } from '../../shared/util/json';

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

export class UnusableAnswer extends Error {
	constructor(
		message: string,
		readonly hint: string,
	) {
		super(message);
	}
}

type Parts = Pick<Answer, 'text' | 'stopReason' | 'usage'> & { calls: readonly unknown[] };

/** Whether a response has none of the parts of an answer. */
export const isUnread = ({ text, calls, stopReason, usage }: Parts) =>
	text === '' && calls.length === 0 && stopReason === null && usage === undefined;

const newId = () => `call_${randomUUID()}`;

/** n8n treats a call as done, and does not pass it on, if another call in the talk has the same ID: such a call gets a new ID. */
export function withOwnIds(calls: readonly ToolCall[], known: ReadonlySet<string>): ToolCall[] {
	const taken = new Set(known);
	return calls.map((call) => {
		const id = taken.has(call.id) ? newId() : call.id;
		taken.add(id);
		return { ...call, id };
	});
}

/** A tool call whose arguments are text, or an object, or missing. */
type GivenCall = Record<'id' | 'name' | 'input', unknown>;

/** The tool calls of an answer. Throws an `UnusableAnswer` for arguments that break off: the tool would run without the rest of them. */
export const toToolCalls = (calls: readonly GivenCall[], stopReason: string | null): ToolCall[] =>
	calls.map((call, at) => toToolCall(call, isCut({ stopReason }) && at === calls.length - 1));

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
					'Raise "Max Tokens".',
				)
			: new UnusableAnswer(
					`The arguments of a call of the tool "${name}" are not a JSON object`,
					'Ask again, or choose another model.',
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

/** Reads a whole response, of either style, bare or in `data`. Throws an `UnusableAnswer` for a tool call that breaks off. */
export function readAnswer(response: ChatResponse): Answer {
	const body = answerIn(response);
	const message = objectOf(objectsIn(body.choices)[0]?.message);
	const { text, stopReason, usage } = readReply(response);
	// Blocks in messages style, a field of the message in completions style.
	const inBlocks = [...objectsIn(body.content), ...objectsIn(message.content)]
		.filter(({ type }) => type === 'tool_use')
		.map(({ id, name, input }) => ({ id, name, input }));
	const inField = callsIn(message).map((call) => {
		const { name, arguments: input } = objectOf(call.function);
		return { id: call.id, name, input };
	});
	// The words of a refusal are in a field next to the text.
	const refusal = typeof message.refusal === 'string' ? message.refusal : '';
	return {
		id: typeof body.id === 'string' ? body.id : undefined,
		text: text === '' ? refusal : text,
		calls: toToolCalls([...inBlocks, ...inField], stopReason),
		stopReason,
		usage,
	};
}
