import {
	findTaskRecord,
	mayHaveEnded,
	otherTaskIn,
	readSubmission,
	readTaskId,
	readTaskRecord,
	readTask,
	toMilliseconds,
} from '../../../../nodes/shared/api/records';

const accepted = (answer: unknown, isSent: (id: string) => boolean = () => false) =>
	readSubmission(answer, isSent);

const NEW_YEAR = Date.UTC(2026, 0, 1);

test('a parent that the request names does not stand for the new task beside it', () => {
	const parent = { task_id: 'parent', status: 'SUCCESS' };
	const answer = { data: [parent, { task_id: 'new', status: 'submitted' }] };
	expect(accepted(answer, (id) => id === 'parent')).toEqual({ taskId: 'new' });
	expect(accepted({ data: [parent] }, (id) => id === 'parent')).toEqual({ taskId: 'parent' });
});

const echo = { id: 'new', task_id: 'parent', status: 'submitted' };

test.each<[string, object]>([
	['in a list', { code: 200, data: [echo] }],
	['in data', { code: 200, data: echo }],
	['in "task"', { task: echo }],
	['bare', echo],
])("a new task's id counts where its task_id repeats the request's, %s", (_, answer) => {
	expect(accepted(answer, (id) => id === 'parent')?.taskId).toBe('new');
	expect(accepted(answer)?.taskId).toBe('parent');
});

describe('A task record is read, whatever its other fields hold', () => {
	const failure = (fields: object) => ({
		failure: { message: undefined, code: undefined, type: undefined, ...fields },
	});
	const untyped = { message: 'x', type: null, code: 9 };
	const noFigures = { cost: undefined, progress: undefined };

	test.each<[string, Record<string, unknown>, Record<string, unknown>]>([
		['cost as text', { cost: '0.12' }, { cost: 0.12 }],
		['progress as text', { progress: '80%' }, { progress: 80 }],
		['a numeric id', { id: 123 }, { id: '123' }],
		['created as ISO text', { created: '2026-01-01T00:00:00Z' }, {}],
		['completed: null', { completed: null }, { completed: undefined }],
		['completed in microseconds', { completed: NEW_YEAR * 1_000 }, { completed: NEW_YEAR }],
		['completed as ISO text', { completed: '2026-01-01T00:00:00Z' }, { completed: NEW_YEAR }],
		['usage: []', { usage: [] }, { usage: undefined }],
		['expires_at: null', { expires_at: null }, {}],
		['error: false', { error: false }, { failure: undefined }],
		['error: 0', { error: 0 }, { failure: undefined }],
		['error: ""', { error: '' }, { failure: undefined }],
		[
			'error: { code: 0, message: "" }',
			{ error: { code: 0, message: '' } },
			{ failure: undefined },
		],
		['error: { message: null }', { error: { message: null } }, { failure: undefined }],
		['error as text', { error: 'Too loud' }, failure({ message: 'Too loud' })],
		['an error whose type is null', { error: untyped }, failure({ message: 'x', code: '9' })],
		['an error with a code alone', { error: { code: 9 } }, failure({ code: '9' })],
		['an error with a type alone', { error: { type: 'loud' } }, failure({ type: 'loud' })],
		['fail_reason', { fail_reason: 'Too loud' }, failure({ message: 'Too loud' })],
		['action: null', { action: null }, { action: undefined }],
		['action and buttons of another type', { action: 7, buttons: 'none' }, { action: '7' }],
		['a cost in a list', { cost: [7], progress: ['80'] }, noFigures],
		['cost: {} and progress: []', { cost: {}, progress: [] }, noFigures],
		['an estimate in words', { estimated_time: 'soon' }, { estimatedSeconds: undefined }],
	])('%s', (_, fields, expected) => {
		const raw = { status: 'completed', ...fields };
		const wrapped = [
			{ code: 200, data: raw },
			{ code: 200, data: [raw] },
		];
		for (const answer of [raw, [raw], ...wrapped, { data: null, ...raw }]) {
			expect(readTaskRecord(answer)).toMatchObject({ status: 'completed', ...expected });
			expect(readTask(answer)).toEqual(readTaskRecord(answer));
		}
		expect(readTaskRecord(raw)?.raw).toBe(raw);
	});

	test('blanks around the status do not count', () => {
		expect(readTaskRecord({ status: ' done ' })?.status).toBe('done');
	});

	test.each(['task_status', 'taskStatus', 'state'])('the status may be called %s', (field) => {
		expect(readTaskRecord({ [field]: 'completed' })?.status).toBe('completed');
		expect(readTaskRecord({ status: ' ', [field]: 'done' })?.status).toBe('done');
		expect(readTaskRecord({ status: 7, [field]: 'done' })?.status).toBe('done');
	});

	test('the record counts, and not the status of its envelope', () => {
		expect(
			readTaskRecord({ status: 'success', data: { id: 'task_1', status: 'pending' } }),
		).toMatchObject({ id: 'task_1', status: 'pending' });
		expect(
			readTaskRecord({ status: 'pending', data: { id: 'task_1', status: 'done' } }),
		).toMatchObject({ id: 'task_1', status: 'done' });
		expect(readTaskRecord({ status: 'pending', data: { id: 'task_1' } })).toMatchObject({
			status: 'pending',
		});
	});

	const inEnvelopes = (count: number): object =>
		count === 0
			? { id: 'task_1', status: 'pending' }
			: { status: 'success', data: inEnvelopes(count - 1) };

	test('a record is found in up to three envelopes', () => {
		expect([1, 2, 3, 4].map((count) => readTaskRecord(inEnvelopes(count))?.status)).toEqual([
			'pending',
			'pending',
			'pending',
			'success',
		]);
	});

	const done = { id: 'task_1', status: 'done' };

	test.each<[string, object]>([
		['of a task that runs', { id: 'task_1', status: 'running', data: { status: 'done' } }],
		['of a task with its result', { ...done, result: {}, data: { status: 'failed' } }],
		['of a task beside no other', { ...done, data: { size: 7 } }],
	])('inside of an envelope, data may be a part %s', (_, record) => {
		expect(readTaskRecord({ code: 200, data: record })).toMatchObject({
			id: 'task_1',
			raw: record,
		});
	});

	test.each<[string, object, string]>([
		['a progress below 100', { status: 'success', data: { progress: '99%' } }, 'running'],
		['a progress of 100', { status: 'success', data: { progress: 100 } }, 'success'],
		['no progress', { status: 'success', data: { id: 'task_1' } }, 'success'],
		['a failure', { status: 'failed', data: { progress: 40 } }, 'failed'],
	])('an envelope with a status of its own around %s', (_, answer, status) => {
		expect(readTaskRecord(answer)?.status).toBe(status);
	});

	test.each<[object, boolean]>([
		[{ status: 'completed' }, true],
		[{ status: 'failed' }, true],
		[{ status: 'pending', progress: 100 }, false],
		[{ status: 'marinating', progress: 100 }, true],
		[{ status: 'marinating', progress: '99%' }, false],
		[{ status: 'marinating' }, false],
	])('%j may have ended: %p', (answer, ended) => {
		const found = findTaskRecord(answer);
		expect(found && mayHaveEnded(found)).toBe(ended);
	});

	const statuses = ['', '  ', 7, null].map((status) => ({ status }));
	const NO_RECORDS = [undefined, null, 'completed', 7, [], {}, { data: [] }, ...statuses];

	test.each(NO_RECORDS)('%j is not a record', (answer) => {
		expect(readTaskRecord(answer)).toBeUndefined();
		expect(readTask(answer)).toBeUndefined();
	});
});

describe('The id of an acknowledgement is read', () => {
	test.each<[string, unknown, string]>([
		['as the spec shows it', { code: 200, data: [{ status: 'submitted', task_id: 't' }] }, 't'],
		['data as an object', { data: { task_id: 'task_1' } }, 'task_1'],
		['bare', { task_id: 'task_1' }, 'task_1'],
		['bare, under the name id', { id: 'task_1' }, 'task_1'],
		['a numeric id', { data: [{ task_id: 42 }] }, '42'],
		['a numeric id, bare', { id: 0 }, '0'],
		['beside nulls', { data: null, task_id: null, id: 'task_1' }, 'task_1'],
		['an empty list beside it', { data: [], task_id: 'task_1' }, 'task_1'],
		['in camel case', { data: { taskId: 'task_1' } }, 'task_1'],
		['of a job', { job_id: 'task_1' }, 'task_1'],
		['of a job, in camel case', { data: [{ jobId: 'task_1' }] }, 'task_1'],
		['in task', { task: { task_id: 'task_1' } }, 'task_1'],
		['beside a word in task', { task: 'generate', task_id: 'task_1' }, 'task_1'],
	])('%s', (_, answer, taskId) => {
		expect(accepted(answer)).toEqual({ taskId });
		expect(readTaskId(answer)).toBe(taskId);
	});

	test.each([
		...[undefined, null, '', 'task_1', [], {}, { data: [] }],
		...[{ task_id: ' ' }, { task_id: {} }, { task_id: NaN }, { id: Infinity }],
	])('%j has none', (answer) => {
		expect(accepted(answer)).toBeUndefined();
		expect(readTaskId(answer)).toBeUndefined();
	});

	test.each([17, { id: '' }, { data: {} }, { data: 'task_1' }, { status: 'completed' }])(
		'the callback %j names no task',
		(body) => expect(readTaskId(body)).toBeUndefined(),
	);

	test("the callback of a follow-up task that repeats its request has the task's own id, not its parent's", () => {
		const record = { id: 'task_2', task_id: 'task_1', status: 'completed' };
		for (const body of [record, { code: 200, data: record }])
			expect(readTaskId(body)).toBe('task_2');
	});

	test.each([
		[{ id: 'task_1', status: 'completed', data: [{ id: 'clip_9', url: 'x' }] }],
		[{ data: { id: 'task_1', status: 'completed', data: [{ id: 'clip_9', url: 'x' }] } }],
		[{ id: 'event_5', status: 'success', data: { task_id: 'task_1' } }],
		[{ id: 'event_5', type: 'task', data: { id: 'task_1', status: 'completed' } }],
	])('the callback %j names task_1', (body) => expect(readTaskId(body)).toBe('task_1'));

	test("an acknowledgement that repeats another id has the task's in task_id", () => {
		expect(accepted({ data: { id: 'request_7', task_id: 'task_1' } })).toEqual({
			taskId: 'task_1',
		});
	});

	test.each<[string, unknown, object]>([
		['one', 'task_1', { taskId: 'task_1' }],
		['one of 128 characters', 'a'.repeat(128), { taskId: 'a'.repeat(128) }],
		['one with other signs', 'a.b:c-d_ok', { taskId: 'a.b:c-d_ok' }],
		['several', ['task_1', 'task_2', 'task_1'], { taskId: 'task_1', others: ['task_2'] }],
		['one in each of two', [{ id: 1 }, { id: 2 }], { taskId: '1', others: ['2'] }],
		['one that holds a word for yes', 'ok1', { taskId: 'ok1' }],
	])('as data itself: %s', (_, data, expected) => {
		expect(accepted({ code: 200, data })).toEqual(expected);
	});

	test.each(['OK', 'ok', 'submitted', 'a'.repeat(129), 'two words', 'a/b', ''])(
		'but %j as data is none',
		(data) => expect(accepted({ code: 200, data })).toBeUndefined(),
	);

	test('a completed task comes with its record', () => {
		const data = { task_id: 'task_1', status: 'completed', result: { upsampled_tags: 'folk' } };
		expect(accepted({ code: 200, data })).toMatchObject({
			taskId: 'task_1',
			record: { status: 'completed', raw: data },
		});
	});
});

test.each([
	[1_767_225_600, 1_767_225_600_000],
	[1_767_225_600.5, 1_767_225_600_500],
	['1767225600', 1_767_225_600_000],
	[1_767_225_600_000, 1_767_225_600_000],
	[1_767_225_600_000_000, 1_767_225_600_000],
	['2026-01-01T00:00:00.000Z', 1_767_225_600_000],
	[99_999_999_999, 99_999_999_999_000],
	[100_000_000_000, 100_000_000_000],
	[99_999_999_999_999, 99_999_999_999_999],
	[100_000_000_000_000, 100_000_000_000],
	[8_640_000_000_000_000_000, 8_640_000_000_000_000],
	[8_650_000_000_000_000_000, undefined],
	[['2026-01-01T00:00:00.000Z'], undefined],
	[0, undefined],
	[-5, undefined],
	[NaN, undefined],
	[1e308, undefined],
	['', undefined],
	['yesterday', undefined],
	[null, undefined],
	[{}, undefined],
])('the time %p is %p ms', (value, ms) => {
	expect(toMilliseconds(value)).toBe(ms);
});

test.each([
	['12', 12],
	[' 12 ', 12],
	['0.125', 0.125],
	['5.', 5],
	['.25', 0.25],
	['-5', -5],
	['+5', 5],
	['1e3', 1_000],
	['1E+10', 1e10],
	['25e-2', 0.25],
	['80%', 80],
	['80 %', 80],
	[' 80% ', 80],
	['x5', undefined],
	['5x', undefined],
	['5 5', undefined],
	['.x', undefined],
	['x.5', undefined],
	['1ex', undefined],
	['1e', undefined],
	['', undefined],
	['-', undefined],
])('the cost %p is %p', (cost, read) => {
	expect(readTaskRecord({ status: 'done', cost })?.cost).toBe(read);
});

const isRecord = (answer: unknown) => readTask(answer) !== undefined;

test.each([
	...[{ status: 'error', code: 500 }, { status: 'failed', code: 429 }, { status: 'cancelled' }],
	...[
		{ status: 'failed', message: 'down' },
		...['detail', 'reason', 'errorMessage'].map((name) => ({ status: 'failed', [name]: 'down' })),
		{ status: 'failed', errors: [{ message: 'down' }] },
		{ data: { status: 'failed', reason: 'down' } },
		{ code: 200, data: { status: 'error', message: 'busy' } },
		{ code: 200, data: { status: 'failed', message: 'task not found' } },
		{ error: 'overloaded', data: { status: 'failed' } },
		{ code: 200, error: { message: 'overloaded' }, data: { status: 'failed' } },
		{ code: 'rate_limit_exceeded', data: { status: 'failed' } },
		{ code: 1001, msg: 'busy', data: { status: 'failed' } },
		{ message: 'Too many requests', data: { status: 'error' } },
		{ status: 'running', code: '503' },
	],
	...[
		{ status: 'error', error: 'down' },
		{ status: 'cancelled', error: { message: 'down' } },
		{ status: 'error', fail_reason: 'upstream timeout' },
	],
	...[
		{ success: false, status: 'pending' },
		{ success: false, id: 'task_1', status: 'failed' },
	],
	...[{ status: 'failed', error: { code: 500, message: 'internal' } }],
	...[{ status: 'FAILURE', error: { code: '404' } }],
	{ code: 500, data: { status: 'failed' } },
	{ code: 500, data: { id: 'task_1', status: 'failed' } },
	{ code: 500, data: { status: 'failed', error: { message: 'internal' } } },
	{ code: 200, data: { code: 500, status: 'failed', error: { message: 'internal' } } },
	...['server_error', 'rate_limit_error', 'bad_gateway'].map((type) => ({
		status: 'failed',
		error: { type, message: 'internal' },
	})),
	{ error: { code: 429 }, data: { id: 'task_1', status: 'failed' } },
	{ code: 500, error: { message: 'busy' }, data: { id: 'task_1', status: 'failed' } },
])('the error %j is no record', (answer) => expect(isRecord(answer)).toBe(false));

test.each([
	...[
		{ id: 'task_1', status: 'failed' },
		{ id: 'task_1', status: 'running', code: 500 },
	],
	...[{ status: 'FAILED' }, { status: 'failed', url: null, fail_reason: '' }],
	...[
		{ status: 'cancelled', url: '', fail_reason: 'Too loud' },
		{ status: 'expired', url: null, fail_reason: '' },
	],
	...[
		{ code: 200, data: { status: 'failed', error: '' } },
		{ code: 'success', message: 'ok', data: { status: 'failed' } },
		{ data: { status: 'Expired', error: null } },
		{ data: [{ status: 'failed', result: null, error: { message: '' } }] },
	],
	...[
		{ status: 'failed', progress: 40, code: 500 },
		{ status: 'error', progress: '0' },
	],
	...[
		{ status: 'failed', error: 'Too loud' },
		{ status: 'Failure', error: { code: 9 } },
	],
	...[
		{ status: 'failed', error: { code: '4000' } },
		{ status: 'failed', error: { code: 'x500' } },
	],
	...[
		{ id: 'task_1', status: 'error', error: 'down' },
		{ success: true, status: 'pending' },
	],
	{ id: 'task_1', code: 500, status: 'failed', error: { message: 'Too loud' } },
	{ code: 500, data: { id: 'task_1', status: 'failed', error: { message: 'Too loud' } } },
	{ code: 200, data: { status: 'failed', error: { type: 'server_error', message: 'Too loud' } } },
	{ status: 'failed', error: { type: 'reroll_error', message: 'Too loud' } },
	{ code: 200, data: { status: 'error', error: { code: 500 } } },
	{ code: 200, data: { status: 'failed', message: 'Too loud', created: 1 } },
	{ code: 200, error: { message: 'Too loud' }, data: { id: 'task_1', status: 'failed' } },
	{ status: 'pending', code: 200 },
])('%j is a record', (answer) => expect(isRecord(answer)).toBe(true));

test.each([
	...[
		{ error: { message: 'No' }, task_id: 'parent' },
		{ code: 400, message: 'No', id: 'req_1' },
	],
	...[
		{ code: 400, data: 'bad_prompt' },
		{ code: 400, task: 'bad_prompt' },
	],
	{ error: { message: 'No' }, task_id: 'parent', status: 'failed' },
	{ code: 404, message: 'No', data: { task_id: 'parent' } },
	{ code: 404, message: 'No', data: { task_id: 'parent', id: 'request 7' } },
	{ error: { type: 'payment_required', message: 'No' }, data: [{ task_id: 'parent' }] },
	{ code: 429, message: 'No', task: { id: 'parent', status: 'FAILURE' } },
])('the error %j gives no id to a task', (answer) =>
	expect(() => accepted(answer, (id) => id === 'parent')).toThrow(),
);

test.each([
	...[
		{ error: 0, task_id: 'task_1' },
		{ error: 'busy', data: { task_id: 'task_1' } },
	],
	...[
		{ error: 'busy', data: [{ id: 'task_1' }] },
		{ code: 500, task: { id: 'task_1' } },
	],
	{ error: 'rewritten', task_id: 'task_1', status: 'submitted' },
	{ error: 'rewritten', task_id: 'task_1', state: 'running' },
])('%j gives the id of a task', (answer) =>
	expect(accepted(answer)).toMatchObject({ taskId: 'task_1' }),
);

test.each<[object, string | undefined]>([
	[{ id: 'task_9' }, 'task_9'],
	[{ id: 9, task_id: 'task_8' }, '9'],
	[{ id: 'task_1' }, undefined],
	[{ id: 'request_7', task_id: 'task_1' }, undefined],
	[{ id: 'request_7', jobId: 'task_1' }, undefined],
	// It may be the request's.
	[{ task_id: 'task_9' }, undefined],
	[{}, undefined],
])('of task_1, the record %j names the other task %j', (raw, other) =>
	expect(otherTaskIn({ ...raw }, 'task_1')).toBe(other),
);

test('an acknowledgement may be the id in task alone', () => {
	expect(accepted({ task: 'task_1' })).toEqual({ taskId: 'task_1' });
});
