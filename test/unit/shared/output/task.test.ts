import type { TaskFamily } from '../../../../nodes/shared/api/families';
import { readTaskRecord } from '../../../../nodes/shared/api/records';
import { submittedTask, toTask } from '../../../../nodes/shared/output/task';

const NOW = Date.UTC(2026, 0, 1);

function taskOf(raw: Record<string, unknown>, family: TaskFamily | null = 'image') {
	const record = readTaskRecord(raw);
	if (!record) throw new Error('The record was not read');
	return toTask(record, { taskId: 'task_1', family, operation: 'generate' }, {}, NOW);
}

const link = 'https://files.example.com/1.png';

test("a record's own fields never replace the task's", () => {
	const task = taskOf({
		...{
			status: 'completed',
			results: null,
			family: 'cat',
			operation: 'surgery',
			taskId: 'other',
			task_id: 'other',
			url: 'x',
			notes: 'x',
		},
		...{
			reference: 'x',
			service_status: 'x',
			input: {},
			record: {},
			task: 7,
			file_name: 'x',
			credits__cost: 7,
			seed: 3,
		},
		result: { images: [{ url: [link] }] },
	});
	expect(task).toEqual({
		taskId: 'task_1',
		family: 'image',
		operation: 'generate',
		status: 'completed',
		serviceStatus: 'completed',
		progress: 100,
		results: [{ index: 1, kind: 'image', url: link, name: null, expiresAt: null }],
		url: link,
		cost: null,
		creditsCost: null,
		usage: null,
		seed: 3,
	});
});

test('numbers come as numbers, and nothing of the record comes twice', () => {
	const task = taskOf({
		...{
			id: 'x',
			task_id: 'x',
			status: 'processing',
			progress: '40',
			error: null,
			fail_reason: '',
			image_urls: [link],
			_error: 'x',
			_status: 'x',
			_progress: 7,
		},
		...{ cost: '0.12', credits_cost: '120', usage: { tokens: 3 }, result: null },
	});
	expect(task).toEqual({
		...{
			taskId: 'task_1',
			family: 'image',
			operation: 'generate',
			status: 'running',
			serviceStatus: 'processing',
			progress: 40,
		},
		...{ results: [], url: null, cost: 0.12, creditsCost: 120, usage: { tokens: 3 } },
	});
});

test('a field that names the prototype of objects changes nothing', () => {
	const task = taskOf(
		JSON.parse('{"status": "done", "__proto__": {"status": "failed"}, "constructor": 7}') as Record<
			string,
			unknown
		>,
	);
	expect([task.status, Object.getPrototypeOf(task)]).toEqual(['completed', Object.prototype]);
});

describe('A status word that is not known', () => {
	test.each<[string, Record<string, unknown>, string]>([
		['is running', { result: { url: link } }, 'running'],
		['is running at 99 percent', { progress: 99, result: { url: link } }, 'running'],
		[
			'is completed at 100 percent with a link',
			{ progress: '100', result: { url: link } },
			'completed',
		],
		['is failed at 100 percent with an error', { progress: 100, error: 'Too loud' }, 'failed'],
		['is running at 100 percent with neither', { progress: 100 }, 'running'],
	])('%s', (_, fields, status) => {
		expect(taskOf({ status: 'marinating', ...fields })).toMatchObject({
			status,
			serviceStatus: 'marinating',
		});
	});
});

describe('The error of a failed task', () => {
	test('has the message, the code and the type of the service', () => {
		const error = { message: 'Button 9 is gone', code: 9, type: 'reroll_error' };
		expect(taskOf({ status: 'FAILURE', error }).error).toEqual({
			message: 'Button 9 is gone',
			code: '9',
			type: 'reroll_error',
			httpStatus: null,
		});
	});

	test.each([false, null, '', { message: null }])('%j gives no reason', (error) => {
		expect(taskOf({ status: 'failed', error }).error).toEqual({
			message: 'The service gives no reason',
			code: null,
			type: null,
			httpStatus: null,
		});
	});

	test.each([false, null, '', { message: null }, { message: 'A warning' }])(
		'%j of a completed task is none',
		(error) => {
			expect(taskOf({ status: 'completed', error })).not.toHaveProperty('error');
		},
	);
});

test('the progress of a task that does not state it is known only when it is completed', () => {
	expect(
		['completed', 'failed', 'running', 'submitted'].map((status) => taskOf({ status }).progress),
	).toEqual([100, null, null, null]);
});

test('a usage that is none is not shown', () => {
	expect(
		taskOf({ status: 'completed', usage: [], result: { upsampled_tags: undefined } }),
	).toHaveProperty('usage', null);
	expect(taskOf({ status: 'completed', result: {} })).not.toHaveProperty('upsampledTags');
});

test('a task of which only the id is known', () => {
	expect(submittedTask({ taskId: 'task_1', family: 'image', operation: 'generate' })).toEqual({
		...{
			taskId: 'task_1',
			family: 'image',
			operation: 'generate',
			status: 'submitted',
			serviceStatus: 'submitted',
		},
		...{ progress: null, results: [], url: null, cost: null, creditsCost: null, usage: null },
	});
});

test('a grid is named after its action, and not by one that is missing', () => {
	expect(taskOf({ status: 'SUCCESS', action: 'LOW_VARIATION' }, 'grid').operation).toBe(
		'lowVariation',
	);
	expect(taskOf({ status: 'SUCCESS', action: null }, 'grid').operation).toBe('generate');
});

test('enhanced tags are a field of the task', () => {
	expect(
		taskOf({ status: 'completed', result: { upsampled_tags: 'folk, slow' } }, 'music'),
	).toMatchObject({ upsampledTags: 'folk, slow', results: [] });
});
