import type { Message } from '@n8n/ai-node-sdk';

import { useChatSandbox } from '../support/chat';
import {
	ask,
	assistant,
	called,
	drawTool,
	type ModelRun,
	system,
	user,
} from '../support/chatModel';
import { ok } from '../support/engine';

const service = useChatSandbox();
beforeEach(() => service.sandbox.settings.set({ strict: true }));

const marker = { cache_control: { type: 'ephemeral' } };

const hourMarker = { cache_control: { type: 'ephemeral', ttl: '1h' } };

/** The request of a question, and the headers of interest. */
async function requestOf(run: Partial<ModelRun> & { streams?: boolean }, ...messages: Message[]) {
	ok(await ask({ credential: service.credential(), tools: [drawTool], ...run }, ...messages));
	const [request] = service.requests();
	return { body: request?.body, headers: request?.headers ?? {} };
}

const TALK: Message[] = [
	system('Be brief.'),
	user('Draw a fox and an owl.'),
	...called('call-1', 'draw', { what: 'a fox' }, 'fox.png'),
	...called('call-2', 'draw', { what: 'an owl' }, 'owl.png'),
	assistant('Both are done.'),
	user('Thanks. And a bear?'),
	...called('call-3', 'draw', { what: 'a bear' }, 'bear.png'),
];

const call = (id: string, what: string) => ({
	id,
	type: 'function',
	function: { name: 'draw', arguments: JSON.stringify({ what, id }) },
});

const use = (id: string, what: string) => ({
	role: 'assistant',
	content: [{ type: 'tool_use', id, name: 'draw', input: { what, id } }],
});

const used = (tool_use_id: string, content: string, more = {}) => ({
	role: 'user',
	content: [{ type: 'tool_result', tool_use_id, content, ...more }],
});

const text = (said: string, more = {}) => ({ type: 'text', text: said, ...more });

const parameters = { type: 'object', properties: { what: { type: 'string' } } };

test('blanks around the ID of the model are not sent', async () => {
	const { body } = await requestOf({ parameters: { model: ' vendor-chat-1\n' } }, user('Why?'));
	expect(body).toMatchObject({ model: 'vendor-chat-1' });
});

test('a talk with tools in messages style, with four markers, each in a block', async () => {
	const { body, headers } = await requestOf({}, ...TALK);
	expect(body).toEqual({
		model: 'vendor-chat-1',
		max_tokens: 500,
		system: [text('Be brief.', marker)],
		tools: [{ name: 'draw', description: 'Draws a picture', input_schema: parameters, ...marker }],
		messages: [
			{ role: 'user', content: [text('Draw a fox and an owl.')] },
			use('call-1', 'a fox'),
			used('call-1', 'fox.png'),
			use('call-2', 'an owl'),
			used('call-2', 'owl.png'),
			{ role: 'assistant', content: [text('Both are done.')] },
			{ role: 'user', content: [text('Thanks. And a bear?', marker)] },
			use('call-3', 'a bear'),
			used('call-3', 'bear.png', marker),
		],
	});
	expect(headers).toMatchObject({ 'vendor-version': '2023-06-01' });
	expect(headers).not.toHaveProperty('vendor-beta');
});

test('the same in completions style, where a tool and its result bear no marker', async () => {
	const { body } = await requestOf({ parameters: { apiStyle: 'completions' } }, ...TALK);
	const result = (tool_call_id: string, content: string) => ({
		role: 'tool',
		tool_call_id,
		content,
	});
	const calls = (each: object) => ({ role: 'assistant', content: null, tool_calls: [each] });
	expect(body).toEqual({
		model: 'vendor-chat-1',
		max_tokens: 500,
		messages: [
			{ role: 'system', content: [text('Be brief.', marker)] },
			{ role: 'user', content: [text('Draw a fox and an owl.')] },
			calls(call('call-1', 'a fox')),
			result('call-1', 'fox.png'),
			calls(call('call-2', 'an owl')),
			result('call-2', 'owl.png'),
			{ role: 'assistant', content: [text('Both are done.')] },
			{ role: 'user', content: [text('Thanks. And a bear?', marker)] },
			calls(call('call-3', 'a bear')),
			result('call-3', 'bear.png'),
		],
		tools: [
			{ type: 'function', function: { name: 'draw', description: 'Draws a picture', parameters } },
		],
	});
});

/** The texts, tools and results that bear a marker. */
const marked = (body: unknown): string[] => {
	const found: string[] = [];
	JSON.stringify(body, (_name, value: Record<string, unknown> | null) => {
		if (typeof value === 'object' && value?.cache_control)
			found.push(String(value.text ?? value.content ?? value.name));
		return value;
	});
	return found;
};

test.each([
	['all', ['Be brief.', 'draw', 'Thanks. And a bear?', 'bear.png']],
	['question', ['Be brief.', 'draw', 'Thanks. And a bear?']],
	['none', ['Be brief.', 'draw']],
])('Cached History "%s" marks that', async (cachedHistory, expected) => {
	const { body } = await requestOf({ options: { cachedHistory } }, ...TALK);
	expect(marked(body)).toEqual(expected);
});

test.each(['messages', 'completions'])('with Caching off, %s has no marker', async (apiStyle) => {
	const { body } = await requestOf({ parameters: { apiStyle, caching: 'off' } }, ...TALK);
	expect(marked(body)).toEqual([]);
});

test.each(['messages', 'completions'])('an hour has its header in %s', async (apiStyle) => {
	const { body, headers } = await requestOf(
		{ parameters: { apiStyle, caching: '1h' } },
		system('Be brief.'),
		user('Why?'),
	);
	expect(headers['vendor-beta']).toBe('extended-cache-ttl-2025-04-11');
	expect(JSON.stringify(body)).toContain(JSON.stringify(text('Be brief.', hourMarker)));
	expect(JSON.stringify(body)).not.toContain('{"type":"ephemeral"}');
});

test('only what is set is sent, beside Additional Body Fields', async () => {
	const options = { temperature: 0, topP: 0.5, additionalBodyFields: '{"top_k": 5}' };
	const { body } = await requestOf({ options }, user('Why?'));
	expect(body).toMatchObject({ temperature: 0, top_p: 0.5, top_k: 5 });
	service.sandbox.reset();
	const { body: bare } = await requestOf({}, user('Why?'));
	expect(Object.keys(bare ?? {}).sort()).toEqual(['max_tokens', 'messages', 'model', 'tools']);
});

test.each([
	['messages', { stream: true }],
	['completions', { stream: true, stream_options: { include_usage: true } }],
])('a stream of %s asks for one', async (apiStyle, fields) => {
	const { body } = await requestOf({ parameters: { apiStyle }, streams: true }, user('Why?'));
	expect(body).toMatchObject(fields);
});

const PICTURE = 'iVBORw0KGgo=';

const withFiles = user(
	'What is this?',
	{ type: 'file', mediaType: 'image/png', data: PICTURE },
	{ type: 'file', mediaType: 'image/webp', data: new Uint8Array([1, 2, 3]) },
	{ type: 'file', mediaType: 'image/*', providerMetadata: { url: 'https://example.com/a.png' } },
	{
		type: 'file',
		mediaType: 'application/pdf',
		data: PICTURE,
		providerMetadata: { filename: 'plan.pdf' },
	},
);

test('pictures and documents in messages style', async () => {
	const { body } = await requestOf({}, withFiles);
	const base64 = (media_type: string, data: string) => ({ type: 'base64', media_type, data });
	expect(body).toMatchObject({
		messages: [
			{
				content: [
					{ type: 'text' },
					{ type: 'image', source: base64('image/png', PICTURE) },
					{ type: 'image', source: base64('image/webp', 'AQID') },
					{ type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } },
					{ type: 'document', source: base64('application/pdf', PICTURE), ...marker },
				],
			},
		],
	});
});

test('pictures and documents in completions style', async () => {
	const { body } = await requestOf({ parameters: { apiStyle: 'completions' } }, withFiles);
	const image = (url: string) => ({ type: 'image_url', image_url: { url } });
	expect(body).toMatchObject({
		messages: [
			{
				content: [
					{ type: 'text' },
					image(`data:image/png;base64,${PICTURE}`),
					image('data:image/webp;base64,AQID'),
					image('https://example.com/a.png'),
					{
						type: 'file',
						file: { filename: 'plan.pdf', file_data: `data:application/pdf;base64,${PICTURE}` },
					},
				],
			},
		],
	});
});

test.each(['messages', 'completions'])(
	'%s: texts without words are left out, turns of one role are joined where they must be',
	async (apiStyle) => {
		const { body } = await requestOf(
			{ parameters: { apiStyle } },
			assistant('Hello.'),
			user(''),
			user('One.'),
			user('Two.'),
			{ role: 'assistant', content: [{ type: 'reasoning' }] },
			user('Three.'),
		);
		const said = (
			body as { messages: Array<{ role: string; content: Array<{ text: string }> }> }
		).messages.map(({ role, content }) => [role, ...content.map((block) => block.text)]);
		expect(said).toEqual(
			apiStyle === 'messages'
				? [
						['user', 'The talk began earlier.'],
						['assistant', 'Hello.'],
						['user', 'One.', 'Two.', 'Three.'],
					]
				: [
						['assistant', 'Hello.'],
						['user', 'One.'],
						['user', 'Two.'],
						['user', 'Three.'],
					],
		);
	},
);

test.each([
	['messages', 'any', { type: 'any' }],
	['messages', 'required', { type: 'any' }],
	['messages', 'none', { type: 'none' }],
	['messages', 'draw', { type: 'tool', name: 'draw' }],
	['completions', 'any', 'required'],
	['completions', 'auto', 'auto'],
	['completions', 'draw', { type: 'function', function: { name: 'draw' } }],
])('%s: the choice of a tool, "%s"', async (apiStyle, tool_choice, expected) => {
	const run = { parameters: { apiStyle }, config: { tool_choice, stop: ['END'] } };
	const { body } = await requestOf(run, user('Why?'));
	expect(body).toMatchObject({
		tool_choice: expected,
		[apiStyle === 'messages' ? 'stop_sequences' : 'stop']: ['END'],
	});
});

test('a failed tool, a list of results, a block of the service itself', async () => {
	const { body } = await requestOf(
		{},
		user('Draw.', { type: 'provider', value: { type: 'text', text: 'Now.' } }),
		{
			role: 'assistant',
			content: [{ type: 'tool-call', toolCallId: '1', toolName: 'draw', input: 'x' }],
		},
		{
			role: 'tool',
			content: [
				{ type: 'tool-result', toolCallId: '1', result: [{ text: 'a' }, { b: 1 }], isError: true },
			],
		},
	);
	expect(body).toMatchObject({
		messages: [
			{ content: [text('Draw.'), text('Now.')] },
			{ content: [{ type: 'tool_use', id: '1', name: 'draw', input: {} }] },
			{
				content: [{ type: 'tool_result', tool_use_id: '1', content: 'a\n{"b":1}', is_error: true }],
			},
		],
	});
});

const adding = (additionalBodyFields: string) => ({ options: { additionalBodyFields } });

test.each([
	[{ parameters: { model: { __rl: true, mode: 'id', value: '' } } }, '"Model" is required'],
	[{ parameters: { maxTokens: 0 } }, '"Max Tokens" must be a whole number of at least 1'],
	[{ parameters: { caching: '2h' } }, '"Caching" must be one of off, 5m, 1h'],
	[{ options: { temperature: 'hot' } }, '"Temperature" must be a number'],
	[adding('[1]'), '"Additional Body Fields" must be a JSON object'],
	[adding('={{ "" }}'), '"Additional Body Fields" is required: its expression is empty'],
	[adding('{"tools": []}'), '"Additional Body Fields" must not have the field "tools"'],
])('a wrong value is named, and nothing is sent: %j', async (run, message) => {
	const { error } = await ask({ credential: service.credential(), ...run }, user('Why?'));
	expect(error?.message).toContain(message);
	expect(service.requests()).toEqual([]);
});
