import { invalid } from '../core/errors';
import type { ChatBody } from './request';

type Message = ChatBody['messages'][number];

const isRecord = (value: unknown): value is Record<string, unknown> =>
	typeof value === 'object' && value !== null && !Array.isArray(value);

const hasMarker = (value: unknown) => isRecord(value) && Boolean(value.cache_control);

const blocksIn = ({ content }: Message): ReadonlyArray<Record<string, unknown>> =>
	Array.isArray(content) ? content : [];

/** Where a marker stands that enables nothing (cache rule 2); the tools of a messages request may have one. */
function misplacedMarker(body: ChatBody, style: 'messages' | 'completions'): string | undefined {
	if (hasMarker(body)) return 'the request';
	if (style === 'completions') {
		const tool = (body.tools ?? []).findIndex(
			(each) => hasMarker(each) || (isRecord(each) && hasMarker(each.function)),
		);
		if (tool >= 0) return `tools[${tool}]`;
	}
	const message = body.messages.findIndex(
		(each) => hasMarker(each) || (each.role === 'tool' && blocksIn(each).some(hasMarker)),
	);
	return message >= 0 ? `messages[${message}]` : undefined;
}

/** The ids of the tool calls that a message makes, and of those whose results it has. */
function callsOf(message: Message): { made: unknown[]; answered: unknown[] } {
	const blocks = blocksIn(message);
	const inBlocks = (type: string, id: string) =>
		blocks.filter((each) => each.type === type).map((each) => each[id]);
	const fields: Record<string, unknown> = message;
	return {
		made: [
			...inBlocks('tool_use', 'id'),
			...(message.tool_calls ?? []).map((call) => (isRecord(call) ? call.id : undefined)),
		],
		answered: [
			...inBlocks('tool_result', 'tool_use_id'),
			...(message.role === 'tool' ? [fields.tool_call_id] : []),
		],
	};
}

const listed = (ids: readonly unknown[]) => ids.map(String).join(', ');

/** Each tool call has its result next, and no result is without its call. */
function checkToolCalls(messages: readonly Message[]): void {
	let open: unknown[] = [];
	for (const [at, message] of messages.entries()) {
		const { made, answered } = callsOf(message);
		const strange = answered.filter((id) => !open.includes(id));
		if (strange.length > 0)
			throw invalid(`messages[${at}]: a result without its tool call: ${listed(strange)}`);
		open = open.filter((id) => !answered.includes(id));
		// In completions style each result is a message of its own.
		if (open.length > 0 && message.role !== 'tool')
			throw invalid(`messages[${at}]: tool calls without a result: ${listed(open)}`);
		open = [...open, ...made];
	}
	if (open.length > 0) throw invalid(`messages: tool calls without a result: ${listed(open)}`);
}

/** What the interfaces refuse that these endpoints follow. @throws ServiceError 400 */
export function checkStrictly(body: ChatBody, style: 'messages' | 'completions'): void {
	const misplaced = misplacedMarker(body, style);
	if (misplaced !== undefined)
		throw invalid(`cache_control: ${misplaced} has a marker outside a content block`);
	const empty = body.messages.findIndex((message) =>
		blocksIn(message).some(({ type, text }) => type === 'text' && text === ''),
	);
	if (empty >= 0) throw invalid(`messages[${empty}]: a text block is empty`);
	if (style === 'messages' && body.messages[0]?.role !== 'user')
		throw invalid('messages[0]: the first message must be of the user');
	checkToolCalls(body.messages);
}
