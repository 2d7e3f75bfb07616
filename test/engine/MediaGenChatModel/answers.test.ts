import type { ServerResponse } from 'node:http';
import { DIALECTS } from '../../../sandbox/service';
import { document, useChatSandbox } from '../support/chat';
import { ask, called, drawTool, read, STYLES, system, user } from '../support/chatModel';
import { log, ok } from '../support/engine';
import { SCRIPTED_KEY, useScriptedService } from '../support/scriptedService';

const service = useChatSandbox();

const ARGUMENTS = { what: 'a fox', 'on a': ['"hill"', { n: 1.5 }] };

describe.each(STYLES)('$apiStyle, streamed: $streams', ({ apiStyle, streams }) => {
	const asked = async (said: string, parameters: object = {}) =>
		await ask(
			{
				credential: service.credential(),
				parameters: { apiStyle, ...parameters },
				streams,
				tools: [drawTool],
			},
			user(said),
		);

	test.each(DIALECTS)('a text in the dialect %s', async (dialect) => {
		service.sandbox.settings.set({ dialect });
		service.sandbox.chat.script({ text: 'About  four\nthousand meters.' });
		expect(read(await asked('How deep?'))).toMatchObject({
			text: 'About  four\nthousand meters.',
			calls: [],
			finishReason: 'stop',
		});
	});

	test('tool calls, also side by side, each whole and with its id', async () => {
		service.sandbox.chat.script({
			text: 'One moment.',
			toolCalls: [
				{ name: 'draw', arguments: ARGUMENTS, id: 'call-1' },
				{ name: 'draw', id: 'call-2' },
			],
		});
		const answer = ok(await asked('Draw two.'));
		expect(read(answer)).toMatchObject({
			text: 'One moment.',
			calls: [
				{ id: 'call-1', name: 'draw', input: JSON.stringify(ARGUMENTS) },
				{ id: 'call-2', name: 'draw', input: '{}' },
			],
			finishReason: 'tool-calls',
		});
	});

	test('what it used', async () => {
		const run = { credential: service.credential(), parameters: { apiStyle }, streams };
		const prompt = [system(document('pump', 1_500)), user('How deep?')];
		await ask(run, ...prompt);
		const { usage } = read(await ask(run, ...prompt));
		const [, entry] = service.sandbox.chat.bill().requests;
		const { plain = 0, read: cacheRead = 0, output = 0 } = entry ?? {};
		expect(cacheRead).toBeGreaterThan(1_024);
		expect(usage).toEqual({
			promptTokens: plain + cacheRead,
			completionTokens: output,
			totalTokens: plain + cacheRead + output,
			inputTokenDetails: { cacheRead },
		});
	});

	test('an answer that is cut at Max Tokens', async () => {
		service.sandbox.chat.script({ text: 'one two three four five six seven eight nine ten' });
		const answer = await asked('Count', { maxTokens: 5 });
		expect(read(answer)).toMatchObject({ finishReason: 'length' });
		expect(read(answer).text).toMatch(/^one two/);
	});

	test('a refusal: an error without words, an answer with them', async () => {
		const answer = await asked('sandbox:refuse');
		if (apiStyle === 'completions') {
			const refused = { text: 'This was refused.', finishReason: 'content-filter' };
			expect(read(answer)).toMatchObject(refused);
			return;
		}
		expect(answer.error?.message).toContain('The model refused to answer (stop reason "refusal")');
		expect(answer.error?.description).toContain('The answer was paid for');
	});
});

describe('a service with a form of its own', () => {
	const scripted = useScriptedService();
	const asked = async (apiStyle: 'messages' | 'completions', reply: object, streams = false) => {
		scripted.on('POST', '/v1/*', reply);
		return await ask(
			{ credential: scripted.credential(), parameters: { apiStyle }, streams, tools: [drawTool] },
			user('Draw a fox'),
		);
	};
	const stream = (...events: object[]) => ({
		raw: (response: ServerResponse) => {
			response.writeHead(200, { 'content-type': 'text/event-stream' });
			for (const each of events) response.write(`data:${JSON.stringify(each)}\r\n\r\n`);
			response.end('data: [DONE]');
		},
	});
	const call = (fields: object) => ({ message: { tool_calls: [{ function: fields }] } });
	const chunk = (delta: object, finish_reason?: string) => ({
		choices: [{ delta, finish_reason }],
	});

	test.each([
		['an answer in data', { data: { content: 'Four', id: 'a-1', usage: { input_tokens: 3 } } }],
		['an answer in a list', { data: [{ choices: [{ message: { content: 'Four' } }] }] }],
		['a choice after an empty one', { choices: [null, { message: { content: 'Four' } }] }],
		['a chunk of a stream', { choices: [{ delta: { content: 'Four' } }] }],
		['the other style', { choices: [{ message: { content: [{ type: 'text', text: 'Four' }] } }] }],
	])('%s is read', async (_what, json) => {
		expect(read(await asked('messages', { json })).text).toBe('Four');
	});

	test.each([
		['as text', '{"what": "a fox"}', '{"what":"a fox"}'],
		['as an object', { what: 'a fox' }, '{"what":"a fox"}'],
		['missing', undefined, '{}'],
		['empty', ' ', '{}'],
		['written as null', 'null', '{}'],
	])('arguments %s are arguments', async (_how, given, expected) => {
		const json = { choices: [call({ name: 'draw', arguments: given })], usage: {} };
		const { calls } = read(await asked('completions', { json }));
		expect(calls).toEqual([
			{ id: expect.stringMatching(/^call_.{8}/), name: 'draw', input: expected },
		]);
	});

	test.each([false, true])(
		'a call of a tool that was not offered is left out, with a warning, or an error where there is no other call (streamed: %s)',
		async (streams) => {
			const call = (name: string, index: number) => ({
				...{ index, id: `call_${index}` },
				function: { name, arguments: '{}' },
			});
			const replyWith = (content: string, ...names: string[]) => {
				const said = { content, tool_calls: names.map(call) };
				return streams
					? stream(chunk(said, 'tool_calls'))
					: { json: { choices: [{ message: said, finish_reason: 'tool_calls' }] } };
			};
			const both = await asked('completions', replyWith('', 'Draw', 'functions.draw'), streams);
			expect(read(both).calls.map(({ name }) => name)).toEqual(['draw']);
			const words = 'The model called the tool "functions.draw", which it was not offered';
			expect(log.join('\n')).toContain(words);
			for (const content of ['', 'I will draw it.']) {
				const none = await asked('completions', replyWith(content, 'functions.draw'), streams);
				expect(none.error?.message).toContain(words);
			}
		},
	);

	test('tools whose names differ in case only are told apart', async () => {
		const tools = ['Draw', 'draw'].map((name) => ({ ...drawTool, name }));
		const tool_calls = ['Draw', 'draw', 'DRAW'].map((name) => ({ function: { name } }));
		scripted.on('POST', '/v1/*', { json: { choices: [{ message: { tool_calls } }] } });
		const run = {
			credential: scripted.credential(),
			parameters: { apiStyle: 'completions' },
			tools,
		};
		const { calls } = read(await ask(run, user('Draw a fox')));
		expect(calls.map(({ name }) => name)).toEqual(['Draw', 'draw', 'Draw']);
	});

	test.each(['messages', 'completions'] as const)(
		'a call where no tool was offered is an error: n8n would repeat the question ten times (%s)',
		async (apiStyle) => {
			const json = {
				messages: {
					content: [
						{ type: 'text', text: 'Four' },
						{ type: 'tool_use', name: 'look' },
					],
				},
				completions: { choices: [{ message: { ...call({ name: '' }).message, content: 'Four' } }] },
			}[apiStyle];
			scripted.on('POST', '/v1/*', { json });
			const run = { credential: scripted.credential(), parameters: { apiStyle } };
			const { error } = await ask(run, user('How many?'));
			expect(error?.message).toContain('which it was not offered');
			expect(scripted.requests).toHaveLength(1);
		},
	);

	const fox = { type: 'tool_use', id: 'a', name: 'draw', input: { what: 'a fox' } };
	const inOtherField = { ...fox, input: undefined, arguments: fox.input };

	test.each<[string, object[]]>([
		['a call that the answer holds twice, ID and all,', [fox, fox]],
		['a call with a blank after the name', [{ ...fox, name: 'draw ' }]],
		['a call with the arguments in the field of the other style', [inOtherField]],
	])('%s is one call', async (_, content) => {
		expect(read(await asked('messages', { json: { content, usage: {} } })).calls).toEqual([
			{ id: 'a', name: 'draw', input: '{"what":"a fox"}' },
		]);
	});

	test('two calls without ids get different ones', async () => {
		const block = { type: 'tool_use', name: 'draw', input: {} };
		const { calls } = read(
			await asked('messages', { json: { content: [block, block], usage: {} } }),
		);
		expect(new Set(calls.map(({ id }) => id)).size).toBe(2);
	});

	test.each([false, true])(
		'a call with the id of an earlier one gets its own, for n8n takes it as done (streamed: %s)',
		async (streams) => {
			const tool_calls = ['call_0', 'new', 'new'].map((id, index) => {
				return { index, id, function: { name: 'draw', arguments: `{"n":${index}}` } };
			});
			const reply = streams
				? stream(chunk({ tool_calls }, 'tool_calls'))
				: { json: { choices: [{ message: { tool_calls } }], usage: {} } };
			scripted.on('POST', '/v1/*', reply);
			const { calls } = read(
				await ask(
					{
						credential: scripted.credential(),
						parameters: { apiStyle: 'completions' },
						streams,
						tools: [drawTool],
					},
					user('Draw a fox'),
					...called('call_0', 'draw', { what: 'a fox' }, 'fox.png'),
				),
			);
			expect(calls.map(({ id }) => id)).toStrictEqual([
				expect.stringMatching(/^call_.{8}/),
				'new',
				expect.stringMatching(/^call_.{8}/),
			]);
		},
	);

	test.each<['messages' | 'completions', unknown[]]>([
		[
			'messages',
			[
				{ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Four' } },
				{ type: 'message_delta', delta: { stop_reason: 'end_turn' } },
				{ type: 'message_stop' },
			],
		],
		['completions', [chunk({ content: 'Four' }, 'stop'), '[DONE]']],
	])('an answer in %s style that has ended needs no end of the connection', async (...row) => {
		const [apiStyle, events] = row;
		const raw = (response: ServerResponse) => {
			response.writeHead(200, { 'content-type': 'text/event-stream' });
			for (const each of events)
				response.write(`data: ${typeof each === 'string' ? each : JSON.stringify(each)}\n\n`);
		};
		expect(read(await asked(apiStyle, { raw }, true)).text).toBe('Four');
	});

	test.each([
		['a short text', ''],
		['much text at once', 'Four thousand meters. '.repeat(400)],
	])('a key that comes in pieces is shown nowhere, in %s', async (_what, before) => {
		const half = SCRIPTED_KEY.length / 2;
		const [one, two] = [SCRIPTED_KEY.slice(0, half), SCRIPTED_KEY.slice(half)];
		const calls = (piece: string) =>
			chunk({ tool_calls: [{ function: { name: 'draw', arguments: piece } }] });
		const answer = await asked(
			'completions',
			stream(
				chunk({ content: `${before}It is ${one}` }),
				chunk({ content: `${two}, as you` }),
				chunk({ content: ' know' }),
				calls(`{"what":"${one}`),
				calls(`${two}"}`),
				chunk({}, 'tool_calls'),
			),
			true,
		);
		expect(read(answer)).toMatchObject({
			text: `${before}It is •••, as you know`,
			calls: [{ name: 'draw', input: '{"what":"•••"}' }],
		});
		expect(JSON.stringify(answer)).not.toContain(two);
	});

	test.each([false, true])('a call cut at Max Tokens says so (streamed: %s)', async (streams) => {
		const broken = { name: 'draw', arguments: '{"what": "a f' };
		const reply = streams
			? stream(chunk(call(broken).message, 'length'))
			: { json: { choices: [{ ...call(broken), finish_reason: 'length' }], usage: {} } };
		const { error } = await asked('completions', reply, streams);
		expect(error?.message).toContain(
			'cut at "Max Tokens", in the middle of a call of the tool "draw"',
		);
		expect(error?.description).toContain('Raise "Max Tokens"');
	});

	test('arguments that are no object are named, with what was paid for', async () => {
		const { message } = call({ name: 'draw', arguments: '[1]' });
		const usage = { prompt_tokens: 30, completion_tokens: 8 };
		const choices = [{ message: { ...message, content: 'A fox, then' } }];
		const { error } = await asked('completions', { json: { choices, usage } });
		expect(error?.message).toContain(
			'arguments of a call of the tool "draw" are not a JSON object',
		);
		const paid =
			/paid for: 30 input tokens .*, 8 output tokens\. The service sent "A fox, then"\. Ask again/;
		expect(error?.description).toMatch(paid);
		// An agent shows the message alone.
		expect(log.join('\n')).toContain('"A fox, then"');
	});

	test('a stream with pieces of any form', async () => {
		const answer = await asked(
			'completions',
			stream(
				{ id: 'c-1', ...chunk({ role: 'assistant', content: null }) },
				chunk({ content: [{ type: 'text', text: 'Vier ' }] }),
				chunk({ content: 'Füchse' }),
				chunk({ content: null, refusal: ' und' }),
				chunk({ tool_calls: [{ id: 'x', function: { name: 'draw', arguments: { n: 1 } } }] }),
				{ ...chunk({}, 'tool_calls'), usage: null },
				{ choices: [], usage: { prompt_tokens: 7, completion_tokens: 2 } },
			),
			true,
		);
		expect(read(answer)).toEqual({
			text: 'Vier Füchse und',
			calls: [{ id: 'x', name: 'draw', input: '{"n":1}' }],
			finishReason: 'tool-calls',
			usage: {
				promptTokens: 7,
				completionTokens: 2,
				totalTokens: 9,
				inputTokenDetails: { cacheRead: 0 },
			},
		});
	});

	test('a stream whose events have their types in their names only', async () => {
		const events: Array<[name: string, data: object]> = [
			['message_start', { message: { usage: { input_tokens: 3 } } }],
			['content_block_start', { index: 0, content_block: { type: 'text', text: '' } }],
			['content_block_delta', { index: 0, delta: { type: 'text_delta', text: 'Four' } }],
			['message_delta', { delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 1 } }],
			['message_stop', {}],
		];
		const text = events.map(([name, data]) => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`);
		const reply = { text: text.join(''), headers: { 'content-type': 'text/event-stream' } };
		expect(read(await asked('messages', reply, true))).toMatchObject({
			text: 'Four',
			usage: { promptTokens: 3, completionTokens: 1 },
		});
	});

	test.each([{}, { name: '', arguments: '' }])(
		'an empty call beside a text is none: %j',
		async (function_call) => {
			const message = { content: 'Four', function_call };
			const { text, calls } = read(
				await asked('completions', { json: { choices: [{ message }] } }),
			);
			expect({ text, calls }).toEqual({ text: 'Four', calls: [] });
		},
	);

	test.each([false, true])('a call in an older field is a call (streamed: %s)', async (streams) => {
		const called = (name: string | undefined, json: string) => ({
			content: null,
			function_call: { name, arguments: json },
		});
		const reply = streams
			? stream(chunk(called('draw', '{"n"')), chunk(called(undefined, ':1}'), 'function_call'))
			: { json: { choices: [{ message: called('draw', '{"n":1}') }], usage: {} } };
		expect(read(await asked('completions', reply, streams)).calls).toEqual([
			{ id: expect.stringMatching(/^call_.{8}/), name: 'draw', input: '{"n":1}' },
		]);
	});

	test.each(['', 'text/plain', 'application/octet-stream', 'text/event-stream'])(
		'a whole answer of the content type "%s", where a stream was asked for, is read',
		async (type) => {
			const choices = [{ message: { content: 'Four' }, finish_reason: 'stop' }];
			const whole = {
				raw: (response: ServerResponse) => {
					response.writeHead(200, type === '' ? {} : { 'content-type': type });
					response.end(JSON.stringify({ choices, usage: { prompt_tokens: 3 } }));
				},
			};
			const answer = await asked('completions', whole, true);
			const usage = { promptTokens: 3 };
			expect(read(answer)).toMatchObject({ text: 'Four', finishReason: 'stop', usage });
		},
	);

	test('a stream that is called JSON is read', async () => {
		const event = chunk({ content: 'Four' }, 'stop');
		const text = `data: ${JSON.stringify(event)}\n\ndata: [DONE]\n\n`;
		const reply = { text, headers: { 'content-type': 'application/json' } };
		expect(read(await asked('completions', reply, true)).text).toBe('Four');
	});

	test('an error after the end of a stream takes nothing of the answer away', async () => {
		const events = [
			...[chunk({ content: 'Four' }), chunk({}, 'stop')],
			{ error: { message: 'The usage could not be counted' } },
		];
		// In one piece.
		const text = events.map((each) => `data: ${JSON.stringify(each)}\n\n`).join('');
		const atOnce = { text, headers: { 'content-type': 'text/event-stream' } };
		expect(read(await asked('completions', atOnce, true)).text).toBe('Four');
	});

	test('a stream may be as long as an answer in one piece', async () => {
		const thought = chunk({ reasoning_content: 'x'.repeat(1_000_000) });
		const end = chunk({ content: 'Four' }, 'stop');
		const long = stream(...Array<object>(20).fill(thought), end);
		expect(read(await asked('completions', long, true)).text).toBe('Four');
	});

	test('without usage, an answer is an answer', async () => {
		expect(read(await asked('messages', { json: { content: 'Four' } })).usage).toBeUndefined();
	});
});
