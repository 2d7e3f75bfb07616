import { MediaGenChatCache } from '../../../nodes/MediaGenChatCache/MediaGenChatCache.node';
import { blocks, CHAT_PATHS, chatNode, MODEL, questions, useChatSandbox } from '../support/chat';

const service = useChatSandbox();

const first = () => {
	const [request] = service.requests();
	if (!request) throw new Error('Nothing was sent');
	return request;
};

const everything = {
	cachedBlocks: blocks(
		{ text: 'The whole manual.  \n', ttl: '1h', place: 'user' },
		{ text: 'Be brief.', ttl: 'none' },
		{ text: 'Be kind.' },
		{ text: 'I have read it.', place: 'assistant', ttl: 'none' },
	),
	earlierTurns: {
		turn: [
			{ role: 'assistant', text: 'Ask me.' },
			{ role: 'user', text: 'Is it long?' },
			{ role: 'assistant', text: 'Yes.' },
		],
	},
	options: { additionalBodyFields: '{"temperature": 0.2, "stop": null}' },
};

const turns = [
	{
		role: 'user',
		content: [
			{
				type: 'text',
				text: 'The whole manual.  \n',
				cache_control: { type: 'ephemeral', ttl: '1h' },
			},
		],
	},
	{
		role: 'assistant',
		content: [
			{ type: 'text', text: 'I have read it.' },
			{ type: 'text', text: 'Ask me.' },
		],
	},
	{ role: 'user', content: [{ type: 'text', text: 'Is it long?' }] },
	{ role: 'assistant', content: [{ type: 'text', text: 'Yes.' }] },
	{ role: 'user', content: [{ type: 'text', text: 'Why?' }] },
];

const system = [
	{ type: 'text', text: 'Be brief.' },
	{ type: 'text', text: 'Be kind.', cache_control: { type: 'ephemeral' } },
];

const withSystem = [{ role: 'system', content: system }, ...turns];

test.each<['message' | 'completion', string, object]>([
	['message', 'beside the turns', { system, messages: turns }],
	['completion', 'as the first turn', { messages: withSystem }],
])('%s: system %s, markers in blocks, an unmarked question last', async (operation, _, prompt) => {
	await chatNode(operation, service.credential).run({ parameters: everything });
	expect(first().path).toBe(CHAT_PATHS[operation]);
	const set = { model: MODEL, max_tokens: 100, temperature: 0.2, stop: null };
	expect(first().body).toEqual({ ...set, ...prompt });
});

test('only what is set is sent', async () => {
	await chatNode('message', service.credential).run();
	expect(first().body).toEqual({
		model: MODEL,
		max_tokens: 100,
		messages: [{ role: 'user', content: [{ type: 'text', text: 'Why?' }] }],
	});
});

test('the key goes into x-api-key on messages and into Authorization on completions; the version is for messages', async () => {
	await chatNode('message', service.credential).run();
	await chatNode('completion', service.credential).run();
	const [message, completion] = service.requests().map(({ headers }) => headers);
	expect(message).toMatchObject({
		'x-api-key': expect.any(String),
		'vendor-version': '2023-06-01',
	});
	expect(message).not.toHaveProperty('authorization');
	expect(completion).toMatchObject({ authorization: expect.any(String) });
	expect(completion).not.toHaveProperty('x-api-key');
	expect(completion).not.toHaveProperty('vendor-version');
});

test.each(['message', 'completion'] as const)(
	'%s: the beta header comes with one hour, and only with it',
	async (operation) => {
		const node = chatNode(operation, service.credential);
		await node.run({ parameters: { cachedBlocks: blocks({ text: 'a', ttl: '5m' }) } });
		await node.run({ parameters: { cachedBlocks: blocks({ text: 'a', ttl: '1h' }) } });
		await node.run({
			parameters: {
				options: {
					additionalBodyFields:
						'{"tools": [{"name": "t", "cache_control": {"type": "ephemeral", "ttl": "1h"}}]}',
				},
			},
		});
		expect(service.requests().map(({ headers }) => headers['vendor-beta'])).toEqual([
			undefined,
			'extended-cache-ttl-2025-04-11',
			'extended-cache-ttl-2025-04-11',
		]);
	},
);

test('brand words reach the headers and the model', async () => {
	const credential = { ...service.credential(), brandWords: '{"vendor": "acme"}' };
	await chatNode('message', service.credential).run({
		credential,
		parameters: { cachedBlocks: blocks({ text: 'a', ttl: '1h' }) },
	});
	expect(first().headers).toMatchObject({
		'acme-version': '2023-06-01',
		'acme-beta': 'extended-cache-ttl-2025-04-11',
	});
	expect(first().headers).not.toHaveProperty('vendor-version');
	expect(first().body).toMatchObject({ model: MODEL.replace('vendor', 'acme') });
});

const noText = { text: '={{ "" }}' };
const noTurn = { turn: [{ role: 'user', ...noText }] };
const additional = (additionalBodyFields: string) => ({ options: { additionalBodyFields } });
const isSetByTheNode = 'must not have the field "messages": the node sets it';

test.each([
	['"Model" is required', { model: '={{ "" }}' }],
	['"Question" is required', { prompt: '={{ " " }}' }],
	['"Max Tokens" must be a whole number of at least 1', { maxTokens: '={{ 0 }}' }],
	['"Cached Blocks › 2 › Text" is required', { cachedBlocks: blocks({ text: 'a' }, noText) }],
	['"Earlier Turns › 1 › Text" is required', { earlierTurns: noTurn }],
	['"Additional Body Fields" must be a JSON object', additional('={{ "[1]" }}')],
	[`"Additional Body Fields" ${isSetByTheNode}`, additional('{"messages": []}')],
	['"Additional Body Fields" must not set "stream"', additional('{"stream": true}')],
	['"Additional Body Fields" must not set "stream"', additional('{"stream": "true"}')],
])('%s: refused before anything is sent, with its item', async (message, parameters) => {
	const { error } = await chatNode('message', service.credential).run({ parameters });
	expect(error?.message).toContain(message);
	expect(error?.message).toContain('[row 1 (item 0)]');
	expect(error?.description).toContain('Nothing was sent to the service.');
	expect(service.requests()).toHaveLength(0);
});

test('an option that cannot be is refused by its label', async () => {
	const { error } = await chatNode('message', service.credential).run({
		parameters: { options: { concurrency: 0 } },
	});
	expect(error?.message).toContain('"Concurrency" must be a whole number from 1 to 100');
	expect(service.requests()).toHaveLength(0);
});

test('a question that is wrong in the last item keeps the first from being paid for', async () => {
	const { error } = await chatNode('message', service.credential).run({
		items: questions('Why?', 'How?', ''),
	});
	expect(error?.message).toContain('[row 3 (item 2)]');
	expect(service.requests()).toHaveLength(0);
});

test('a block of which all expressions are empty takes no other with it', async () => {
	const empty = { text: '', ttl: '={{ "" }}', place: '={{ "" }}' };
	await chatNode('message', service.credential).run({
		parameters: { cachedBlocks: { block: [empty, { text: 'The manual.', ttl: '5m' }] } },
	});
	expect(JSON.stringify(first().body)).toContain('The manual.');
});

test('a block that was left empty is ignored, and the numbers of the others stay', async () => {
	const cachedBlocks = blocks({ text: '' }, { text: '={{ $json.question }}' }, { text: ' ' });
	const node = chatNode('message', service.credential);
	const { json } = await node.run({ parameters: { cachedBlocks } });
	expect(first().body).toMatchObject({
		system: [{ text: 'Why?', cache_control: { type: 'ephemeral' } }],
	});
	expect(json[0]?.warnings).toEqual([
		expect.stringContaining('Block 2 ends a prefix of about 1 tokens'),
	]);
	await node.run({ parameters: { cachedBlocks: {} } });
	expect(service.requests()).toHaveLength(2);
});

test('the panel starts with one empty block, for which n8n shows no issue', () => {
	const field = new MediaGenChatCache().description.properties.find(
		({ name }) => name === 'cachedBlocks',
	);
	expect(field?.default).toEqual({ block: [{ text: '', ttl: '5m', place: 'system' }] });
	expect(JSON.stringify(field)).not.toContain('"required":true');
});

const rows = [
	{ json: { question: 'Why?', row: 7 } },
	{ json: { question: '', row: 8 } },
	{ json: { question: 'How?', row: 9 } },
];

test('the reference and the input row come out with each answer and with each error', async () => {
	const { json } = await chatNode('message', service.credential).run({
		items: rows,
		parameters: { options: { includeInput: true, reference: '={{ "row " + $json.row }}' } },
		settings: { onError: 'continueRegularOutput' },
	});
	expect(json).toEqual([
		expect.objectContaining({ text: expect.any(String), reference: 'row 7', input: rows[0]?.json }),
		{
			error: expect.objectContaining({
				message: expect.stringContaining('"Question" is required'),
			}),
			reference: 'row 8',
			input: rows[1]?.json,
		},
		expect.objectContaining({ text: expect.any(String), reference: 'row 9', input: rows[2]?.json }),
	]);
});

test('without "Simplify" the reference and the input row stand beside the response', async () => {
	const { json } = await chatNode('message', service.credential).run({
		items: rows.slice(0, 1),
		parameters: { options: { includeInput: true, reference: 'mine', simplify: false } },
	});
	expect(Object.keys(json[0] ?? {})).toEqual(['response', 'reference', 'input']);
});

test('Additional Body Fields are read for each item', async () => {
	await chatNode('completion', service.credential).run({
		items: rows.slice(2).concat(rows.slice(0, 1)),
		parameters: {
			options: { concurrency: 1, additionalBodyFields: '={{ { "seed": $json.row } }}' },
		},
	});
	expect(service.requests().map(({ body }) => body)).toStrictEqual([
		expect.objectContaining({ seed: 9 }),
		expect.objectContaining({ seed: 7 }),
	]);
});
