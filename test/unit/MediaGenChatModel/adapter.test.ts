import {
	completeAdapter,
	type Receipt,
	Receipts,
} from '../../../nodes/MediaGenChatModel/sdk/adapter';
import { usageOf } from '../support/usage';

/** The model as n8n's SDK makes it, as far as this package touches it. */
class SdkAdapter {
	callbacks = [{ options: { tokensUsageParser: (): unknown => ({ estimated: true }) } }];

	config: object | undefined;

	/** Of an answer, and of each piece of one. */
	blocks: unknown = [
		{ type: 'text', text: 'Hel' },
		{ type: 'text', text: 'lo' },
	];

	constructor(readonly seen: unknown[] = []) {}

	bindTools(tools: unknown[]) {
		this.seen.push(['bound', tools]);
		return new SdkAdapter(this.seen);
	}

	withConfig(config: object) {
		this.config = config;
		return { config };
	}

	_generate(messages: unknown[], options: unknown) {
		this.seen.push(['generate', messages, options]);
		return Promise.resolve({ generations: [{ message: { content: this.blocks } }] });
	}

	async *_streamResponseChunks(messages: unknown[], options: unknown) {
		this.seen.push(['stream', messages, options]);
		yield await Promise.resolve({ message: { content: this.blocks } });
	}

	log(answer: unknown): unknown {
		const parse: (result: unknown) => unknown =
			this.callbacks[0]?.options.tokensUsageParser ?? String;
		return parse(answer);
	}
}

async function piecesOf(model: SdkAdapter, messages: unknown[] = []): Promise<unknown[]> {
	const pieces: unknown[] = [];
	for await (const piece of model._streamResponseChunks(messages, 'options')) pieces.push(piece);
	return pieces;
}

const receipt = (promptTokens: number, more: Partial<Receipt> = {}): Receipt => ({
	usage: usageOf({
		...{ inputTotal: promptTokens, inputUncached: 10, cacheRead: promptTokens - 30, output: 5 },
		...{ cacheWrite: 20, cacheWrite5m: 20, cacheHit: true },
	}),
	cost: undefined,
	reference: undefined,
	warnings: [],
	...more,
});

const whole = (input_tokens: number) => ({
	llmOutput: { tokenUsage: { input_tokens, output_tokens: 5, total_tokens: 0 } },
});

const streamed = (promptTokens: number) => ({
	llmOutput: { tokenUsage: { promptTokens, completionTokens: 5, totalTokens: 0 } },
});

function adapter() {
	const receipts = new Receipts();
	const model = new SdkAdapter();
	completeAdapter(model, receipts);
	return { receipts, model };
}

describe('the log of an answer', () => {
	test.each([
		['whole', whole],
		['streamed', streamed],
	])('that came %s has what was read from the cache and written to it', (_how, answer) => {
		const { receipts, model } = adapter();
		receipts.keep(receipt(100));
		expect(model.log(answer(100))).toEqual({
			promptTokens: 100,
			completionTokens: 5,
			totalTokens: 105,
			inputUncached: 10,
			cacheRead: 70,
			cacheWrite: 20,
			cacheWrite5m: 20,
			cacheWrite1h: 0,
		});
	});

	test('has cost, reference and warnings where there are some', () => {
		const { receipts, model } = adapter();
		const cost = { estimatedCost: 0.5, savedByCache: 0.2 };
		receipts.keep(receipt(100, { cost, reference: 'row 7', warnings: ['w'] }));
		expect(model.log(whole(100))).toMatchObject({
			cost: 0.5,
			savedByCache: 0.2,
			reference: 'row 7',
			warnings: ['w'],
		});
		receipts.keep(receipt(100, { cost: { estimatedCost: null, savedByCache: null } }));
		const unpriced = model.log(whole(100));
		expect(unpriced).toMatchObject({ savedByCache: null });
		expect(unpriced).not.toHaveProperty('cost');
		expect(unpriced).not.toHaveProperty('reference');
	});

	test('is of its own answer, when several come at once', () => {
		const { receipts, model } = adapter();
		for (const tokens of [100, 200, 100]) receipts.keep(receipt(tokens));
		const read = (tokens: number) => (model.log(whole(tokens)) as { cacheRead?: number }).cacheRead;
		expect([read(200), read(100), read(100), read(100)]).toEqual([170, 70, 70, undefined]);
	});

	test('is told apart by what was written, too', () => {
		const { receipts, model } = adapter();
		receipts.keep(receipt(100, { usage: { ...receipt(100).usage, output: 6 } }));
		expect(model.log(whole(100))).not.toHaveProperty('cacheRead');
	});

	test('is written by n8n, whatever else listens', () => {
		const receipts = new Receipts();
		const model = new SdkAdapter();
		const others: unknown[] = [undefined, { name: 'none' }, { options: 'x' }, { options: {} }];
		Object.assign(model, { callbacks: [...model.callbacks, ...others] });
		completeAdapter(model, receipts);
		receipts.keep(receipt(100));
		expect(model.log(whole(100))).toHaveProperty('cacheRead', 70);
		expect(others).toEqual([undefined, { name: 'none' }, { options: 'x' }, { options: {} }]);
	});

	test('has sums without a receipt, and none where n8n has none', () => {
		const { model } = adapter();
		expect(model.log(whole(7))).toEqual({ promptTokens: 7, completionTokens: 5, totalTokens: 12 });
		for (const nothing of [undefined, {}, { llmOutput: null }])
			expect(model.log(nothing)).toEqual({ promptTokens: 0, completionTokens: 0, totalTokens: 0 });
	});

	test('is forgotten where it was never written', () => {
		const { receipts, model } = adapter();
		receipts.keep(receipt(100));
		for (let more = 0; more < 100; more++) receipts.keep(receipt(200));
		expect(model.log(whole(100))).not.toHaveProperty('cacheRead');
		expect(model.log(whole(200))).toHaveProperty('cacheRead');
	});
});

test('the choice of a tool goes along with each question', () => {
	const { model }: { model: { bindTools(tools: unknown[], options: object): unknown } } = adapter();
	expect(model.bindTools(['tool'], { tool_choice: 'any' })).toEqual({
		config: { tool_choice: 'any' },
	});
	expect(model.bindTools(['tool'], {})).toBeInstanceOf(SdkAdapter);
});

describe('pictures of an agent', () => {
	class HumanMessage {
		constructor(readonly content: unknown) {}
	}
	const sent = async (content: unknown) => {
		const { model } = adapter();
		const message = new HumanMessage(content);
		await model._generate([message], 'options');
		await piecesOf(model, [message]);
		const [[, [first]], [, [second], options]] = model.seen as Array<
			[string, HumanMessage[], string]
		> as [[string, HumanMessage[]], [string, HumanMessage[], string]];
		expect(options).toBe('options');
		expect(second).toEqual(first);
		expect(first).toBeInstanceOf(HumanMessage);
		return { sent: first?.content, message, isSame: first === message };
	};

	const data = 'data:image/png;base64,AAAA';
	const picture = (image_url: unknown) => ({ type: 'image_url', image_url });
	const linked = (url: string) => ({ type: 'image', mimeType: 'image/*', url });

	test.each([
		[picture({ url: data }), { type: 'image', mimeType: 'image/png', data: 'AAAA' }],
		[picture('https://example.com/a.png'), linked('https://example.com/a.png')],
		[picture(`https://example.com/?of=${data}`), linked(`https://example.com/?of=${data}`)],
		[picture({ url: 7 }), linked('')],
		[
			{
				type: 'file',
				source_type: 'base64',
				mime_type: 'application/pdf',
				data: 'AAAA',
				metadata: { filename: 'a.pdf' },
			},
			{ type: 'file', mimeType: 'application/pdf', data: 'AAAA', metadata: { filename: 'a.pdf' } },
		],
	])('are given in the form that the SDK reads: %j', async (block, expected) => {
		const before = JSON.stringify(block);
		const { sent: content, isSame } = await sent([{ type: 'text', text: 'x' }, block]);
		expect(content).toEqual([{ type: 'text', text: 'x' }, expected]);
		expect(isSame).toBe(false);
		expect(JSON.stringify(block)).toBe(before);
	});

	test.each([
		'a text',
		[{ type: 'text', text: 'x' }],
		[{ type: 'text', text: 'x', mime_type: 'text/plain' }],
		[{ type: 'file', data: 'AAAA' }],
		['plain', null],
		undefined,
	])('leave other messages as they are: %j', async (content) =>
		expect((await sent(content)).isSame).toBe(true),
	);

	test('leave as it is what is no message', async () => {
		const { model } = adapter();
		await model._generate([null, 'text', { text: 'x' }], 'options');
		expect(model.seen).toEqual([['generate', [null, 'text', { text: 'x' }], 'options']]);
	});
});

test.each([undefined, null, {}, { callbacks: [], bindTools: () => {} }])(
	'a model that is built otherwise is left as it is: %j',
	(other) => expect(() => completeAdapter(other, new Receipts())).not.toThrow(),
);

const withCall = [{ type: 'text', text: 'a' }, { type: 'tool-call' }];

test.each([
	['is text where all blocks are: parsers that mend it read nothing else', undefined, 'Hello'],
	['stays as it is beside a call', withCall, withCall],
	['stays as it is without blocks', [], []],
])('The content of an answer %s', async (_, blocks, content) => {
	const model = new SdkAdapter();
	if (blocks) model.blocks = blocks;
	completeAdapter(model, new Receipts());
	expect(await model._generate([], 'options')).toEqual({
		generations: [{ message: { content } }],
	});
	expect(await piecesOf(model)).toEqual([{ message: { content } }]);
});
