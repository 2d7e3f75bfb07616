import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { CHAT_PRICES, SANDBOX_KEYS } from '../../sandbox/service';
import { words } from '../support/words';
import { ask, text, useBench, type Answer, type Json } from './support/sandbox';

const BETA = { 'vendor-beta': 'extended-cache-ttl-2025-04-11' };
const MODEL = 'a-model';
/** About 1,300 tokens, and about 2,600. */
const DOCUMENT = Array.from(
	{ length: 130 },
	(_, line) => `Line ${line} of a document about the sea.`,
).join('\n');
const SHORT = 'Only a few words.';
const QUESTION = 'How deep is it?';

type Marker = true | '5m' | '1h' | 'none';

/** A text block, with a marker on it if wanted. */
const block = (content: string, marker: Marker = 'none') => {
	const cache_control = { type: 'ephemeral', ...(marker === true ? {} : { ttl: marker }) };
	return { type: 'text', text: content, ...(marker === 'none' ? {} : { cache_control }) };
};

const it = useBench(({ sandbox }) => {
	const post = (path: string, headers: Record<string, string>, body: object) =>
		ask(sandbox.url + path, {
			method: 'POST',
			headers: { 'content-type': 'application/json', ...headers },
			body: JSON.stringify({ model: MODEL, max_tokens: 500, ...body }),
		});
	const byKey = { 'x-api-key': sandbox.key, 'vendor-version': '2023-06-01' };
	const bearer = { authorization: `Bearer ${sandbox.key}` };
	return {
		messages: (body: object, headers?: Record<string, string>) =>
			post('/v1/messages', { ...byKey, ...headers }, body),
		completions: (body: object, headers?: Record<string, string>) =>
			post('/v1/chat/completions', { ...bearer, ...headers }, body),
	};
});

interface Seen {
	plain: number;
	read: number;
	written: number;
}

/** The three categories, from either style. */
function seen({ status, text: body, body: { usage } }: Answer): Seen {
	if (status !== 200) throw new Error(`${status} ${body}`);
	const number = (value: unknown) => Number(value ?? 0);
	if (usage?.input_tokens !== undefined) {
		return counted(
			number(usage.input_tokens),
			number(usage.cache_read_input_tokens),
			number(usage.cache_creation_input_tokens),
		);
	}
	const details = usage?.prompt_tokens_details;
	const read = number(details?.cached_tokens);
	const written =
		number(details?.cache_write_tokens) +
		number(usage?.vendor_cache_creation_5_m_tokens) +
		number(usage?.vendor_cache_creation_1_h_tokens);
	return { plain: number(usage?.prompt_tokens) - read - written, read, written };
}

const counted = (plain: number, read: number, written: number): Seen => ({ plain, read, written });

const tokens = (...texts: string[]) => texts.reduce((sum, one) => sum + countTokens(one), 0);
const ask1 = (marker: Marker = true, question = QUESTION, document = DOCUMENT) => ({
	system: [block(document, marker)],
	messages: [{ role: 'user', content: question }],
});
const ask2 = (marker: Marker = true, question = QUESTION, document = DOCUMENT) => ({
	messages: [
		{ role: 'system', content: [block(document, marker)] },
		{ role: 'user', content: question },
	],
});

/** Both endpoints, asked the same. */
type Asked = Parameters<typeof ask1>;
const betaOf = ([marker]: Asked) => (marker === '1h' ? BETA : {});
const STYLES = [
	['messages', (...of: Asked) => it.messages(ask1(...of), betaOf(of))],
	['completions', (...of: Asked) => it.completions(ask2(...of), betaOf(of))],
] as const;

describe.each(STYLES)('the prefix cache of %s', (_style, send) => {
	test('is not used without a marker', async () => {
		await send();
		expect(seen(await send('none'))).toEqual(counted(tokens(DOCUMENT, QUESTION), 0, 0));
	});

	test('rule 4: ignores a marker on a prefix that is too short, without an error', async () => {
		for (let round = 0; round < 2; round += 1) {
			expect(seen(await send(true, QUESTION, SHORT))).toEqual(
				counted(tokens(SHORT, QUESTION), 0, 0),
			);
		}
	});

	test.each([
		['a space', `${DOCUMENT} `],
		['a line break', `${DOCUMENT}\n`],
		['a letter at its beginning', `l${DOCUMENT.slice(1)}`],
		['a timestamp', `2026-01-01T00:00:00Z ${DOCUMENT}`],
	])('rule 5: is missed by a prefix that differs in %s', async (_what, document) => {
		await send();
		expect(seen(await send(true, QUESTION, document))).toMatchObject({
			read: 0,
			written: tokens(document),
		});
	});

	test.each([
		['5 minutes, also without a ttl', true, 5],
		['5 minutes with ttl 5m', '5m', 5],
		['an hour with ttl 1h', '1h', 60],
	] as const)('rule 1: expires after %s', async (_time, marker, minutes) => {
		const isGone = { read: 0, written: tokens(DOCUMENT) };
		await send(marker);
		await it.clock.advance(minutes * 60_000);
		expect(seen(await send(marker))).toMatchObject(isGone);
		await it.clock.advance(minutes * 60_000 - 1);
		expect(seen(await send(marker)).read).toBe(tokens(DOCUMENT));
		await it.clock.advance(minutes * 60_000);
		expect(seen(await send(marker))).toMatchObject(isGone);
	});

	test('rule 7: counts its lifetime from the last access', async () => {
		await send();
		for (let round = 0; round < 4; round += 1) {
			await it.clock.advance(4 * 60_000);
			expect(seen(await send()).read).toBe(tokens(DOCUMENT));
		}
	});

	test('belongs to its key and its model', async () => {
		await send();
		const post = (body: object, headers = {}) =>
			_style === 'messages'
				? it.messages({ ...ask1(), ...body }, headers)
				: it.completions({ ...ask2(), ...body }, headers);
		const key = SANDBOX_KEYS.unlimited;
		const other = { 'x-api-key': key, authorization: `Bearer ${key}` };
		expect(seen(await post({}, other)).read).toBe(0);
		expect(seen(await post({ model: 'b' })).read).toBe(0);
	});

	test('costs less than plain input to read, and more to write', async () => {
		expect(CHAT_PRICES.read).toBeLessThan(CHAT_PRICES.plain);
		expect(CHAT_PRICES.written5m).toBeGreaterThan(CHAT_PRICES.plain);
		for (let question = 0; question < 5; question += 1) await send(true, `Question ${question}?`);
		const { requests, totals } = it.sandbox.chat.bill();
		expect(requests).toHaveLength(5);
		expect(totals).toMatchObject({
			written5m: tokens(DOCUMENT),
			written1h: 0,
			read: 4 * tokens(DOCUMENT),
			plain: tokens('Question 0?', 'Question 1?', 'Question 2?', 'Question 3?', 'Question 4?'),
		});
		expect(totals.input).toBe(totals.plain + totals.read + totals.written5m);
		const credits =
			(totals.plain * CHAT_PRICES.plain +
				totals.read * CHAT_PRICES.read +
				totals.written5m * CHAT_PRICES.written5m +
				totals.output * CHAT_PRICES.output) /
			1_000_000;
		expect(totals.credits).toBeCloseTo(credits, 9);
	});
});

describe('several breakpoints', () => {
	const other = DOCUMENT.replaceAll('sea', 'sky');
	const third = DOCUMENT.replaceAll('sea', 'sun');
	const send = (blocks: object[], headers = {}) =>
		it.messages({ system: blocks, messages: [{ role: 'user', content: QUESTION }] }, headers);

	test('write one part each, and are read up to the first difference', async () => {
		const first = await send([block(DOCUMENT, '1h'), block(other, '5m')], BETA);
		expect(first.body.usage).toMatchObject({
			cache_creation_input_tokens: tokens(DOCUMENT, other),
			cache_creation: {
				ephemeral_1h_input_tokens: tokens(DOCUMENT),
				ephemeral_5m_input_tokens: tokens(other),
			},
		});
		const changed = await send([block(DOCUMENT, '1h'), block(third, '5m')], BETA);
		expect(seen(changed)).toEqual(counted(tokens(QUESTION), tokens(DOCUMENT), tokens(third)));
		await it.clock.advance(10 * 60_000);
		expect(seen(await send([block(DOCUMENT, '1h'), block(other, '5m')], BETA))).toMatchObject({
			read: tokens(DOCUMENT),
			written: tokens(other),
		});
	});

	test('find the prefix of an earlier turn when the marker has moved', async () => {
		await send([block(DOCUMENT, true)]);
		expect(seen(await send([block(DOCUMENT), block(other, true)]))).toEqual(
			counted(tokens(QUESTION), tokens(DOCUMENT), tokens(other)),
		);
	});

	test('are read again however many blocks have come since, but found without a marker near them only', async () => {
		const many = Array.from({ length: 25 }, (_, at) => block(`Remark ${at}.`));
		await send([block(DOCUMENT, true)]);
		expect(seen(await send([block(DOCUMENT, true), ...many, block(other, true)])).read).toBe(
			tokens(DOCUMENT),
		);
		it.sandbox.reset();
		await send([block(DOCUMENT, true)]);
		expect(seen(await send([block(DOCUMENT), ...many, block(other, true)])).read).toBe(0);
	});

	test('count a short block together with the blocks before it', async () => {
		expect(seen(await send([block(DOCUMENT), block(SHORT, true)])).written).toBe(
			tokens(DOCUMENT, SHORT),
		);
	});

	test('depend on the order of the blocks', async () => {
		await send([block(DOCUMENT), block(other, true)]);
		expect(seen(await send([block(other), block(DOCUMENT, true)])).read).toBe(0);
	});

	test('may sit in user and assistant turns', async () => {
		for (const role of ['user', 'assistant']) {
			it.sandbox.reset();
			const turns = {
				messages: [
					{ role, content: [block(DOCUMENT, true)] },
					{ role: 'user', content: QUESTION },
				],
			};
			expect(seen(await it.completions(turns)).written).toBe(tokens(DOCUMENT));
			expect(seen(await it.completions(turns)).read).toBe(tokens(DOCUMENT));
		}
	});

	test('include the tools, which come first', async () => {
		const tool = (name: string) => ({ type: 'function', function: { name } });
		await it.completions({ ...ask2(), tools: [tool('a')] });
		expect(seen(await it.completions({ ...ask2(), tools: [tool('a')] })).read).toBeGreaterThan(
			tokens(DOCUMENT),
		);
		expect(seen(await it.completions({ ...ask2(), tools: [tool('b')] })).read).toBe(0);
	});
});

describe('markers', () => {
	test.each([
		['system', 'completions'],
		['user', 'completions'],
		['user', 'messages'],
	] as const)(
		'rule 2: on a %s message with a text are ignored, without an error, in %s',
		async (role, style) => {
			const messages = [
				{ role, content: DOCUMENT, cache_control: { type: 'ephemeral' } },
				{ role: 'user', content: QUESTION },
			];
			for (let round = 0; round < 2; round += 1)
				expect(seen(await it[style]({ messages }))).toEqual(
					counted(tokens(DOCUMENT, QUESTION), 0, 0),
				);
		},
	);

	test.each(STYLES)('rule 1: of 1h need the beta header in %s', async (style) => {
		const send = (headers: Record<string, string>) =>
			style === 'messages' ? it.messages(ask1('1h'), headers) : it.completions(ask2('1h'), headers);
		for (const headers of [{ 'vendor-beta': '' }, { 'vendor-beta': 'something-else' }]) {
			const answer = await send(headers);
			expect(answer.status).toBe(400);
			expect(answer.body.error?.message).toMatch(/vendor-beta/);
		}
		expect((await send(BETA)).status).toBe(200);
		expect((await send({ 'vendor-beta': `other-2026, ${BETA['vendor-beta']}` })).status).toBe(200);
	});

	test('of another lifetime or type are refused', async () => {
		const messages = [{ role: 'user', content: 'x' }];
		const others = [{ type: 'ephemeral', ttl: '2h' }, { type: 'permanent' }, { ttl: '5m' }];
		for (const cache_control of others) {
			const system = [{ type: 'text', text: 'x', cache_control }];
			expect((await it.messages({ system, messages })).status).toBe(400);
		}
	});
});

describe('usage', () => {
	test('of messages has the fields of the spec', async () => {
		const { usage } = (await it.messages(ask1('1h'), BETA)).body;
		expect(usage).toEqual({
			input_tokens: tokens(QUESTION),
			cache_creation_input_tokens: tokens(DOCUMENT),
			cache_read_input_tokens: 0,
			cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: tokens(DOCUMENT) },
			output_tokens: tokens(`Sample answer to: ${QUESTION}`),
		});
	});

	test('of completions has the fields of the spec, and the generic one only without a breakdown', async () => {
		const whole = tokens(DOCUMENT, QUESTION);
		const output = tokens(`Sample answer to: ${QUESTION}`);
		expect((await it.completions(ask2('5m'))).body.usage).toEqual({
			prompt_tokens: whole,
			completion_tokens: output,
			total_tokens: whole + output,
			prompt_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
			vendor_cache_creation_5_m_tokens: tokens(DOCUMENT),
			vendor_cache_creation_1_h_tokens: 0,
		});
		it.sandbox.reset();
		it.sandbox.settings.set({ cacheTtlBreakdown: false });
		const generic = (await it.completions(ask2('5m'))).body.usage;
		expect(generic?.prompt_tokens_details).toEqual({
			cached_tokens: 0,
			cache_write_tokens: tokens(DOCUMENT),
		});
		expect(generic).not.toHaveProperty('vendor_cache_creation_5_m_tokens');
		expect((await it.messages(ask1())).body.usage).not.toHaveProperty('cache_creation');
	});

	test('is charged, shown in the ledger, and is no submission', async () => {
		await it.messages(ask1());
		const [entry] = it.sandbox.chat.bill().requests;
		const report = it.sandbox.ledger();
		expect(report).toMatchObject({ accepted: 0, chargedCredits: Math.ceil(entry?.credits ?? 0) });
		expect((await it.client.get('/balance')).body.used_credits).toBe(report.chargedCredits);
		expect((await it.admin('GET', '/chat/bill')).body).toEqual(
			JSON.parse(JSON.stringify(it.sandbox.chat.bill())),
		);
	});
});

describe('access', () => {
	test('to messages is by x-api-key alone', async () => {
		const bearer = await it.client.post(
			'/v1/messages',
			{ model: MODEL, ...ask1() },
			{ 'vendor-version': '2023-06-01' },
		);
		expect([bearer.status, bearer.body.error?.type]).toEqual([401, 'authentication_error']);
		for (const key of ['', 'wrong', SANDBOX_KEYS.deleted])
			expect((await it.messages(ask1(), { 'x-api-key': key })).status).toBe(401);
		expect((await it.messages(ask1(), { 'x-api-key': SANDBOX_KEYS.forbidden })).status).toBe(403);
	});

	test('to completions is by bearer token alone', async () => {
		const byKey = await ask(`${it.sandbox.url}/v1/chat/completions`, {
			method: 'POST',
			headers: { 'content-type': 'application/json', 'x-api-key': it.sandbox.key },
			body: JSON.stringify({ model: MODEL, ...ask2() }),
		});
		expect([byKey.status, byKey.body.error?.type]).toEqual([401, 'authentication_error']);
		expect(
			(await it.completions(ask2(), { authorization: `Bearer ${SANDBOX_KEYS.forbidden}` })).status,
		).toBe(403);
	});

	test('is 402 without credits', async () => {
		expect((await it.messages(ask1(), { 'x-api-key': SANDBOX_KEYS.empty })).body.error?.type).toBe(
			'payment_required',
		);
		expect((await it.messages(ask1(), { 'x-api-key': SANDBOX_KEYS.unlimited })).status).toBe(200);
	});

	test.each([
		['no vendor-version', {}, { 'vendor-version': '' }],
		['another vendor-version', {}, { 'vendor-version': '2024-01-01' }],
		['no model', { model: undefined }, {}],
		['no messages', { messages: [] }, {}],
		['another role', { messages: [{ role: 'system', content: 'x' }] }, {}],
		['max_tokens of nothing', { max_tokens: 0 }, {}],
	])('to messages with %s is 400', async (_what, body, headers) => {
		const answer = await it.messages({ ...ask1(), ...body }, headers);
		expect([answer.status, answer.body.error?.type]).toEqual([400, 'invalid_request_error']);
		expect(it.sandbox.chat.bill().requests).toEqual([]);
	});
});

describe('answers', () => {
	const say = (content: string) => ({ messages: [{ role: 'user', content }] });
	const content = ({ body }: Answer) => body.choices?.[0]?.message?.content;

	test('can be kept for all requests that match', async () => {
		it.sandbox.chat.script({ text: 'about cats', when: { contains: 'cat' }, repeat: true });
		expect(content(await it.completions(say('a cat')))).toBe('about cats');
		expect(content(await it.completions(say('a dog')))).toBe('Sample answer to: a dog');
		expect(content(await it.completions(say('my cat')))).toBe('about cats');
		it.sandbox.chat.clearScript();
		expect(content(await it.completions(say('a cat')))).toBe('Sample answer to: a cat');
	});

	/** An agent's loop: a call of a tool, its result, the answer. */
	const AGENT = [
		{
			when: { lastRole: 'user' as const },
			toolCalls: [{ name: 'make_image', arguments: { prompt: 'a fox' } }],
		},
		{ when: { lastRole: 'tool' as const }, text: 'Here it is: {{tool}}' },
	];

	test('drive an agent through a tool call', async () => {
		const prepared = await it.admin('POST', '/chat/replies', AGENT);
		expect(prepared.body).toHaveLength(2);
		const first = await it.completions(say('Draw a fox'));
		const choice = first.body.choices?.[0];
		expect(choice).toMatchObject({
			finish_reason: 'tool_calls',
			message: {
				role: 'assistant',
				content: null,
				tool_calls: [{ type: 'function', function: { name: 'make_image' } }],
			},
		});
		const call = choice?.message?.tool_calls?.[0];
		expect(JSON.parse(text(call?.function?.arguments))).toEqual({ prompt: 'a fox' });
		const second = await it.completions({
			messages: [
				{ role: 'user', content: 'Draw a fox' },
				choice?.message,
				{ role: 'tool', tool_call_id: text(call?.id), content: 'https://example.com/fox.png' },
			],
		});
		expect(content(second)).toBe('Here it is: https://example.com/fox.png');
	});

	test('drive an agent in messages style', async () => {
		it.sandbox.chat.script(...AGENT);
		const first = await it.messages(say('Draw a fox'));
		expect(first.body).toMatchObject({
			stop_reason: 'tool_use',
			content: [{ type: 'tool_use', name: 'make_image', input: { prompt: 'a fox' } }],
		});
		const second = await it.messages({
			messages: [
				{ role: 'user', content: 'Draw a fox' },
				{ role: 'assistant', content: first.body.content },
				{
					role: 'user',
					content: [
						{ type: 'tool_result', tool_use_id: first.body.content?.[0]?.id, content: 'the link' },
					],
				},
			],
		});
		expect(second.body.content).toEqual([{ type: 'text', text: 'Here it is: the link' }]);
	});

	test('that nobody has prepared call the first tool on offer with what was said, and repeat its result', async () => {
		// n8n puts the parameters of a tool that needs an approval into a group.
		const inner = {
			type: 'object',
			properties: { prompt: { type: 'string' }, n: { type: 'number' } },
		};
		const schema = {
			type: 'object',
			properties: { ...inner.properties, toolParameters: inner, none: { type: 'object' } },
		};
		const filled = { prompt: 'Draw a fox', toolParameters: { prompt: 'Draw a fox' }, none: {} };
		const completions = await it.completions({
			...say('Draw a fox'),
			tools: [
				{ type: 'function', function: { name: 'draw', parameters: schema } },
				{ type: 'function', function: { name: 'sing' } },
			],
		});
		const called = completions.body.choices?.[0]?.message?.tool_calls ?? [];
		expect(called).toMatchObject([{ function: { name: 'draw' } }]);
		expect(JSON.parse(text(called[0]?.function?.arguments))).toEqual(filled);
		const messages = await it.messages({
			...say('Draw a fox'),
			tools: [{ name: 'draw', input_schema: schema }],
		});
		expect(messages.body.content).toMatchObject([
			{ type: 'tool_use', name: 'draw', input: filled },
		]);
		const result = { role: 'tool', tool_call_id: text(called[0]?.id), content: 'the link' };
		const last = await it.completions({
			messages: [...say('Draw a fox').messages, completions.body.choices?.[0]?.message, result],
		});
		expect(content(last)).toBe('Sample answer with the result: the link');
	});

	test('that are invalid are refused', async () => {
		const answer = await it.admin('POST', '/chat/replies', { words: 'x' });
		expect(answer.status).toBe(400);
		expect(it.sandbox.chat.scripted()).toEqual([]);
	});
});

describe('a streamed answer', () => {
	function events(answer: Answer): Json[] {
		expect(answer.headers.get('content-type')).toMatch(/^text\/event-stream/);
		const lines = answer.text.split('\n\n').filter(Boolean);
		expect(lines.pop()).toBe('data: [DONE]');
		return lines.map((line) => JSON.parse(line.replace(/^data: /, '')) as Json);
	}

	test('has tool calls in pieces, those of several in turns, and the usage on request', async () => {
		it.sandbox.chat.script({
			toolCalls: [
				{ name: 'draw', arguments: { what: 'a red fox' } },
				{ name: 'sing', arguments: {} },
			],
		});
		const chunks = events(
			await it.completions({ ...ask2(), stream: true, stream_options: { include_usage: true } }),
		);
		const deltas = chunks.flatMap((chunk) => chunk.choices?.[0]?.delta?.tool_calls ?? []) as Json[];
		const argumentsOf = (index: number) =>
			deltas
				.filter((each) => Number(each.index) === index)
				.map((each) => text(each.function?.arguments))
				.join('');
		expect(deltas.slice(0, 2)).toMatchObject([
			{ index: 0, type: 'function', function: { name: 'draw', arguments: '' } },
			{ index: 1, type: 'function', function: { name: 'sing', arguments: '' } },
		]);
		expect(deltas.length).toBeGreaterThan(4);
		expect([argumentsOf(0), argumentsOf(1)]).toEqual(['{"what":"a red fox"}', '{}']);
		expect(chunks.at(-2)?.choices?.[0]?.finish_reason).toBe('tool_calls');
		expect(chunks.at(-1)).toMatchObject({
			choices: [],
			usage: { vendor_cache_creation_5_m_tokens: tokens(DOCUMENT) },
		});
	});

	/** Events of messages style, each with its name. */
	function namedEvents(answer: Answer): Json[] {
		expect(answer.headers.get('content-type')).toMatch(/^text\/event-stream/);
		const lines = answer.text.split('\n\n').filter(Boolean);
		return lines.map((line) => {
			const [name = '', data = ''] = line.split('\n');
			const json = JSON.parse(data.replace(/^data: /, '')) as Json;
			expect(name).toBe(`event: ${String(json.type)}`);
			return json;
		});
	}

	test('of messages has the usage of the input first, then text, tool calls, and the reason of its end', async () => {
		it.sandbox.chat.script({
			text: 'One moment',
			toolCalls: [{ name: 'draw', arguments: { what: 'a red fox' }, id: 'call-1' }],
		});
		const chunks = namedEvents(await it.messages({ ...ask1(), stream: true }));
		const block = 'content_block_start content_block_delta content_block_stop';
		expect(chunks.map(({ type }) => type).filter((type, at, all) => all[at - 1] !== type)).toEqual(
			words(`message_start ping ${block} ${block} message_delta message_stop`),
		);
		expect(chunks[0]?.message?.usage).toMatchObject({
			input_tokens: tokens(QUESTION),
			cache_creation_input_tokens: tokens(DOCUMENT),
			cache_read_input_tokens: 0,
		});
		const starts = chunks.filter(({ type }) => String(type) === 'content_block_start');
		expect(starts.map(({ index, content_block }) => [index, content_block])).toEqual([
			[0, { type: 'text', text: '' }],
			[1, { type: 'tool_use', id: 'call-1', name: 'draw', input: {} }],
		]);
		const pieces = chunks.map(({ delta }) => delta?.partial_json).filter(Boolean);
		expect(pieces.length).toBeGreaterThan(1);
		expect(JSON.parse(pieces.join(''))).toEqual({ what: 'a red fox' });
		expect(chunks.map(({ delta }) => delta?.text).filter(Boolean)).toEqual(['One ', 'moment']);
		expect(chunks.at(-2)).toMatchObject({
			delta: { stop_reason: 'tool_use' },
			usage: { output_tokens: it.sandbox.chat.bill().requests[0]?.output },
		});
	});
});

describe('a strict sandbox', () => {
	beforeEach(() => it.sandbox.settings.set({ strict: true }));

	const marker = { cache_control: { type: 'ephemeral' } };
	const user = (content: unknown) => ({ role: 'user', content });
	const assistant = (...calls: string[]) => ({
		role: 'assistant',
		content: null,
		tool_calls: calls.map((id) => ({ id, type: 'function', function: { name: 'draw' } })),
	});
	const result = (id: string, content: unknown = 'done') => ({
		role: 'tool',
		tool_call_id: id,
		content,
	});
	const use = (...ids: string[]) => ({
		role: 'assistant',
		content: ids.map((id) => ({ type: 'tool_use', id, name: 'draw', input: {} })),
	});
	const used = (...ids: string[]) => ({
		role: 'user',
		content: ids.map((id) => ({ type: 'tool_result', tool_use_id: id, content: 'done' })),
	});

	test.each([
		['a message', { messages: [{ ...user('x'), ...marker }] }],
		['the request', { messages: [user('x')], ...marker }],
		['a tool', { messages: [user('x')], tools: [{ type: 'function', ...marker }] }],
		['a function', { messages: [user('x')], tools: [{ function: { name: 'a', ...marker } }] }],
		['a result', { messages: [user('x'), assistant('1'), result('1', [block('done', true)])] }],
	])('refuses a marker on %s of completions, which enables nothing', async (_where, body) => {
		it.sandbox.settings.set({ strict: false });
		expect(seen(await it.completions(body))).toMatchObject({ read: 0, written: 0 });
		it.sandbox.settings.set({ strict: true });
		const answer = await it.completions(body);
		expect(answer.status).toBe(400);
		expect(answer.body.error?.message).toMatch(/marker outside a content block/);
	});

	test('knows the marker of a tool in messages', async () => {
		const tools = [{ name: 'read', description: DOCUMENT, input_schema: {}, ...marker }];
		const ask = (question: string) => it.messages({ tools, messages: [user(question)] });
		const { written } = seen(await ask('a'));
		expect(written).toBeGreaterThanOrEqual(tokens(DOCUMENT));
		expect(seen(await ask('b'))).toMatchObject({ read: written, written: 0 });
	});

	test.each([
		['messages', [user('x'), use('1')], /without a result: 1/],
		['messages', [user('x'), use('1', '2'), used('1')], /without a result: 2/],
		['messages', [user('x'), use('1'), user('y'), used('1')], /without a result: 1/],
		['messages', [user('x'), used('1')], /without its tool call: 1/],
		['messages', [use('1'), used('1')], /must be of the user/],
		['messages', [user([block('')])], /text block is empty/],
		['completions', [user('x'), assistant('1', '2'), result('1')], /without a result: 2/],
		['completions', [user('x'), assistant('1'), user('y')], /without a result: 1/],
		['completions', [user('x'), result('1')], /without its tool call: 1/],
	] as const)('refuses in %s a talk that does not fit: %#', async (style, messages, why) => {
		const answer = await it[style]({ messages });
		expect(answer.status).toBe(400);
		expect(answer.body.error?.message).toMatch(why);
		expect(it.sandbox.chat.bill().requests).toEqual([]);
	});

	test('accepts calls side by side, and one after the other', async () => {
		const inBlocks = [user('x'), use('1', '2'), used('1', '2'), use('3'), used('3')];
		expect((await it.messages({ messages: inBlocks })).status).toBe(200);
		const inMessages = [user('x'), assistant('1', '2'), result('1'), result('2')];
		expect((await it.completions({ messages: inMessages })).status).toBe(200);
	});
});
