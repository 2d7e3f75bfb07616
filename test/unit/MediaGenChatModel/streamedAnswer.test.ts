import { isUnread } from '../../../nodes/MediaGenChatModel/answer/answer';
import { StreamedAnswer } from '../../../nodes/MediaGenChatModel/answer/streamedAnswer';

/** The answer of a stream of these events, and the text of each. */
function read(...events: Array<object | string>) {
	const streamed = new StreamedAnswer();
	const texts = events.map((event) =>
		streamed.add(typeof event === 'string' ? event : JSON.stringify(event)),
	);
	return { streamed, texts };
}

const answerTo = (...events: Array<object | string>) => read(...events).streamed.toAnswer();

const says = (delta: object, more: object = {}) => ({ choices: [{ delta, ...more }] });
const calls = (...tool_calls: object[]) => says({ tool_calls });

describe('Messages style', () => {
	const start = (message: object) => ({ type: 'message_start', message });
	type Index = number | undefined;
	const block = (index: Index, content_block: object) => ({
		...{ type: 'content_block_start', index, content_block },
	});
	const piece = (index: Index, delta: object) => ({ type: 'content_block_delta', index, delta });
	const end = (delta: object, usage?: object) => ({ type: 'message_delta', delta, usage });

	test('a text and two calls, whose pieces come in turns', () => {
		const { streamed, texts } = read(
			start({ id: 'msg_1', usage: { input_tokens: 7, output_tokens: null } }),
			block(0, { type: 'text', text: 'Well, ' }),
			piece(0, { type: 'text_delta', text: 'two.' }),
			block(1, { type: 'tool_use', id: 'a', name: 'draw', input: {} }),
			block(2, { type: 'tool_use', id: 'b', name: 'sing', input: { key: 'C' } }),
			piece(1, { type: 'input_json_delta', partial_json: '{"n"' }),
			piece(1, { type: 'input_json_delta', partial_json: ':1}' }),
			{ type: 'content_block_stop', index: 1 },
			end({ stop_reason: 'tool_use' }, { input_tokens: null, output_tokens: 5 }),
			{ type: 'message_stop' },
		);
		expect(texts).toEqual(['', 'Well, ', 'two.', ...Array<string>(7).fill('')]);
		expect(streamed.toAnswer()).toEqual({
			id: 'msg_1',
			text: 'Well, two.',
			calls: [
				{ id: 'a', name: 'draw', input: '{"n":1}' },
				{ id: 'b', name: 'sing', input: '{"key":"C"}' },
			],
			stopReason: 'tool_use',
			usage: { input_tokens: 7, output_tokens: 5 },
		});
	});

	test.each([0, undefined])('calls and a text that all have the index %p', (index) => {
		const answer = answerTo(
			block(index, { type: 'tool_use', id: 'a', name: 'draw' }),
			piece(index, { partial_json: '{"n":1}' }),
			block(index, { type: 'tool_use', id: 'b', name: 'sing' }),
			piece(index, { partial_json: '{"n":2}' }),
			block(index, { type: 'text', text: 'Done' }),
			piece(index, { text: '.' }),
			end({ stop_reason: 'tool_use' }),
		);
		expect(answer).toMatchObject({
			text: 'Done.',
			calls: [
				{ id: 'a', name: 'draw', input: '{"n":1}' },
				{ id: 'b', name: 'sing', input: '{"n":2}' },
			],
		});
	});

	test('arguments that come as an object are arguments', () => {
		const { calls: read } = answerTo(
			block(0, { type: 'tool_use', id: 'x', name: 'draw', input: {} }),
			piece(0, { type: 'input_json_delta', partial_json: { what: 'a fox' } }),
			end({ stop_reason: 'tool_use' }),
		);
		expect(read).toEqual([{ id: 'x', name: 'draw', input: '{"what":"a fox"}' }]);
	});

	test('what it does not know is no text', () => {
		const { streamed, texts } = read(
			{ type: 'ping' },
			{ type: 7, delta: { text: 'x' } },
			block(0, { type: 'thinking', text: 'Hm' }),
			piece(0, { type: 'thinking_delta', thinking: 'Hm' }),
			'no JSON',
			'["a list"]',
			'',
		);
		expect(texts).toEqual(['', '', '', '', '', '', '']);
		expect(streamed.toAnswer()).toEqual({
			text: '',
			calls: [],
			stopReason: null,
			hasNoEnd: true,
			usage: undefined,
		});
	});

	test('a zero at the end does not replace what was told before', () => {
		const told = { input_tokens: 100, cache_read_input_tokens: 4_900 };
		const { usage } = answerTo(
			start({ usage: { ...told, cache_creation: { a: 40, b: 0 }, output_tokens: 0 } }),
			end({}, { input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 5 }),
			end({}, { cache_creation: { a: 0, b: 0, c: 1 }, output_tokens: 7 }),
		);
		expect(usage).toEqual({ ...told, cache_creation: { a: 40, b: 0, c: 1 }, output_tokens: 7 });
	});
});

describe('Completions style', () => {
	const [four, mark] = [says({ content: 'Four' }), says({ content: '!' })];
	const halves = [says({ content: 'Fo' }), says({ content: 'ur' })];

	test.each<[string, object[]]>([
		['in envelopes', [{ data: four }, { code: 200, data: [mark] }]],
		['with the text alone', [{ text: 'Four' }, { content: '!' }]],
		[
			'with the text in the choice',
			[{ choices: [{ text: 'Four' }] }, { choices: [{ text: '!' }] }],
		],
	])('chunks %s', (_, events) => {
		const { streamed, texts } = read(...events);
		expect(texts).toEqual(['Four', '!']);
		expect(isUnread(streamed.parts)).toBe(false);
	});

	test.each<[string, object]>([
		['a list in an envelope', { code: 200, data: halves }],
		['a list', halves],
	])('chunks in %s are all read', (_, event) => {
		expect(read(event).texts).toEqual(['Four']);
	});

	test.each<[string, object]>([
		['text', { text: 'Four!' }],
		['content', { content: 'Four!', done: true }],
		['the choice', { choices: [{ text: 'Four!', finish_reason: 'stop' }] }],
		['an envelope', { code: 200, data: { text: 'Four!' } }],
	])('the whole once more at the end, in %s, is left out', (_, whole) => {
		const { texts } = read(four, mark, whole);
		expect(texts.join('')).toBe('Four!');
	});

	test('a piece that comes twice in one chunk is taken once', () => {
		const both = { choices: [{ delta: { content: 'Four' }, text: 'Four' }] };
		expect(read(both, both).texts.join('')).toBe('FourFour');
	});

	test.each<[string, object]>([
		['a code', { code: 500, message: 'upstream died' }],
		['a code and no data', { code: 429, message: 'upstream died', data: null }],
		['no success', { success: false, message: 'upstream died' }],
		['an error', { error: 'upstream died' }],
	])('an error that is told by %s is one', (_, event) => {
		expect(() => read(says({ content: 'Four' }), event)).toThrow('upstream died');
	});

	test('a code beside a choice is none', () => {
		const event = { code: 500, ...says({ content: 'Four' }) };
		expect(read(event).texts).toEqual(['Four']);
	});

	test.each<[string, object, boolean]>([
		['nothing of an answer', { output_text: 'Four' }, true],
		['a stop reason', says({}, { finish_reason: 'stop' }), false],
		['usage', { choices: [], usage: { prompt_tokens: 7 } }, false],
		['a call', calls({ id: 'x' }), false],
	])('an event with %s', (_, event, expected) => {
		expect(isUnread(read(event).streamed.parts)).toBe(expected);
	});

	test('the word for the end is enough', () => {
		const { streamed } = read(says({ content: '[DONE]' }), 'DONE');
		expect([streamed.isComplete, streamed.isOver]).toEqual([false, false]);
		streamed.add('[DONE]');
		expect([streamed.isComplete, streamed.isOver]).toEqual([true, true]);
	});

	test.each(['{}', '{"n":0}', ''])(
		'the beginning %j of a block is no piece of its call',
		(input) => {
			const block = { type: 'tool_use', id: 'a', name: 'draw', input };
			const pieces = ['', '{"n"', ':1}'].map((partial_json) => ({
				...{ type: 'content_block_delta', index: 0, delta: { partial_json } },
			}));
			const begun = { type: 'content_block_start', index: 0, content_block: block };
			expect(answerTo(begun, ...pieces).calls).toMatchObject([{ id: 'a', input: '{"n":1}' }]);
		},
	);

	test('a message beside the pieces is not the answer', () => {
		const message = { role: 'assistant' };
		const pieces = ['Hi ', 'there'].map((content) => says({ content }, { message }));
		expect(answerTo(...pieces).text).toBe('Hi there');
	});

	const whole = { name: 'draw', arguments: '{"n":1}' };
	const oneAfterAnother = (index?: number) =>
		['a', 'b'].flatMap((id) => [
			calls({ index, id, function: { name: 'draw', arguments: '{"n"' } }),
			calls({ index, function: { arguments: `:"${id}"}` } }),
		]);

	test.each<[string, object[], Record<string, string>]>([
		['of one index', oneAfterAnother(0), { a: '{"n":"a"}', b: '{"n":"b"}' }],
		['without an index', oneAfterAnother(), { a: '{"n":"a"}', b: '{"n":"b"}' }],
		[
			'that are repeated in the field of older services',
			[calls({ index: 0, id: 'a', function: whole }), says({ function_call: whole })],
			{ a: '{"n":1}' },
		],
		[
			'whose arguments are an object with a text',
			[calls({ id: 'a', function: { name: 'draw', arguments: { text: 'a fox' } } })],
			{ a: '{"text":"a fox"}' },
		],
	])('calls %s', (_, events, inputs) => {
		const expected = Object.entries(inputs).map(([id, input]) => ({ id, name: 'draw', input }));
		expect(answerTo(...events).calls).toEqual(expected);
	});

	test.each([undefined, '', null, 7, 'a'])('a piece with the id %j continues a call', (id) => {
		const answer = answerTo(
			calls({ index: 0, id: 'a', function: { name: 'draw', arguments: '{"n"' } }),
			calls({ index: 0, id, function: { arguments: ':1}' } }),
		);
		expect(answer.calls).toEqual([{ id: 'a', name: 'draw', input: '{"n":1}' }]);
	});

	test.each([undefined, '', null])(
		'a name that comes behind the name %j is that of the call',
		(name) => {
			const answer = answerTo(
				calls({ index: 0, id: 'a', function: { name } }),
				calls({ index: 0, function: { name: 'draw', arguments: '{"n":1}' } }),
				calls({ index: 0, function: { name: 'draw' } }),
			);
			expect(answer.calls).toEqual([{ id: 'a', name: 'draw', input: '{"n":1}' }]);
		},
	);

	test.each([
		['with its name', 'draw'],
		['without a name', ''],
	])('whole arguments behind whole ones, %s, without an id, are of another call', (_, name) => {
		const piece = (called: string, given: string) =>
			calls({ index: 0, id: '', function: { name: called, arguments: given } });
		const answer = answerTo(
			piece('draw', '{"n":1}'),
			piece(name, '{"n":2}'),
			piece(name, '{"n":3}'),
		);
		expect(answer.calls.map((call) => [call.name, call.input])).toEqual([
			['draw', '{"n":1}'],
			['draw', '{"n":2}'],
			['draw', '{"n":3}'],
		]);
		expect(new Set(answer.calls.map(({ id }) => id)).size).toBe(3);
	});

	test.each<[string, string[]]>([
		['an empty object', ['{}', '{"n":1}']],
		['a part', ['{"n":[{"m":1}', '{"m":2}', ']}']],
		['a piece without them', ['', '{"n":1}', '{"n":1}']],
	])('behind %s they are none: nothing is called with less than was meant', (_, pieces) => {
		const given = pieces.map((each) =>
			calls({ index: 0, function: { name: 'draw', arguments: each } }),
		);
		expect(() => answerTo(...given)).toThrow('are not a JSON object');
	});

	test('a stop reason beside the choices is one, too', () => {
		expect(answerTo({ choices: [{}], stop_reason: 'max_tokens' }).stopReason).toBe('max_tokens');
	});

	test.each([{}, { choices: null }])('usage in a last chunk that has %j beside it', (more) => {
		const usage = { prompt_tokens: 7 };
		const answer = answerTo(says({ content: 'Four' }, { finish_reason: 'stop' }), {
			usage,
			...more,
		});
		expect(answer.usage).toEqual(usage);
	});

	test('an id that is no text is none', () => {
		expect(answerTo({ id: 7, choices: [] }).id).toBeUndefined();
		expect(answerTo({ id: 'c-1', choices: [] }, { id: null, choices: [] }).id).toBe('c-1');
	});
});

test.each<[object, object]>([
	[
		{ type: 'message', content: [{ type: 'text', text: 'Four' }], stop_reason: 'end_turn' },
		{ text: 'Four', stopReason: 'end_turn' },
	],
	[
		{ choices: [{ message: { content: 'Four' }, finish_reason: 'stop' }] },
		{ text: 'Four', stopReason: 'stop' },
	],
	[
		{ type: 'message', content: [{ type: 'tool_use', id: 'x', name: 'draw', input: { n: 1 } }] },
		{ calls: [{ id: 'x', name: 'draw', input: '{"n":1}' }] },
	],
])('a whole answer in one event is read: %j', (event, answer) => {
	expect(answerTo(event)).toMatchObject(answer);
});

test.each([null, undefined])('an error of %j is none', (error) => {
	expect(read({ error, ...says({ content: 'Four' }) }).texts).toEqual(['Four']);
});

test.each<[string, object]>([
	['type', { type: 'error', message: 'Overloaded' }],
	['reason for an end', says({ content: '' }, { finish_reason: 'error' })],
	['choice', says({}, { error: { code: 502, message: 'Overloaded' } })],
	['choice, in another form', says({}, { error: { detail: 'Overloaded' } })],
])('an event whose %s is an error ends the answer', (_, event) => {
	expect(() => read(says({ content: 'One' }), event)).toThrow();
	expect(() => read(says({ content: 'One' }, { error: null, finish_reason: null }))).not.toThrow();
});
