import type { INode } from 'n8n-workflow';

import { blocks, chatNode, document, questions } from '../support/chat';
import { ok } from '../support/engine';
import { useScriptedService } from '../support/scriptedService';
import { goOn, retryAndGoOn } from '../support/settings';

/** The answers are given by the test: the spec leaves open how most of an answer looks. */
const service = useScriptedService();

const answerWith = (...answers: unknown[]) =>
	service.on('POST', '*', ...answers.map((json) => ({ json })));

async function answer(
	operation: 'message' | 'completion',
	body: unknown,
	parameters: object = {},
	{ brandWords = '{}', ...settings }: { brandWords?: string } & Partial<INode> = {},
) {
	answerWith(body);
	service.requests.length = 0;
	const { json, hints, error } = await chatNode(operation, () => service.credential()).run({
		parameters: { cachedBlocks: blocks({ text: document('pump') }), ...parameters },
		credential: { ...service.credential(), brandWords },
		settings,
	});
	return { json: json[0] ?? {}, hints, error };
}

const said = [{ message: { content: 'It is.' } }];

const details = { prompt_tokens_details: { cached_tokens: 5_000 } };
const hit = { prompt_tokens: 5_010, completion_tokens: 3, ...details };

test('an answer in a list is read', async () => {
	const { json } = ok(await answer('message', [{ content: 'It is.', stop_reason: 'end_turn' }]));
	expect(json).toMatchObject({ text: 'It is.', stopReason: 'end_turn' });
});

test('an attempt that ends as a whole, because the credential cannot be used any more, has the answers of the one before', async () => {
	const credential = service.credential();
	const breaks = () => (Object.assign(credential, { baseUrl: '' }), { json: { choices: said } });
	service.on('POST', '*', { status: 400 }, breaks);
	const { json } = await chatNode('completion', () => credential).run({
		parameters: { cachedBlocks: blocks({ text: document('pump') }), options: { concurrency: 1 } },
		items: questions('Why?', 'How?'),
		credential,
		settings: retryAndGoOn.settings,
	});
	expect(json).toMatchObject([{ error: {} }, { error: {}, response: { choices: said } }]);
	expect(service.requests).toHaveLength(2);
});

test('an answer has the time that "Timeout" gives, however long', async () => {
	const parameters = { options: { timeout: 3_600_000 } };
	const { json } = ok(await answer('completion', { choices: said }, parameters));
	expect(json.text).toBe('It is.');
});

test("a deployment's own word in the usage is read", async () => {
	const written = { acme_cache_creation_5_m_tokens: 2_000, acme_cache_creation_1_h_tokens: 3_000 };
	const body = { choices: [], usage: { prompt_tokens: 5_010, ...written } };
	const { json } = await answer('completion', body, {}, { brandWords: '{"vendor": "acme"}' });
	const read = { cacheWrite: 5_000, cacheWrite5m: 2_000, cacheWrite1h: 3_000 };
	expect(json.usage).toMatchObject({ inputUncached: 10, ...read });
});

const block = { type: 'text', text: 'It is.' };
const two = [
	{ type: 'text', text: 'It ' },
	{ type: 'text', text: 'is.' },
];
const untyped = [{ text: 'It is.' }];
const ended = { stop_reason: 'end_turn' };

test.each<[object, string | null]>([
	[{ content: [{ type: 'thinking' }, ...two], ...ended }, 'end_turn'],
	[{ content: 'It is.', ...ended }, 'end_turn'],
	[{ content: ['It ', 'is.'] }, null],
	[{ content: block }, null],
	[{ content: [{ type: 'thinking', text: null }, block], stop_reason: null }, null],
	[{ choices: [{ text: 'It is.' }] }, null],
	[{ choices: [{ message: { content: 'It is.' }, finish_reason: 'end_turn' }] }, 'end_turn'],
	[{ choices: [{ message: { content: untyped }, finish_reason: 'stop' }], ...ended }, 'end_turn'],
	[{ choices: [{ message: { content: [block] }, finish_reason: null }] }, null],
	[{ choices: [{ message: { content: ['It is.'] } }], stop_reason: null }, null],
	[{ code: 200, data: { content: [block] } }, null],
	[{ code: 200, data: [{ choices: [{ message: { content: 'It is.' } }] }] }, null],
])('both operations find the text in %j', async (body, stopReason) => {
	for (const operation of ['message', 'completion'] as const) {
		const { json } = ok(await answer(operation, { ...body, error: null }));
		expect(json).toMatchObject({ text: 'It is.', stopReason, usage: null });
	}
});

const endsWith = (finish_reason: string, content: string | null = null) => ({
	choices: [{ message: { content }, finish_reason }],
});
const mayNotBeWhole = 'stop reason "paused": it may not be whole';
const refusedToAnswer = 'The model refused to answer (stop reason "content_filter")';

test.each([
	['message', { content: 'It', stop_reason: 'max_tokens' }, 'The answer was cut at "Max Tokens".'],
	['completion', endsWith('length', 'It'), 'was cut'],
	['message', { content: 'It', stop_reason: 'MAX-OUTPUT-TOKENS' }, 'was cut'],
	['message', { content: 'It', stop_reason: 'paused' }, mayNotBeWhole],
	['completion', endsWith('content_filter', ''), refusedToAnswer],
	['completion', endsWith('content-filter', ''), 'The model refused to answer'],
	['message', { content: '', stop_reason: ' REFUSAL' }, 'The model refused to answer'],
] as const)('%s: an answer that may be cut has a warning: %j', async (operation, body, words) => {
	const { json } = await answer(operation, { ...body, usage: hit });
	expect(json.warnings).toEqual([expect.stringContaining(words)]);
});

test('usage and stop reason are found in an envelope too, with numbers as text', async () => {
	const cached = { prompt_tokens_details: { cached_tokens: '5000' } };
	const usage = { prompt_tokens: '5010', completion_tokens: '3', ...cached };
	const data = { choices: [{ message: { content: 'It is.' } }], stop_reason: 'end_turn', usage };
	const { json } = await answer('completion', { code: 200, data });
	const read = { inputTotal: 5_010, cacheRead: 5_000, output: 3, cacheHit: true };
	expect(json).toMatchObject({ stopReason: 'end_turn', usage: read });
	expect(json.warnings).toEqual([]);
});

test.each([
	['message', {}],
	['message', { content: [{ type: 'tool_use', name: 'find' }], usage: null, stop_reason: 'x' }],
	['completion', { choices: [], usage: [] }],
	['completion', { data: { choices: [{ message: { content: null } }] } }],
] as const)('%s: %j has no text: it comes out whole, with a warning', async (operation, body) => {
	const { json } = ok(await answer(operation, body));
	expect(json).toMatchObject({ text: '', usage: null, response: body });
	expect(json.warnings).toContainEqual(expect.stringContaining('No text was found in the answer'));
});

test.each([
	[{ error: { code: 500, message: 'the model is overloaded', type: 'server_error' } }],
	[{ error: 'the model is overloaded', choices: [], usage: null }],
	[{ code: 503, message: 'the model is overloaded' }],
	[{ success: false, message: 'the model is overloaded' }],
	[{ code: 4001, message: 'the model is overloaded' }],
])('%j with HTTP 200 is an error that quotes the service, and is not sent again', async (body) => {
	const { json } = await answer('message', body, {}, goOn.settings);
	const { message, description } = json.error as { message: string; description: string };
	expect(message).toContain('The service answered with an error: the model is overloaded');
	expect(description).toContain(
		'The answer may have been bought anyway. Look at the balance first.',
	);
	const again = await answer('message', body, {}, retryAndGoOn.settings);
	expect((again.json.error as { message: string }).message).toContain('was not sent again');
	expect(service.sent('POST', '*')).toHaveLength(1);
});

test('a rate limit with HTTP 200 that counts tokens may have been billed: it is an error, shown, and not sent again', async () => {
	const error = { type: 'rate_limit_error', message: 'slow down' };
	const { json } = await answer(
		'message',
		{ error, usage: { input_tokens: 7_331 } },
		{},
		goOn.settings,
	);
	const { message, description } = json.error as { message: string; description: string };
	expect(message).toContain('slow down');
	expect(description).toContain('may have been bought anyway');
	expect(JSON.stringify(json)).toContain('7331');
	expect(json.text).toBeUndefined();
	expect(service.sent('POST', '*')).toHaveLength(1);
});

test.each([{}, { usage: { input_tokens: 0 } }])(
	'a refusal with HTTP 200, and %j, is an error in the words of the service, and nothing was bought',
	async (more) => {
		const body = { code: 402, message: 'no credits left', ...more };
		const { json } = await answer('message', body, {}, goOn.settings);
		expect(json.error).toMatchObject({
			message: expect.stringContaining('Insufficient balance: no credits left'),
			code: '402',
		});
		expect(json.text).toBeUndefined();
	},
);

test('a lifetime of the cache that is not listed is sent, with a warning', async () => {
	const body = { content: 'It is.', usage: { input_tokens: 5, cache_read_input_tokens: 5_000 } };
	const cachedBlocks = blocks({ text: document('pump'), ttl: '2h' });
	const { json } = await answer('message', body, { cachedBlocks });
	expect(JSON.stringify(service.requests[0]?.body)).toContain(
		'"cache_control":{"type":"ephemeral","ttl":"2h"}',
	);
	expect(json.warnings).toEqual([
		'The lifetime "2h" is not in this package\'s list: it is sent as it is',
	]);
});

test('more cache markers than usual are sent, with a warning', async () => {
	const body = { content: 'It is.', usage: { input_tokens: 5, cache_read_input_tokens: 5_000 } };
	const marked = async (others: string, options = {}) => {
		const texts = [document('pump'), ...others].map((text) => ({ text }));
		const { json } = await answer('message', body, { cachedBlocks: blocks(...texts), options });
		const { system } = service.requests[0]?.body as { system: object[] };
		expect(system.filter((block) => 'cache_control' in block)).toHaveLength(texts.length);
		expect(json.text).toBe('It is.');
		return json.warnings;
	};
	const fiveAreMarked = [expect.stringContaining('5 blocks are marked')];
	expect(await marked('bcde')).toEqual(fiveAreMarked);
	expect(await marked('bcd')).toEqual([]);
	const tools = '{"tools": [{"cache_control": {"type": "ephemeral"}}]}';
	expect(await marked('bcd', { additionalBodyFields: tools })).toEqual(fiveAreMarked);
});

test.each([
	['message', { content: [], stop_reason: 'refusal' }],
	['completion', endsWith('refusal')],
	['completion', { ...endsWith('stop'), stop_reason: 'refusal' }],
] as const)('%s: a refusal is data with a warning', async (operation, body) => {
	const { json, hints } = ok(await answer(operation, { ...body, usage: hit }));
	expect(json).toMatchObject({ text: '', stopReason: 'refusal' });
	expect(json.warnings).toEqual([expect.stringContaining('The model refused to answer')]);
	expect(hints).toContainEqual(
		expect.objectContaining({ type: 'warning', message: expect.stringContaining('refused') }),
	);
});

test('an answer without a usage is still an answer, and the gap is said', async () => {
	const { json, hints } = await answer('message', { content: 'It is.' });
	expect(json).toMatchObject({ text: 'It is.', usage: null });
	expect(hints[0]?.message).toBe('1 answer, tokens unknown');
	expect(json.warnings).toEqual([expect.stringContaining('does not state its input tokens')]);
});

const spoken = [{ type: 'text', text: 'It is.' }];
const toolCall = { type: 'tool_use', id: 'x', name: 'draw', input: {} };
const saidBeside = (more: object) => ({ choices: [{ message: { content: 'It is.', ...more } }] });

test.each<[string, 'message' | 'completion', object]>([
	['more answers', 'completion', { choices: [...said, { message: { content: 'It is not.' } }] }],
	['a tool call in a block', 'message', { content: [...spoken, toolCall] }],
	['sources of the text', 'message', { content: [{ ...spoken[0], citations: [{ title: 'A' }] }] }],
	['a tool call', 'completion', saidBeside({ tool_calls: [{}] })],
	['a picture', 'completion', saidBeside({ images: [{}] })],
])('what an answer has beside its text is in the response: %s', async (_what, operation, body) => {
	const { json } = await answer(operation, body);
	expect(json).toMatchObject({ text: 'It is.', response: body });
});

test('without "Simplify" the response comes out as it is, in "response"', async () => {
	const body = {
		id: 'x',
		choices: [{ message: { content: 'It is.' } }],
		usage: { acme_tokens: 1, prompt_tokens: 1 },
	};
	expect((await answer('completion', body, { options: { simplify: false } })).json).toEqual({
		response: body,
	});
});

test.each([[[]], ['It is.']])('%j cannot be read, and may have been bought', async (body) => {
	const { error } = await answer('message', body);
	expect(error?.message).toContain('The response could not be read (HTTP 200)');
	expect(error?.description).toContain('The answer may have been bought anyway');
});

test('a long prefix that the service leaves alone is said', async () => {
	const { json } = await answer('message', { content: 'It is.', usage: { input_tokens: 5_000 } });
	expect(json.warnings).toEqual([
		expect.stringContaining('neither wrote to the cache nor read from it'),
	]);
});

test('what the service did beats the estimate of a prefix that looks short', async () => {
	const short = { cachedBlocks: blocks({ text: 'Be brief.' }) };
	const ignored = await answer(
		'completion',
		{ choices: said, usage: { prompt_tokens: 30 } },
		short,
	);
	expect(ignored.json.warnings).toEqual([
		expect.stringContaining('about 3 tokens by a rough estimate'),
	]);
	const cached = await answer('completion', { choices: said, usage: hit }, short);
	expect(cached.json.warnings).toEqual([]);
});

test('a request without any marker is said to cache nothing', async () => {
	const { json } = await answer(
		'message',
		{ content: 'It is.', usage: { input_tokens: 30 } },
		{
			cachedBlocks: blocks({ text: document('pump'), ttl: 'none' }),
		},
	);
	expect(json.warnings).toEqual([expect.stringContaining('Nothing is cached')]);
});

test('volatile text is pointed at by block and character, unless the last run has shown that it stays', async () => {
	answerWith({ choices: said, usage: hit });
	const node = chatNode('completion', () => service.credential());
	const cachedBlocks = blocks(
		{ text: 'Be brief.', ttl: 'none' },
		{ text: `As of 2026-01-05T10:00:00Z. ${document('pump')}` },
	);
	const first = await node.run({ parameters: { cachedBlocks } });
	expect(first.json[0]?.warnings).toEqual([
		expect.stringContaining('Block 2 has what looks like a timestamp at character 7.'),
	]);
	const second = await node.run({ parameters: { cachedBlocks } });
	expect(second.json[0]?.warnings).toEqual([]);
});

test('a prefix that differs from the last run is reported with the first block that changed, and kept without its text', async () => {
	answerWith({ choices: said, usage: hit });
	const node = chatNode('completion', () => service.credential());
	const text = document('pump');
	const changed = `${text.slice(0, 1_430)}#${text.slice(1_431)}`;
	const run = async (second: string, options = {}) => {
		const cachedBlocks = blocks({ text: 'Be brief.', ttl: 'none' }, { text: second });
		const { json } = await node.run({ parameters: { cachedBlocks, options } });
		return json[0]?.warnings;
	};
	expect(await run(text)).toEqual([]);
	expect(node.stored()).not.toContain('Manual');
	expect(await run(text)).toEqual([]);
	expect(await run(changed, { watchPrefix: false })).toEqual([]);
	answerWith([], { choices: said, usage: hit });
	expect(await run('another manual, which the service did not answer for')).toBeUndefined();
	expect(await run(changed)).toEqual([
		expect.stringContaining('The prefix changed at block 2 since the last run.'),
	]);
	expect(await run(changed)).toEqual([]);
});

test('prices make an estimate, for each item and for the run', async () => {
	answerWith(
		{
			content: 'Yes.',
			usage: {
				input_tokens: 100,
				cache_creation_input_tokens: 5_000,
				cache_creation: { ephemeral_5m_input_tokens: 5_000 },
				output_tokens: 200,
			},
		},
		{
			content: 'Yes.',
			usage: { input_tokens: 100, cache_read_input_tokens: 5_000, output_tokens: 200 },
		},
	);
	const { json, hints } = await chatNode('message', () => service.credential()).run({
		items: questions('Why?', 'How?'),
		parameters: {
			cachedBlocks: blocks({ text: document('pump') }),
			options: { priceInput: 3, priceCacheWrite5m: 3.75, priceCacheRead: 0.3, priceOutput: 15 },
		},
	});
	expect(json).toEqual([
		expect.objectContaining({ estimatedCost: 0.02205, savedByCache: -0.00375 }),
		expect.objectContaining({ estimatedCost: 0.0048, savedByCache: 0.0135 }),
	]);
	expect(hints[0]?.message).toBe(
		'2 answers, 10,200 input tokens (5,000 read from the cache, 5,000 written to it, 200 plain), 400 output tokens, estimated cost 0.02685 (0.013425 per answer), the cache saved 0.00975',
	);
});

test.each([undefined, { completion_tokens: 3 }, { prompt_tokens: null, completion_tokens: 3 }])(
	'with prices, the costs of an answer that does not state its input are not known: %j',
	async (usage) => {
		const prices = { options: { priceInput: 3, priceOutput: 15 } };
		const { json } = await answer('completion', { choices: said, usage }, prices);
		expect(json).toMatchObject({ usage: null, estimatedCost: null, savedByCache: null });
	},
);

test('without prices there are no costs in the output', async () => {
	const { json } = await answer('completion', { choices: said, usage: hit });
	expect(Object.keys(json)).toEqual(['text', 'stopReason', 'usage', 'warnings']);
});
