import type { ServerResponse } from 'node:http';
import { z } from 'zod/v3';

import type { FaultRuleInput } from '../../../sandbox/service';
import { document, useChatSandbox } from '../support/chat';
import { ask, drawTool, read, STYLES, system, user, withModel } from '../support/chatModel';
import { until, useShortRequestLimit } from '../support/clocks';
import { log, ok } from '../support/engine';
import { type Reply, SCRIPTED_KEY, useScriptedService } from '../support/scriptedService';

const service = useChatSandbox();

const PATHS = { messages: '/v1/messages', completions: '/v1/chat/completions' };

describe.each(STYLES)('$apiStyle, streamed: $streams', ({ apiStyle, streams }) => {
	const question = [system(document('pump', 1_500)), user('How deep is the sea?')];
	const asked = async (more: Partial<Parameters<typeof ask>[0]> = {}) =>
		await ask(
			{ credential: service.credential(), parameters: { apiStyle }, streams, ...more },
			...question,
		);
	const fault = (effect: FaultRuleInput['effect'], count: number | null = 1) =>
		service.sandbox.faults.add({ match: { path: PATHS[apiStyle] }, count, effect });

	const answerNever = () =>
		service.sandbox.settings.set(
			streams ? { chatPieceDelay: 60_000_000 } : { chatLatency: 60_000_000 },
		);

	test('a rate limit is waited for, and the answer comes once', async () => {
		fault({ type: 'status', status: 429, retryAfter: 1 }, 2);
		ok(await asked());
		expect(service.requests()).toHaveLength(3);
		expect(service.sandbox.chat.bill().requests).toHaveLength(1);
	});

	test('a rate limit longer than the time for an answer is told', async () => {
		fault({ type: 'status', status: 429, retryAfter: 600 }, null);
		const { error } = await asked({ options: { timeout: 30 } });
		expect(error?.message).toContain('Rate limit reached');
		expect(service.requests()).toHaveLength(1);
	});

	async function expectSentOnce(effect: FaultRuleInput['effect'], message: string): Promise<void> {
		fault(effect, null);
		const { error, chunks } = await asked({ options: { timeout: 20 } });
		expect(error?.message).toContain(message);
		expect(error?.description).toContain('The answer may have been bought anyway');
		// An agent shows the message alone.
		expect(JSON.stringify(log)).toContain('The answer may have been bought anyway');
		expect(service.requests()).toHaveLength(1);
		expect(chunks).toEqual([]);
	}

	test.each([
		['a 500', { type: 'status', status: 500 }, 'Server error (HTTP 500)'],
		['a 502', { type: 'status', status: 502 }, 'Bad gateway (HTTP 502)'],
		['a reset', { type: 'reset', when: 'after' }, 'The connection to the service was lost'],
		['a broken answer', { type: 'malformedJson' }, 'The response could not be read'],
	] as const)('%s is one request: it may have been paid for', async (_name, effect, message) => {
		await expectSentOnce(effect, message);
	});

	describe('no answer', () => {
		useShortRequestLimit();

		test('is one request: it may have been paid for', async () =>
			await expectSentOnce({ type: 'hang' }, 'The request timed out'));
	});

	test('a wrong key is named, and shown nowhere', async () => {
		const apiKey = 'a-key-that-nobody-knows-7711';
		const { error } = await asked({ credential: { ...service.credential(), apiKey } });
		expect(error?.message).toContain('Authentication failed');
		expect(JSON.stringify([error, log])).not.toContain(apiKey);
	});

	test('a cancel ends the request', async () => {
		answerNever();
		let cancel = () => {};
		const running = asked({ onStart: (cancelRun) => (cancel = cancelRun) });
		await until(() => service.requests().length === 1 && service.requests()[0]?.body !== undefined);
		if (streams) await until(() => service.requests()[0]?.outcome === 'open');
		cancel();
		await until(() => service.requests()[0]?.outcome === 'cut');
		await running;
		expect(service.requests()).toHaveLength(1);
		// n8n saves nothing of a stopped execution.
		expect(log.join('\n')).toMatch(/may have been bought anyway|bills this question/);
	});

	test('the signal of one question ends it, too', async () => {
		answerNever();
		const own = new AbortController();
		const running = asked({ config: { signal: own.signal } });
		await until(() => service.requests()[0]?.body !== undefined);
		own.abort();
		await until(() => service.requests()[0]?.outcome === 'cut');
		expect((await running).error?.message).toContain('canceled');
	});
});

describe.each(['messages', 'completions'] as const)('a stream in %s style', (apiStyle) => {
	const run = () => ({ credential: service.credential(), parameters: { apiStyle }, streams: true });

	test('that is cut in the middle is an error that names what was bought', async () => {
		service.sandbox.chat.script({
			text: 'The sea is about four thousand meters deep in most places.',
		});
		service.sandbox.faults.add({ effect: { type: 'cutBody' } });
		const { error, chunks } = await ask(run(), system(document('sea', 1_500)), user('How deep?'));
		expect(error?.message).toMatch(
			/^The answer broke off after \d words: The connection to the service was lost/,
		);
		// All that n8n shows in a streamed chat.
		expect(error?.description).toMatch(
			/^The answer broke off after \d words: .* The service bills this question/,
		);
		expect(error?.description).toContain('The sea is about');
		// Completions style tells the usage at the end only.
		if (apiStyle === 'messages')
			expect(error?.description).toMatch(/input tokens \(0 read from the cache, [\d,]+ written/);
		expect(chunks.length).toBeGreaterThan(0);
		expect(service.requests()).toHaveLength(1);
		expect(service.sandbox.chat.bill().requests).toHaveLength(1);
	});

	test('that is cut in a tool call names the tool', async () => {
		const what = 'a very long description of a fox that sits in the snow and looks at the sea';
		service.sandbox.chat.script({ toolCalls: [{ name: 'draw', arguments: { what } }] });
		service.sandbox.faults.add({ effect: { type: 'cutBody' } });
		const { error, chunks } = await ask({ ...run(), tools: [drawTool] }, user('Draw a fox'));
		expect(error?.message).toContain('after 0 words and the beginning of a call of draw');
		expect(chunks).toEqual([]);
	});

	test('that stalls ends with the time for an answer', async () => {
		service.sandbox.settings.set({ chatPieceDelay: 60_000_000 });
		const { error } = await ask({ ...run(), options: { timeout: 3 } }, user('How deep?'));
		expect(error?.message).toContain('The request timed out');
		await until(() => service.requests()[0]?.outcome === 'cut');
	});

	test('that is canceled is named in the log, with what had come, and says so', async () => {
		service.sandbox.chat.script({ text: 'one two three four five six seven eight' });
		service.sandbox.settings.set({ chatPieceDelay: 20_000 });
		let cancel = () => {};
		let thrown: unknown;
		await withModel({ ...run(), onStart: (stop) => (cancel = stop) }, async (model) => {
			try {
				for await (const chunk of model.stream([user('Count')]))
					if (chunk.type === 'text-delta' && chunk.delta.includes('two')) cancel();
			} catch (error) {
				thrown = error;
			}
		});
		expect(String(thrown)).toContain('canceled, after');
		expect(log.join('\n')).toMatch(
			/^MediaGen: ".+": .*canceled, after [2-4] words of an answer\..*one two.* \(execution \d+\)/m,
		);
	});
});

describe('a service that answers otherwise', () => {
	const scripted = useScriptedService();

	const events = (...data: unknown[]) => ({
		raw: (response: ServerResponse) => {
			response.writeHead(200, { 'content-type': 'text/event-stream' });
			for (const each of data)
				response.write(`data: ${typeof each === 'string' ? each : JSON.stringify(each)}\n\n`);
			response.end();
		},
	});

	const tools = ['draw', 'look'].map((name) => ({ ...drawTool, name }));

	const askedIn = async (apiStyle: keyof typeof PATHS, streams: boolean, ...replies: Reply[]) => {
		scripted.on('POST', PATHS[apiStyle], ...replies);
		return await ask(
			{ credential: scripted.credential(), parameters: { apiStyle }, streams, tools },
			user('How deep?'),
		);
	};

	const asked = async (apiStyle: keyof typeof PATHS, reply: Reply, streams = true) =>
		await askedIn(apiStyle, streams, reply);

	/** A chunk of an answer in completions style. */
	const piece = (content: string, finish_reason?: string) => ({
		choices: [{ delta: { content }, finish_reason }],
	});
	const end = { choices: [{ delta: {}, finish_reason: 'stop' }] };

	test.each(['messages', 'completions'] as const)(
		'an error in the middle of a stream of %s is told, without the key',
		async (apiStyle) => {
			const message = `Overloaded ${SCRIPTED_KEY}`;
			const overloaded = { type: 'error', error: { type: 'overloaded_error', message } };
			const { error } = await asked(apiStyle, events(piece('About '), overloaded));
			expect(error?.message).toContain('broke off after 1 word: ');
			expect(error?.message).toContain('Overloaded •••');
		},
	);

	test('an error before anything else is not said to be billed', async () => {
		const overloaded = { type: 'error', error: { type: 'overloaded_error', message: 'Busy' } };
		const { error } = await asked('messages', events(overloaded));
		expect(error?.description).toContain('The answer may have been bought anyway');
		expect(error?.description).not.toContain('bills');
	});

	const empty = { error: { code: 402, message: 'Empty' } };

	test.each<[string, keyof typeof PATHS, Reply]>([
		['before anything else in a stream', 'completions', events(empty)],
		['in one piece', 'messages', { json: empty }],
	])('a refusal %s was not bought, and does not count to Max Tasks', async (_, apiStyle, reply) => {
		scripted.on('POST', PATHS[apiStyle], reply);
		const setup = { credential: scripted.credential(), options: { maxTasks: 1 } };
		await withModel({ ...setup, parameters: { apiStyle } }, async (model) => {
			const stream = async () => {
				for await (const chunk of model.stream([user('Why?')])) void chunk;
			};
			await expect(stream()).rejects.toThrow(/^Insufficient balance: Empty/);
			await expect(stream()).rejects.toThrow(/^Insufficient balance: Empty/);
		});
		expect(JSON.stringify(log)).not.toContain('may have been bought');
	});

	test.each<[string, object[], string]>([
		['no reason for the end', [], 'The service gave no reason for the end of the answer'],
		[
			'a reason that is none of a whole answer',
			[{ choices: [{ delta: {}, finish_reason: 'content_filter' }] }],
			'The answer ended with the stop reason "content_filter": it may not be whole',
		],
	])('of an answer with %s, the log says that it may not be whole', async (_, last, warning) => {
		ok(await asked('completions', events(piece('Do not'), ...last, '[DONE]')));
		expect(log.join('\n')).toContain(warning);
	});

	const answered = (type: string, text: string, isCut = false) => ({
		raw: (response: ServerResponse) => {
			response.writeHead(200, { 'content-type': type, 'content-length': text.length + 1 });
			if (isCut) response.write(text, () => setImmediate(() => response.destroy()));
			else response.end(`${text}\n`);
		},
	});

	describe.each([true, false])('streamed: %s', (streams) => {
		test('blank lines that come while the service thinks are no answer', async () => {
			const content = [{ type: 'text', text: 'About four' }];
			const whole = JSON.stringify({ type: 'message', content, stop_reason: 'end_turn' });
			const pieces = ['\n', '\n\n', streams ? `data: ${whole}\n\n` : whole];
			const raw = (response: ServerResponse) => {
				response.writeHead(200, { 'content-type': 'application/json' });
				const next = () => {
					const piece = pieces.shift();
					if (piece === undefined) response.end();
					else response.write(piece, () => setTimeout(next, 20));
				};
				next();
			};
			const answer = ok(await asked('messages', { raw }, streams));
			expect(read(answer).text).toBe('About four');
		});

		test.each([
			['text that is no JSON', 'data: About four\n\ndata: [DONE]\n'],
			['chunks of another form', 'data: {"output_text":"About four"}\n\ndata: [DONE]\n'],
			['a page', '<html>About four</html>'],
			['plain text', 'About four'],
		])('%s is no answer, and shown', async (_what, text) => {
			const { error, chunks } = await asked('messages', answered('text/html', text), streams);
			expect(error?.message).toContain('The response could not be read (HTTP 200): ');
			// In a streamed chat, n8n shows the description alone.
			const shown = streams ? `${error?.description}` : `${error?.message} ${error?.description}`;
			expect(shown.split('About four')).toHaveLength(2);
			expect(error?.description).toContain('The answer may have been bought anyway');
			expect(chunks).toEqual([]);
			expect(scripted.requests).toHaveLength(1);
		});

		test.each([
			['an answer in one piece', '{"content":"About four'],
			['a page', '<html>About four'],
		])('%s that is cut is shown', async (_what, text) => {
			const { error } = await asked('messages', answered('text/html', text, true), streams);
			expect(error?.message).toContain('The connection to the service was lost');
			expect(error?.description).toContain('About four');
			// An agent shows the message alone.
			expect(JSON.stringify(log)).toContain('About four');
		});

		test('an event of which a part is missing ends the answer: without it, the rest would be another one', async () => {
			const broken = [piece('water, '), '{"choices": [{"delta": {"cont', piece('alcohol'), end];
			const { error } = await asked('completions', events(...broken, '[DONE]'), streams);
			expect(error?.message).toContain('The answer broke off after 1 word: ');
			expect(`${error?.message} ${error?.description}`).toContain('water,');
		});

		test('several pieces in the lines of one event are read', async () => {
			const lines = [piece('Three '), piece('Four')].map((each) => JSON.stringify(each));
			const reply = events(lines.join('\ndata: '), end, '[DONE]');
			const answer = await asked('completions', reply, streams);
			expect(read(answer).text).toBe('Three Four');
		});

		test('a rate limit in a body is waited for', async () => {
			const limited = { json: { error: { code: 429, message: 'Slow' } } };
			const four = { json: { content: 'Four' } };
			expect(read(await askedIn('messages', streams, limited, four)).text).toBe('Four');
			expect(scripted.requests).toHaveLength(2);
		});
	});

	test.each([
		[
			'messages',
			'event: error\ndata: {"type":"error","error":{"type":"rate_limit_error","message":"Slow"}}\n\n',
		],
		['completions', 'data: {"error":{"code":429,"message":"Slow"}}\n\n'],
	] as const)('a rate limit in the first event of %s is waited for', async (apiStyle, event) => {
		const refusal = { text: event, headers: { 'content-type': 'text/event-stream' } };
		const four = { json: { content: 'Four' } };
		expect(read(await askedIn(apiStyle, true, refusal, four)).text).toBe('Four');
		expect(scripted.requests).toHaveLength(2);
	});

	test('an answer that streams though it was not asked to is read', async () => {
		const reply = events(piece('About '), piece('four', 'stop'), '[DONE]');
		expect(read(await asked('completions', reply, false)).text).toBe('About four');
	});

	test('a stream that ends without an end is cut', async () => {
		const { error } = await asked('completions', events(piece('About four', '')));
		expect(error?.message).toContain('broke off after 2 words');
	});

	test('a stream needs no last word when its end has a reason', async () => {
		const { chunks } = ok(await asked('completions', events(piece('Four', 'stop'))));
		expect(chunks.at(0)).toEqual({ type: 'text-delta', delta: 'Four' });
	});

	test.each([
		['an error', { error: { code: 402, message: 'Empty' } }, /Insufficient balance: Empty/],
		// n8n would count the execution as stopped by its user.
		['an end by the service', { error: { code: 402, message: 'canceled' } }, /balance: cancelled/],
		['nothing of use', { done: true }, /The response could not be read/],
	])('%s in one piece is an error', async (_what, json, message) => {
		expect((await asked('messages', { json })).error?.message).toMatch(message);
		expect((await asked('messages', { json }, false)).error?.message).toMatch(message);
	});

	const usage = { input_tokens: 9, output_tokens: 5 };

	test('an answer in one piece counts although an error stands beside it, streamed or not', async () => {
		const json = { content: [{ type: 'text', text: 'Four' }], usage, error: { message: 'Slow' } };
		for (const streams of [true, false]) {
			const answer = ok(await asked('messages', { json }, streams));
			expect(read(answer).text).toBe('Four');
		}
	});

	const use = (id: string, name: string, input?: unknown) => ({
		type: 'tool_use',
		id,
		name,
		input,
	});

	test.each<[string, object[], string]>([
		['An answer', [], 'cut at "Max Tokens" before its first word'],
		['A call', [use('a', 'draw', '{"what": "a fo')], 'The answer was cut at "Max Tokens"'],
	])('%s that was cut at Max Tokens, in one piece, is named', async (_, content, words) => {
		const json = { content, stop_reason: 'max_tokens', usage };
		for (const streams of [true, false]) {
			const { error } = await asked('messages', { json }, streams);
			expect(error?.message).toContain(words);
			expect(error?.description).toContain('Raise "Max Tokens"');
		}
	});

	const tool_calls = [{ id: 'b', function: { name: 'draw', arguments: '' } }];
	const cutCall = (input: object | undefined) => ({
		messages: {
			content: [use('a', 'look', {}), use('b', 'draw', input)],
			stop_reason: 'max_tokens',
			usage,
		},
		completions: { choices: [{ message: { tool_calls }, finish_reason: 'length' }], usage },
	});

	test.each([{}, undefined, { what: 'a fo' }])(
		'a call with the arguments %j that was cut at Max Tokens does not run without the rest',
		async (input) => {
			for (const style of ['messages', 'completions'] as const) {
				const { error } = await asked(style, { json: cutCall(input)[style] }, false);
				expect(error?.message).toContain('in the middle of a call of the tool "draw"');
			}
		},
	);

	test('nor does one whose arguments had not begun', async () => {
		const { error } = await asked(
			'messages',
			events(
				{ type: 'content_block_start', index: 0, content_block: use('a', 'draw', {}) },
				{ type: 'message_delta', delta: { stop_reason: 'max_tokens' }, usage },
				{ type: 'message_stop' },
			),
		);
		expect(error?.message).toContain('in the middle of a call of the tool "draw"');
	});

	test('a call before the one that was cut, and arguments that are whole, are taken', async () => {
		const [call] = cutCall({}).messages.content;
		const whole = use('b', 'draw', '{"what": "a fox"}');
		const json = { content: [call, whole], stop_reason: 'max_tokens', usage };
		ok(await asked('messages', { json }, false));
	});

	test('the key is in no output, where the service repeats it', async () => {
		const text = `Your key is ${SCRIPTED_KEY}`;
		const whole = await asked('messages', { json: { content: text, stop_reason: 'end' } }, false);
		const streamed = await asked('completions', events(piece(text, 'stop')));
		const shown = z.string().parse(JSON.stringify([whole, streamed, log]));
		expect(shown).toContain('Your key is •••');
		expect(shown).not.toContain(SCRIPTED_KEY);
	});
});
