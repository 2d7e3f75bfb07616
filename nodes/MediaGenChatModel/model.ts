import type {
	ChatModel,
	ChatModelConfig,
	FinishReason,
	GenerateResult,
	Message,
	MessageContent,
	StreamChunk,
	Tool,
} from '@n8n/ai-node-sdk';
import { neutralUsage } from '../shared/api/brandWords';
import { chatRequest, endWarnings, isCut, isRefused } from '../shared/api/chat';
import { costOf } from '../shared/api/chatCost';
import { readUsage, type Usage } from '../shared/api/chatUsage';
import type { ChatRequest, MediaGenClient } from '../shared/api/client';
import type { Connection } from '../shared/api/connection';
import { connectionLost, unreadableResponse } from '../shared/api/errors';
import {
	type Answer,
	type AnswerParts,
	ASK_AGAIN,
	isUnread,
	partsIn,
	RAISE_MAX_TOKENS,
	toAnswer,
	UnusableAnswer,
	withOwnIds,
} from './answer/answer';
import { eventsIn } from './answer/events';
import { StreamedAnswer } from './answer/streamedAnswer';
import { wholeWords } from './answer/wholeWords';
import type { Fields, ModelOptions } from './fields';
import { type OfferedTool, type Question, readMessages, readToolChoice } from './prompt/question';
import { type ChatStyle, mark } from './prompt/style';
import { asStreamError, type Purchases } from './purchases';
import type { Receipts } from './sdk/adapter';
import type { Sdk } from './sdk/load';
import { type NodeMemory, usageWarnings } from './warnings';

interface ModelSetup {
	sdk: Sdk;
	fields: Fields;
	options: ModelOptions;
	style: ChatStyle;
	client: MediaGenClient;
	purchases: Purchases;
	/** Of the execution. */
	signal: AbortSignal | undefined;
	memory: NodeMemory;
	receipts: Receipts;
	warn(warnings: readonly string[]): void;
}

/** A chat model in the terms of n8n's SDK (design, Chat model for agents). Each question is a purchase: sent once. */
export class MediaGenModel implements ChatModel {
	readonly provider = 'mediagen';

	readonly modelId: string;

	constructor(
		private readonly setup: ModelSetup,
		private readonly tools: readonly OfferedTool[] = [],
	) {
		this.modelId = setup.fields.model;
	}

	withTools(tools: Tool[]): ChatModel {
		const { getParametersJsonSchema } = this.setup.sdk;
		const offered = tools.flatMap((tool): OfferedTool[] => {
			if (tool.type !== 'function') return [];
			const { name, description = '' } = tool;
			return [{ name, description, parameters: getParametersJsonSchema(tool) }];
		});
		return new MediaGenModel(this.setup, offered);
	}

	async generate(messages: Message[], config: ChatModelConfig = {}): Promise<GenerateResult> {
		const steps = this.ask(messages, config, {});
		let step = await steps.next();
		while (!step.done) step = await steps.next();
		return step.value;
	}

	async *stream(
		messages: Message[],
		config: ChatModelConfig = {},
	): AsyncGenerator<StreamChunk, void, undefined> {
		try {
			const { streaming } = this.setup.style;
			const {
				message,
				finishReason = 'stop',
				usage,
			} = yield* this.ask(messages, config, streaming);
			// Each call is yielded whole, with its id: n8n's adapter gives every piece of a call the same index.
			for (const part of message.content) {
				if (part.type !== 'tool-call') continue;
				const { toolCallId: id, toolName: name, input: argumentsDelta } = part;
				yield { type: 'tool-call-delta', id, name, argumentsDelta };
			}
			yield { type: 'finish', finishReason, usage };
		} catch (error) {
			throw asStreamError(error);
		}
	}

	/** Sends a question, and yields the text. The answer may come as a stream or whole, whatever was asked for. Throws a node error. */
	private async *ask(
		messages: readonly Message[],
		config: ChatModelConfig,
		streaming: Record<string, unknown>,
	): AsyncGenerator<StreamChunk, GenerateResult> {
		const { client, purchases, fields, options, memory } = this.setup;
		const streamed = new StreamedAnswer();
		let parts: AnswerParts = streamed.parts;
		try {
			const { question, request } = this.prepare(messages, config, streaming);
			const cachesTurns = options.cachedHistory !== 'none';
			const warnings = fields.caching === 'off' ? [] : memory.warningsOf(question, cachesTurns);
			const opened = await purchases.buy(async () => await client.chat.open(request()));
			if ('pieces' in opened)
				return this.toResult(yield* this.textIn(opened.pieces, streamed), question, warnings);
			parts = partsIn(opened.whole);
			if (isUnread(parts)) throw unreadableResponse(200, opened.whole);
			const result = this.toResult(toAnswer(parts), question, warnings);
			yield* textDelta(parts.text);
			return result;
		} catch (error) {
			const text = client.connection.redactText(parts.text);
			throw purchases.nodeError(error, text, this.usageOf(parts.usage));
		}
	}

	/** Yields the text of a stream as it comes, and returns the whole answer. */
	private async *textIn(
		pieces: AsyncIterable<Buffer>,
		streamed: StreamedAnswer,
	): AsyncGenerator<StreamChunk, Answer> {
		const { purchases, client } = this.setup;
		const { connection } = client;
		const begun: Buffer[] = [];
		const beginning = () => connection.redactText(Buffer.concat(begun).toString());
		const { parts } = streamed;
		/** The last word, which may go on. */
		let heldBack = '';
		try {
			for await (const events of eventsIn(keepingBeginning(pieces, begun))) {
				let text = heldBack;
				try {
					for (const data of events) text += streamed.add(connection.redactText(data));
				} finally {
					// Also what came before an error, which may come after the end of the answer.
					const [whole, rest] = wholeWords(text);
					heldBack = rest;
					yield* textDelta(connection.redactText(whole));
				}
				// The service may keep the connection open.
				if (streamed.isOver) break;
			}
			if (!streamed.isComplete && !isUnread(parts)) throw connectionLost();
		} catch (error) {
			const shown = isUnread(parts) ? beginning() : connection.redactText(parts.text);
			if (!streamed.isComplete)
				throw purchases.brokenOff(error, parts, shown, this.usageOf(parts.usage));
		}
		yield* textDelta(connection.redactText(heldBack));
		if (isUnread(parts)) throw unreadableResponse(200, beginning());
		return withoutKey(streamed.toAnswer(), connection);
	}

	/** Makes the request of a question. Nothing is sent yet. */
	private prepare(
		messages: readonly Message[],
		{ signal, stop = [], tool_choice }: ChatModelConfig,
		streaming: Record<string, unknown>,
	): { question: Question; request: () => ChatRequest } {
		const { fields, options, style } = this.setup;
		const toolChoice = this.tools.length > 0 ? readToolChoice(tool_choice) : undefined;
		const question = { ...readMessages(messages), tools: this.tools, toolChoice, stop };
		const { fields: prompt, ends } = style.toPrompt(question);
		mark(ends, fields.caching, options.cachedHistory);
		const { temperature, topP, additionalBodyFields } = options;
		const body = {
			model: fields.model,
			max_tokens: fields.maxTokens,
			...prompt,
			temperature,
			top_p: topP,
			...additionalBodyFields,
			...streaming,
		};
		const signals = [signal, this.setup.signal].filter((each) => each !== undefined);
		const request = () => ({
			...chatRequest(style, body, options.timeout * 1_000),
			abandon: AbortSignal.any(signals),
		});
		return { question, request };
	}

	private usageOf(usage: Record<string, unknown> | undefined): Usage | undefined {
		const { client, style } = this.setup;
		return usage && readUsage(neutralUsage(usage, client.connection.brandWords), style.usage);
	}

	/** The name of an offered tool: models may write it in another case. */
	private offeredName(given: string): string | undefined {
		const called = given.trim();
		const names = this.tools.map(({ name }) => name);
		const inAnyCase = names.find((name) => name.toLowerCase() === called.toLowerCase());
		return names.includes(called) ? called : inAnyCase;
	}

	/** The answer in the SDK's terms. Throws an `UnusableAnswer` for one that an agent cannot go on with. */
	private toResult(
		given: Answer,
		{ turns }: Question,
		warnings: readonly string[],
	): GenerateResult {
		const { fields, options } = this.setup;
		// Without calls of tools that were not offered: for those, n8n's agent would repeat the question up to its last iteration.
		const calls: Answer['calls'] = [];
		const unknown: string[] = [];
		for (const call of given.calls) {
			const name = this.offeredName(call.name);
			if (name === undefined) unknown.push(call.name);
			else calls.push({ ...call, name });
		}
		const answer = { ...given, calls };
		const usage = this.usageOf(answer.usage);
		const isEmpty = answer.text === '' && answer.calls.length === 0;
		const allWarnings = [
			...warnings,
			...(fields.caching === 'off' || isRefused(answer) ? [] : usageWarnings(usage)),
			...endWarnings(answer),
			...unknown.map((name) => `The model called the tool "${name}", which it was not offered.`),
			...(isEmpty ? ['The answer is empty.'] : []),
		];
		this.setup.warn(allWarnings);
		if (usage) {
			const { reference } = options;
			const cost = costOf(usage, options);
			this.setup.receipts.keep({ usage, cost, reference, warnings: allWarnings });
		}
		if (isRefused(answer) && answer.text === '')
			throw new UnusableAnswer(
				`The model refused to answer (stop reason "${answer.stopReason}")`,
				'Change the question. What this question wrote to the cache is not read by the next one.',
			);
		if (unknown[0] !== undefined && answer.calls.length === 0)
			throw new UnusableAnswer(
				`The model called the tool "${unknown[0]}", which it was not offered`,
				ASK_AGAIN,
			);
		if (isCut(answer) && isEmpty)
			throw new UnusableAnswer(
				'The answer was cut at "Max Tokens" before its first word',
				RAISE_MAX_TOKENS,
			);
		const text: MessageContent[] = answer.text === '' ? [] : [{ type: 'text', text: answer.text }];
		const toolCalls = withOwnIds(calls, turns).map(({ id, name, input }) => ({
			type: 'tool-call' as const,
			toolCallId: id,
			toolName: name,
			input,
		}));
		const { id } = answer;
		return {
			id,
			finishReason: finishReasonOf(answer),
			usage: usage && {
				promptTokens: usage.inputTotal,
				completionTokens: usage.output,
				totalTokens: usage.inputTotal + usage.output,
				inputTokenDetails: { cacheRead: usage.cacheRead },
			},
			message: { role: 'assistant', content: [...text, ...toolCalls], id },
		};
	}
}

/** Minimum number of bytes that are kept, if so many come. Fewer are shown, so a key that is cut off at the end is not among them. */
const KEPT_BYTES = 40_000;

/** Passes the pieces on. Keeps their beginning, to show it if nothing in them could be read. */
async function* keepingBeginning(pieces: AsyncIterable<Buffer>, kept: Buffer[]) {
	let bytes = 0;
	for await (const piece of pieces) {
		if (bytes < KEPT_BYTES) kept.push(piece);
		bytes += piece.length;
		yield piece;
	}
}

/** The key may have come in pieces that stand together only in the whole text. */
function withoutKey(answer: Answer, { redactText }: Pick<Connection, 'redactText'>): Answer {
	const calls = answer.calls.map((call) => ({ ...call, input: redactText(call.input) }));
	return { ...answer, text: redactText(answer.text), calls };
}

function* textDelta(delta: string): Generator<StreamChunk> {
	if (delta !== '') yield { type: 'text-delta', delta };
}

function finishReasonOf(answer: Answer): FinishReason {
	if (answer.calls.length > 0) return 'tool-calls';
	if (isRefused(answer)) return 'content-filter';
	return isCut(answer) ? 'length' : 'stop';
}
