import { clock } from '../util/clock';
import { isBlank, isObject, objectOf, objectsIn, parseJson, toJson, toText } from '../util/json';
import type { UsageStyle } from './chatUsage';
import { errorInBody, RateLimitError, unreadableResponse } from './errors';
import { enveloped } from './records';

/** Chat with a cached prefix (spec §8 and Chat usage objects). Paths and header names are in the spec's words. */
export interface ChatEndpoint {
	path: string;
	headers: Readonly<Record<string, string>>;
	usage: UsageStyle;
}

/** Messages style, with the version that it requires (spec, Versioning). The credential sends its key as `x-api-key` there. */
export const MESSAGES: ChatEndpoint = {
	path: '/v1/messages',
	headers: { 'vendor-version': '2023-06-01' },
	usage: 'messages',
};

export const COMPLETIONS: ChatEndpoint = {
	path: '/v1/chat/completions',
	headers: {},
	usage: 'completions',
};

/** The list of models. Services of this kind have it; the spec does not show it, so a service may lack it. */
export const MODELS_PATH = '/v1/models';

/** The ids in a list of models, or of their names, bare or in `data`; `undefined` for any other answer. */
export function readModels(answer: unknown): string[] | undefined {
	const { data } = objectOf(answer);
	const list = [answer, data, objectOf(data).data].find(Array.isArray);
	const ids = list?.flatMap((model: unknown) => toText(isObject(model) ? model.id : model) ?? []);
	return ids?.length === 0 && list?.length !== 0 ? undefined : ids;
}

/** Required for a prefix with a lifetime of an hour, on either endpoint (cache rule 1). */
const HOUR_CACHE_HEADER = { 'vendor-beta': 'extended-cache-ttl-2025-04-11' } as const;

/** How long a cached prefix lives after it was last read (cache rules 1 and 7). */
export const CACHE_TTLS = ['5m', '1h'] as const;

export const CHAT_ROLES = ['system', 'user', 'assistant'] as const;

export type ChatRole = (typeof CHAT_ROLES)[number];

/** How many markers chat services of this kind accept in one request. The spec shows no number, so more are sent with a warning. */
export const USUAL_CACHE_MARKERS = 4;

/** Tokens below which the service may ignore the marker of a prefix (cache rule 4). */
export const MIN_PREFIX_TOKENS = 1_024;

/** A marker. Without a `ttl` the service uses `5m` (cache rule 1). */
export const cacheControl = (ttl: string) =>
	ttl === '5m' ? { type: 'ephemeral' } : { type: 'ephemeral', ttl };

/** A content block. The marker stands inside it: beside a content that is a plain string it has no effect (cache rule 2). */
export function textBlock(text: string, ttl?: string) {
	return { type: 'text', text, ...(ttl === undefined ? {} : { cache_control: cacheControl(ttl) }) };
}

/** Adds each turn's blocks to the turn before it where both have the same role: roles must alternate. */
export function alternating<Role extends string, Block>(
	given: ReadonlyArray<{ role: Role; content: readonly Block[] }>,
) {
	const turns: Array<{ role: Role; content: Block[] }> = [];
	for (const { role, content } of given) {
		const last = turns.at(-1);
		if (last?.role === role) last.content.push(...content);
		else turns.push({ role, content: [...content] });
	}
	return turns;
}

/** The lifetimes of all cache markers at any depth of a value; `undefined` for one that names none. */
export function markersIn(value: unknown): unknown[] {
	if (Array.isArray(value)) return value.flatMap(markersIn);
	if (!isObject(value)) return [];
	return Object.entries(value).flatMap(([name, inner]) =>
		name === 'cache_control' && isObject(inner) ? [inner.ttl] : markersIn(inner),
	);
}

/** The request of a question that is asked now. A marker of one hour requires a header (cache rule 1). */
export function chatRequest(
	{ path, headers }: ChatEndpoint,
	body: Readonly<Record<string, unknown>>,
	timeoutMs: number,
) {
	const hourCache = markersIn(body).includes('1h') ? HOUR_CACHE_HEADER : {};
	const limits = { timeoutMs, deadline: clock.now() + timeoutMs };
	return { path, headers: { ...headers, ...hourCache }, body: toJson(body), ...limits };
}

/** A response of either endpoint, as received: any JSON object. It was paid for, whatever it holds. */
export type ChatResponse = Record<string, unknown>;

const firstOf = (value: unknown): unknown => (Array.isArray(value) ? value[0] : value);

function blockText(block: unknown): string {
	const text = isObject(block) ? block.text : block;
	return typeof text === 'string' ? text : '';
}

/** Text of a content: a string, a block, or a list of blocks, some of which hold text. */
export const contentText = (content: unknown) =>
	Array.isArray(content) ? content.map(blockText).join('') : blockText(content);

/** The answer in a response, bare or in `data`. */
export const answerIn = (response: ChatResponse): Record<string, unknown> => ({
	...response,
	...enveloped(response),
});

/** The message of completions style. Some services have it in the field of a stream's chunk. */
export function messageIn({ choices }: Record<string, unknown>): Record<string, unknown> {
	const { message, delta } = objectOf(Array.isArray(choices) ? objectsIn(choices)[0] : choices);
	return objectOf(message ?? delta);
}

/**
 * Reads a response of either style. The spec shows `usage` and `stop_reason` only: the text is searched in `content` and in the
 * first of `choices`, the stop reason also in that choice, and all of them also in `data`.
 */
export function readReply(response: ChatResponse) {
	const body = answerIn(response);
	const choice = objectOf(firstOf(body.choices));
	const texts = [body.content, messageIn(body).content, choice.text, body.text].map(contentText);
	const stopReasons = [body.stop_reason, choice.stop_reason, choice.finish_reason];
	return {
		/** Empty where no text was found. */
		text: texts.find((text) => text !== '') ?? '',
		stopReason: stopReasons.find((reason) => typeof reason === 'string') ?? null,
		usage: isObject(body.usage) ? body.usage : undefined,
	};
}

const isFilled = (value: unknown) =>
	typeof value === 'object' &&
	value !== null &&
	Object.values(value).some((inner) => !isBlank(inner));

/** Whether a response holds more than the text: a tool call, a picture, a source, or a second answer after an additional field `n`. */
export function holdsMore(response: ChatResponse): boolean {
	const answer = answerIn(response);
	const { content, choices } = answer;
	const { content: inMessage, ...beside } = messageIn(answer);
	return (
		(Array.isArray(choices) && choices.length > 1) ||
		Object.values(beside).some(isFilled) ||
		[...objectsIn(content), ...objectsIn(inMessage)].some(
			(block) => typeof block.text !== 'string' || Object.values(block).some(isFilled),
		)
	);
}

export interface AnswerEnd {
	stopReason: string | null;
	/** Whether it came in events, none of which gave a reason for the end. */
	hasNoEnd?: boolean;
}

/** The stop reasons of both styles, as services write them, in any case. */
const STOP_REASONS = {
	/** At "Max Tokens". */
	cut: ['max_tokens', 'max_output_tokens', 'length'],
	/** The model refused to answer (cache rule 6). */
	refused: ['refusal', 'content_filter'],
	whole: [
		...['end_turn', 'stop', 'stop_sequence', 'eos', 'complete', 'completed'],
		...['tool_use', 'tool_calls', 'function_call'],
	],
};

const endsAs = (kind: keyof typeof STOP_REASONS) => (end: AnswerEnd) =>
	STOP_REASONS[kind].includes(end.stopReason?.trim().toLowerCase().replaceAll('-', '_') ?? '');

export const isCut = endsAs('cut');

export const isRefused = endsAs('refused');

const isWhole = endsAs('whole');

export function endWarnings(end: AnswerEnd): string[] {
	const { stopReason } = end;
	if (isCut(end)) return ['The answer was cut at "Max Tokens".'];
	if (end.hasNoEnd)
		return ['The service gave no reason for the end of the answer: it may have broken off.'];
	return stopReason === null || isWhole(end)
		? []
		: [`The answer ended with the stop reason "${stopReason}": it may not be whole.`];
}

/** Returns a response that is no error. Throws an `ApiError` for any other: if it counts tokens, an answer may have been bought. */
export function readChatResponse(given: unknown, statusCode = 200): ChatResponse {
	const body = firstOf(given);
	if (!isObject(body)) throw unreadableResponse(statusCode, given);
	const { text, usage } = readReply(body);
	if (text !== '') return body;
	// A service's own codes go beyond those of HTTP. Next to an answer, such a code may mean success.
	const answer = body.content ?? body.choices ?? body.usage ?? body.data ?? undefined;
	const isCoded = answer === undefined && Number(body.code) >= 600;
	const coded = isCoded ? { ...body, success: false } : body;
	const countsTokens = Object.values(usage ?? {}).some((tokens) => Number(tokens) > 0);
	const error = errorInBody(coded, countsTokens ? 'maybe' : undefined);
	if (error) throw error;
	return body;
}

/** The rate limit in the first event of a stream: the question was refused, and may be asked again. */
function rateLimitIn(beginning: string): RateLimitError | undefined {
	const [, data = ''] = /^\s*(?:event:.*\n)?data:(.*)/.exec(beginning) ?? [];
	const error = errorInBody(parseJson(data));
	return error instanceof RateLimitError ? error : undefined;
}

/**
 * Whether a body begins as JSON, which no stream of events does, whatever its content type says. The returned pieces are complete. Throws a
 * `RateLimitError` for a stream that begins with one.
 */
export async function beginningOf(
	pieces: AsyncGenerator<Buffer>,
	redactText: (text: string) => string,
): Promise<{ isJson: boolean; pieces: AsyncGenerator<Buffer> }> {
	const read: Buffer[] = [];
	let beginning = '';
	// Blank lines may come first, until the service has the answer.
	while (beginning.trim() === '') {
		const piece = await pieces.next();
		if (piece.done) break;
		read.push(piece.value);
		beginning = redactText(piece.value.toString());
	}
	const refused = rateLimitIn(beginning);
	if (refused) {
		await pieces.return(undefined);
		throw refused;
	}
	async function* all(): AsyncGenerator<Buffer> {
		try {
			yield* read;
			yield* pieces;
		} finally {
			await pieces.return(undefined);
		}
	}
	return { isJson: /^\s*[[{]/.test(beginning), pieces: all() };
}
