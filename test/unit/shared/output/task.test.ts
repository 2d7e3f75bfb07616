import type { TaskFamily } from '../../../../nodes/shared/api/families';
import { readTaskRecord } from '../../../../nodes/shared/api/records';
import { submittedTask, toTask } from '../../../../nodes/shared/output/task';

function taskOf(raw: Record<string, unknown>, family: TaskFamily | null = 'image') {
	const record = readTaskRecord(raw);
	if (!record) throw new Error('The record was not read');
	return toTask(record, { taskId: 'task_1', family, operation: 'generate' }, {});
}

const link = 'https://files.example.com/1.png';
const common = { taskId: 'task_1', family: 'image' as const, operation: 'generate' };

test("a record's own fields never replace the task's", () => {
	const x = 'x';
	const ids = { taskId: 'other', task_id: 'other', family: 'cat', operation: 'surgery' };
	const texts = {
		url: x,
		index: 3,
		kind: x,
		notes: x,
		reference: x,
		service_status: x,
		file_name: x,
	};
	const purchase = { purchase_key: x, reused: true, record_key: x };
	const waiting = {
		...{ request_links: { urls: [x] }, evaluated_options: {}, left_out: true },
		pause_limit: 7,
	};
	const objects = { results: null, input: {}, record: {}, task: 7, credits__cost: 7 };
	const result = { images: [{ url: [link] }] };
	const task = taskOf({
		...{ status: 'completed', ...ids, ...texts, ...purchase, ...waiting, ...objects },
		...{ seed: 3, result },
	});
	expect(task).toEqual({
		...{ ...common, status: 'completed', serviceStatus: 'completed', progress: 100 },
		results: [{ index: 1, kind: 'image', url: link, name: null, expiresAt: null }],
		...{ url: link, cost: null, creditsCost: null, usage: null, seed: 3 },
	});
});

test('numbers come as numbers, and nothing of the record comes twice', () => {
	const own = { id: 'x', task_id: 'x', error: null, fail_reason: '', image_urls: [link] };
	const others = { _error: 'x', _status: 'x', _progress: 7, result: null };
	const figures = { cost: '0.12', credits_cost: '120', usage: { tokens: 3 } };
	const task = taskOf({ status: 'processing', progress: '40', ...own, ...others, ...figures });
	expect(task).toEqual({
		...{ ...common, status: 'running', serviceStatus: 'processing', progress: 40 },
		...{ results: [], url: null, cost: 0.12, creditsCost: 120, usage: { tokens: 3 } },
	});
});

test('a field that names the prototype of objects changes nothing', () => {
	const text = '{"status": "done", "__proto__": {"status": "failed"}, "constructor": 7}';
	const task = taskOf(JSON.parse(text) as Record<string, unknown>);
	expect([task.status, Object.getPrototypeOf(task)]).toEqual(['completed', Object.prototype]);
});

test.each<[string, Record<string, unknown>, string]>([
	['is running', { result: { url: link } }, 'running'],
	['is running at 99 percent', { progress: 99, result: { url: link } }, 'running'],
	['is completed at 100 with a link', { progress: '100', result: { url: link } }, 'completed'],
	['is failed at 100 percent with an error', { progress: 100, error: 'Too loud' }, 'failed'],
	['is running at 100 percent with neither', { progress: 100 }, 'running'],
])('A status word that is not known %s', (_, fields, status) => {
	const serviceStatus = 'marinating';
	expect(taskOf({ status: serviceStatus, ...fields })).toMatchObject({ status, serviceStatus });
});

describe('The error of a failed task', () => {
	test.each([false, null, '', { message: null }])('%j gives no reason', (error) => {
		const message = 'The service gives no reason';
		const expected = { message, code: null, type: null, httpStatus: null };
		expect(taskOf({ status: 'failed', error }).error).toEqual(expected);
	});

	test.each<object>([
		{ message: 'Too loud' },
		{ error: [{ message: 'Too loud' }] },
		{ error: { error: { message: 'Too loud' } } },
		{ error: { detail: 'Too loud' } },
		{ error: { message: { text: null }, reason: 'Too loud' } },
		{ errors: [{ msg: 'Too loud' }] },
		{ result: { error: 'Too loud' } },
	])('is the reason that it has, in %j', (fields) => {
		expect(taskOf({ status: 'failed', ...fields }).error?.message).toBe('Too loud');
	});

	test.each<object>([
		{ result: 'https://files.example.com/part.mp4' },
		{ message: 'success' },
		{ detail: '<html>Sorry</html>' },
	])('is none in %j', (fields) => {
		const message = 'The service gives no reason';
		expect(taskOf({ status: 'failed', ...fields }).error).toMatchObject({ message });
	});

	const NONE = [false, null, '', { message: null }, { message: 'A warning' }];

	test.each(NONE)('%j of a completed task is none', (error) => {
		expect(taskOf({ status: 'completed', error })).not.toHaveProperty('error');
	});
});

test('the progress of a task that does not state it is known only when it is completed', () => {
	const progress = ['completed', 'failed', 'running', 'submitted'].map(
		(status) => taskOf({ status }).progress,
	);
	expect(progress).toEqual([100, null, null, null]);
});

test('a usage that is none is not shown', () => {
	const result = { upsampled_tags: undefined };
	expect(taskOf({ status: 'completed', usage: [], result })).toHaveProperty('usage', null);
	expect(taskOf({ status: 'completed', result: {} })).not.toHaveProperty('upsampledTags');
});

test('a task of which only the id is known', () => {
	expect(submittedTask(common)).toEqual({
		...{ ...common, status: 'submitted', serviceStatus: 'submitted' },
		...{ progress: null, results: [], url: null, cost: null, creditsCost: null, usage: null },
	});
});

test('a grid is named after its action, and not by one that is missing', () => {
	const operationOf = (action: string | null) =>
		taskOf({ status: 'SUCCESS', action }, 'grid').operation;
	expect([operationOf('LOW_VARIATION'), operationOf(null)]).toEqual(['lowVariation', 'generate']);
});

describe('What a task says in words', () => {
	const answered = { result: { lyrics: 'La la', words: 2 } };

	test('is a field of the task, where it is completed without a file', () => {
		expect(taskOf({ status: 'completed', ...answered })).toMatchObject({
			lyrics: 'La la',
			words: 2,
		});
		expect(taskOf({ status: 'completed', result: 'La la' })).toHaveProperty('text', 'La la');
	});

	test('is none while it runs, and none beside a file', () => {
		expect(taskOf({ status: 'running', ...answered })).not.toHaveProperty('lyrics');
		const result = { images: [{ url: [link] }], lyrics: 'La la' };
		expect(taskOf({ status: 'completed', result })).not.toHaveProperty('lyrics');
		const linkAlone = taskOf({ status: 'completed', result: { video_url: link } });
		expect(linkAlone).not.toHaveProperty('videoUrl');
	});

	test('is enhanced tags, whatever stands beside them', () => {
		const result = { upsampled_tags: 'folk, slow', seeds: [1, 2] };
		for (const status of ['running', 'completed'])
			expect(taskOf({ status, result }, 'music')).toMatchObject({
				upsampledTags: 'folk, slow',
				results: [],
			});
		expect(taskOf({ status: 'completed', result: null })).not.toHaveProperty('upsampledTags');
	});
});
