import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import { blocks, chatNode, document, questions } from './chatSupport';

/** A service whose answers are given by the test: the spec leaves open how most of an answer looks. */
let server: Server;
let answers: unknown[] = [];

beforeAll(async () => {
	server = createServer((request, response) => {
		request.resume().on('end', () => {
			const answer = answers.length > 1 ? answers.shift() : answers[0];
			response.setHeader('content-type', 'application/json').end(JSON.stringify(answer));
		});
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});

afterAll(async () => await new Promise((resolve) => server.close(resolve)));

function addressOf({ port }: AddressInfo): string {
	return `http://127.0.0.1:${port}`;
}

const credential = (brandWords = '{}') => ({
	baseUrl: addressOf(server.address() as AddressInfo),
	apiKey: 'secret-key',
	allowPrivateCallbacks: true,
	brandWords,
});

async function answer(operation: 'message' | 'completion', body: unknown, parameters: object = {}, brandWords?: string) {
	answers = [body];
	const { json, hints, error } = await chatNode(operation, () => credential(brandWords)).run({
		parameters: { cachedBlocks: blocks({ text: document('pump') }), ...parameters },
	});
	return { json: json[0] ?? {}, hints, error };
}

const hit = { prompt_tokens: 5_010, completion_tokens: 3, prompt_tokens_details: { cached_tokens: 5_000 } };

test("a deployment's own word in the usage is read", async () => {
	const { json } = await answer(
		'completion',
		{ choices: [], usage: { prompt_tokens: 5_010, acme_cache_creation_5_m_tokens: 2_000, acme_cache_creation_1_h_tokens: 3_000 } },
		{},
		'{"vendor": "acme"}',
	);
	expect(json.usage).toMatchObject({ inputUncached: 10, cacheWrite: 5_000, cacheWrite5m: 2_000, cacheWrite1h: 3_000 });
});

test.each([
	['message', { content: [{ type: 'thinking' }, { type: 'text', text: 'It ' }, { type: 'text', text: 'is.' }], stop_reason: 'end_turn' }],
	['message', { content: 'It is.', stop_reason: 'end_turn' }],
	['completion', { choices: [{ message: { content: 'It is.' }, finish_reason: 'end_turn' }] }],
	['completion', { choices: [{ message: { content: [{ text: 'It is.' }] }, finish_reason: 'stop' }], stop_reason: 'end_turn' }],
] as const)('%s: the text is found in %j', async (operation, body) => {
	const { json } = await answer(operation, { ...body, usage: hit });
	expect(json).toMatchObject({ text: 'It is.', stopReason: 'end_turn' });
});

test.each([
	['message', { content: [], stop_reason: 'refusal' }],
	['completion', { choices: [{ message: { content: null }, finish_reason: 'refusal' }] }],
	['completion', { choices: [{ message: { content: null }, finish_reason: 'stop' }], stop_reason: 'refusal' }],
] as const)('%s: a refusal is data with a warning', async (operation, body) => {
	const { json, hints, error } = await answer(operation, { ...body, usage: hit });
	expect(error).toBeUndefined();
	expect(json).toMatchObject({ text: '', stopReason: 'refusal' });
	expect(json.warnings).toEqual([expect.stringContaining('The model refused to answer')]);
	expect(hints).toContainEqual(expect.objectContaining({ type: 'warning', message: expect.stringContaining('refused') }));
});

test('an answer without a usage is still an answer, and the gap is said', async () => {
	const { json } = await answer('message', { content: 'It is.' });
	expect(json).toMatchObject({ text: 'It is.', usage: null });
	expect(json.warnings).toEqual([expect.stringContaining('says nothing of its usage')]);
});

test('without "Simplify" the response comes as it is', async () => {
	const body = { id: 'x', choices: [{ message: { content: 'It is.' } }], usage: { acme_tokens: 1, prompt_tokens: 1 } };
	expect((await answer('completion', body, { options: { simplify: false } })).json).toEqual(body);
});

test.each([[{}], [[]], ['It is.'], [{ error: { message: 'no' } }]])('%j is no answer', async (body) => {
	const { error } = await answer('message', body);
	expect(error?.message).toContain('The service sent an answer that cannot be read');
	expect(error?.description).toContain('may have been answered and charged');
});

test('a long prefix that the service leaves alone is said', async () => {
	const { json } = await answer('message', { content: 'It is.', usage: { input_tokens: 5_000 } });
	expect(json.warnings).toEqual([expect.stringContaining('neither wrote to the cache nor read from it')]);
});

test('what the service did beats the estimate of a prefix that looks short', async () => {
	const short = { cachedBlocks: blocks({ text: 'Be brief.' }) };
	const ignored = await answer('completion', { choices: [], usage: { prompt_tokens: 30 } }, short);
	expect(ignored.json.warnings).toEqual([expect.stringContaining('about 3 tokens by a rough estimate')]);
	const cached = await answer('completion', { choices: [], usage: hit }, short);
	expect(cached.json.warnings).toEqual([]);
});

test('a request without any marker is said to cache nothing', async () => {
	const { json } = await answer('message', { content: 'It is.', usage: { input_tokens: 30 } }, {
		cachedBlocks: blocks({ text: document('pump'), ttl: 'none' }),
	});
	expect(json.warnings).toEqual([expect.stringContaining('No block is marked')]);
});

test('volatile text is pointed at by block and character, unless the last run has shown that it stays', async () => {
	answers = [{ choices: [], usage: hit }];
	const node = chatNode('completion', credential);
	const cachedBlocks = blocks({ text: 'Be brief.', ttl: 'none' }, { text: `As of 2026-01-05T10:00:00Z. ${document('pump')}` });
	const first = await node.run({ parameters: { cachedBlocks } });
	expect(first.json[0]?.warnings).toEqual([expect.stringContaining('Block 2 has what looks like a timestamp at character 7.')]);
	const second = await node.run({ parameters: { cachedBlocks } });
	expect(second.json[0]?.warnings).toEqual([]);
});

test('a prefix that differs from the last run is told to the character, and kept without its text', async () => {
	answers = [{ choices: [], usage: hit }];
	const node = chatNode('completion', credential);
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
	answers = [{}, { choices: [], usage: hit }];
	expect(await run('another manual, which the service did not answer for')).toBeUndefined();
	expect(await run(changed)).toEqual([expect.stringContaining('The prefix changed at block 2, character 1,431, since the last run.')]);
	expect(await run(changed)).toEqual([]);
});

test('prices make an estimate, for each item and for the run', async () => {
	answers = [
		{ content: '', usage: { input_tokens: 100, cache_creation_input_tokens: 5_000, cache_creation: { ephemeral_5m_input_tokens: 5_000 }, output_tokens: 200 } },
		{ content: '', usage: { input_tokens: 100, cache_read_input_tokens: 5_000, output_tokens: 200 } },
	];
	const { json, hints } = await chatNode('message', credential).run({
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
		'2 answers, 10,200 input tokens (5,000 read from the cache, 5,000 written to it, 200 plain), 400 output tokens, estimated cost 0.02685',
	);
});

test('without prices there are no costs in the output', async () => {
	const { json } = await answer('completion', { choices: [], usage: hit });
	expect(Object.keys(json)).toEqual(['text', 'stopReason', 'usage', 'warnings']);
});
