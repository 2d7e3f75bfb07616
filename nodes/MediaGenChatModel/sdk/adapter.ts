import type { Cost } from '../../shared/api/chatCost';
import type { Usage } from '../../shared/api/chatUsage';
import { isObject, objectOf, objectsIn } from '../../shared/util/json';

export interface Receipt {
	usage: Usage;
	cost: Cost | undefined;
	reference: string | undefined;
	warnings: string[];
}

/** How many receipts wait for their log. Older ones are of answers whose log was never written. */
const MAX_RECEIPTS = 100;

/** What answers used, until n8n writes their log. */
export class Receipts {
	private waiting: Receipt[] = [];

	keep(receipt: Receipt): void {
		this.waiting = [...this.waiting, receipt].slice(-MAX_RECEIPTS);
	}

	/** The oldest receipt with these token counts: n8n passes on nothing else of an answer. */
	take(promptTokens: number, completionTokens: number): Receipt | undefined {
		const found = this.waiting.find(
			({ usage }) => usage.inputTotal === promptTokens && usage.output === completionTokens,
		);
		this.waiting = this.waiting.filter((each) => each !== found);
		return found;
	}
}

/** The token counts of an answer: under the first name if it was streamed, under the other if it came whole. */
function tokensOf(answer: unknown) {
	const used = objectOf(objectOf(objectOf(answer).llmOutput).tokenUsage);
	const count = (...names: string[]) =>
		names.map((name) => used[name]).find((tokens) => typeof tokens === 'number') ?? 0;
	return {
		promptTokens: count('promptTokens', 'input_tokens'),
		completionTokens: count('completionTokens', 'output_tokens'),
	};
}

/** What the log of an answer says. n8n reads the token counts and `cost`; the editor shows everything. */
function toLogEntry(receipts: Receipts, answer: unknown) {
	const sums = tokensOf(answer);
	const { promptTokens, completionTokens } = sums;
	const entry = { ...sums, totalTokens: promptTokens + completionTokens };
	const receipt = receipts.take(promptTokens, completionTokens);
	if (!receipt) return entry;
	const { usage, cost, reference, warnings } = receipt;
	const { inputTotal: _input, output: _output, cacheHit: _hit, ...partsOfInput } = usage;
	return {
		...entry,
		...partsOfInput,
		...(cost && {
			...(cost.estimatedCost === null ? {} : { cost: cost.estimatedCost }),
			savedByCache: cost.savedByCache,
		}),
		...(reference === undefined ? {} : { reference }),
		...(warnings.length > 0 ? { warnings } : {}),
	};
}

/** n8n's log writer, described by what is replaced in it. */
const isTracing = (
	value: unknown,
): value is { options: { tokensUsageParser: (answer: unknown) => unknown } } =>
	isObject(value) && isObject(value.options) && 'tokensUsageParser' in value.options;

/** The model as n8n's agents use it, described by what is replaced or called here. */
interface Adapter {
	callbacks?: unknown;
	bindTools(tools: unknown[], options?: { tool_choice?: unknown }): unknown;
	withConfig(config: object): unknown;
	_generate(messages: unknown[], ...rest: unknown[]): Promise<unknown>;
	_streamResponseChunks(messages: unknown[], ...rest: unknown[]): AsyncIterable<unknown>;
}

/** Joins a message's blocks if all are text, as n8n's own models return it: parsers that repair an answer read nothing else. */
function joinText(message: unknown): void {
	if (!isObject(message) || !Array.isArray(message.content)) return;
	const blocks: unknown[] = message.content;
	const texts = blocks.flatMap((block) =>
		isObject(block) && block.type === 'text' && typeof block.text === 'string' ? [block.text] : [],
	);
	if (texts.length > 0 && texts.length === blocks.length) message.content = texts.join('');
}

const METHODS = ['bindTools', 'withConfig', '_generate', '_streamResponseChunks'] as const;

const isAdapter = (value: unknown): value is Adapter =>
	isObject(value) && METHODS.every((name) => typeof value[name] === 'function');

const DATA_URL = /^data:([^;,]+);base64,(.*)$/s;

/** Converts a picture or a document from the form of n8n's agents, which the SDK drops, to the form that the SDK reads. */
function toReadableBlock(block: unknown): unknown {
	if (!isObject(block)) return block;
	if (block.type === 'file' && typeof block.mime_type === 'string')
		return { type: 'file', mimeType: block.mime_type, data: block.data, metadata: block.metadata };
	if (block.type !== 'image_url') return block;
	const given = isObject(block.image_url) ? block.image_url.url : block.image_url;
	const url = typeof given === 'string' ? given : '';
	const [, mimeType, data] = DATA_URL.exec(url) ?? [];
	return data === undefined
		? { type: 'image', mimeType: 'image/*', url }
		: { type: 'image', mimeType, data };
}

/** A copy of a message with readable blocks, or the message itself if nothing changes. */
function toReadable(message: unknown): unknown {
	if (!isObject(message) || !Array.isArray(message.content)) return message;
	const blocks: unknown[] = message.content;
	const readable = blocks.map(toReadableBlock);
	if (readable.every((block, at) => block === blocks[at])) return message;
	const copy: unknown = Object.create(message, { content: { value: readable, enumerable: true } });
	return copy;
}

/**
 * Completes, in place, the model that n8n's SDK has made from ours: the SDK drops cache reads from the log, pictures, and the choice of a tool,
 * and estimates tokens while it streams. A model that is built differently is left as it is.
 */
export function completeAdapter(adapter: unknown, receipts: Receipts): void {
	if (!isAdapter(adapter)) return;
	for (const { options } of objectsIn(adapter.callbacks).filter(isTracing))
		options.tokensUsageParser = (answer) => toLogEntry(receipts, answer);

	const bindTools = adapter.bindTools.bind(adapter);
	adapter.bindTools = (tools, { tool_choice } = {}) => {
		const bound = bindTools(tools);
		completeAdapter(bound, receipts);
		return tool_choice === undefined || !isAdapter(bound)
			? bound
			: bound.withConfig({ tool_choice });
	};
	const generate = adapter._generate.bind(adapter);
	adapter._generate = async (messages, ...rest) => {
		const answer = await generate(messages.map(toReadable), ...rest);
		for (const { message } of objectsIn(objectOf(answer).generations)) joinText(message);
		return answer;
	};
	const stream = adapter._streamResponseChunks.bind(adapter);
	adapter._streamResponseChunks = async function* (messages, ...rest) {
		for await (const chunk of stream(messages.map(toReadable), ...rest)) {
			joinText(objectOf(chunk).message);
			yield chunk;
		}
	};
}
