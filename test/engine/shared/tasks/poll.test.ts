import { clock } from '../../../../nodes/shared/util/clock';
import { jumpingClock } from '../../support/clocks';
import { pauseNode } from '../../support/pausedExecution';
import { type Reply, useScriptedService } from '../../support/scriptedService';
import {
	accepted,
	buySounds,
	completed,
	numberTasks,
	RECORD,
	running,
	SOUNDS,
	soundRun,
} from '../../support/scriptedTasks';

const service = useScriptedService(jumpingClock);

const goOn = { onError: 'continueRegularOutput' } as const;

const asked = () => service.sent('GET', RECORD).map(({ path }) => path.split('/').pop());

const continues =
	'The task continues at the service. Get it with the resource Task, operation Wait, and the task ID task_1.';

beforeEach(() => numberTasks(service));

describe('The error of a task that did not end in time', () => {
	test('has its last status and how to get it', async () => {
		service.on('GET', RECORD, running);
		const { json } = await buySounds(service, 1, { timeout: 5 }, { settings: goOn });
		expect(json[0]).toMatchObject({ taskId: 'task_1', status: 'submitted' });
		expect(json[0]?.error).toMatchObject({
			message: 'Task task_1 was still submitted after 5 seconds [row 1 (item 0)]',
			description: `Its last status was "pending". ${continues} A higher "Timeout" in the options waits longer.`,
		});
	});

	test('has what went wrong at last', async () => {
		service.on('GET', RECORD, running, { status: 502 });
		const { json } = await buySounds(service, 1, { timeout: 5 }, { settings: goOn });
		expect(json[0]?.error).toMatchObject({
			description: `Its last status was "pending". The last request failed: Bad gateway (HTTP 502). ${continues} A higher "Timeout" in the options waits longer.`,
		});
	});
});

test('the error of a failed task says that it was refunded', async () => {
	service.on('GET', RECORD, {
		json: { status: 'failed', error: { message: 'Too loud', code: 9, type: 'loud' } },
	});
	const { json } = await buySounds(service, 1, {}, { settings: goOn });
	expect(json[0]?.error).toEqual({
		message: 'Task task_1 failed: Too loud [row 1 (item 0)]',
		description: 'The service refunds what a failed task was charged.',
		code: '9',
		type: 'loud',
		httpStatus: null,
	});
});

test('the error of a canceled wait says how to get the task', async () => {
	service.on('GET', RECORD, running);
	let stop = () => {};
	service.on('GET', '/v1/music/tasks/task_1', () => {
		stop();
		return running;
	});
	const { error } = await buySounds(service, 1, {}, { onStart: (cancel) => (stop = cancel) });
	expect(error?.message).toContain(
		'The execution was canceled while it waited for task task_1 [row 1 (item 0)]',
	);
	expect(error?.description).toContain(continues);
});

const notKnown: Reply = {
	status: 404,
	json: { error: { code: 404, message: 'No such task', type: 'not_found_error' } },
};

test('the error of a task that the service does not know, a minute after its submission, names the task', async () => {
	service.on('GET', RECORD, notKnown);
	const began = clock.now();
	const { json } = await buySounds(service, 1, {}, { settings: goOn });
	expect(json[0]?.error).toMatchObject({
		message: 'Task not found: No such task [row 1 (item 0)]',
		description:
			'This was the response to the request for task task_1. Check the task ID, and that the credential belongs to the account that bought the task.',
	});
	expect(clock.now() - began).toBeGreaterThanOrEqual(60_000);
	expect(clock.now() - began).toBeLessThan(65_000);
});

describe('A wait goes on after', () => {
	test.each<[string, Reply]>([
		['a 404 of the service just after the submission', notKnown],
		['the 404 page of a proxy', { status: 404, text: '<html><h1>404 Not Found</h1></html>' }],
		[
			'a 404 of a gateway without the error of the service',
			{ status: 404, json: { message: 'no Route matched with those values' } },
		],
		['a 408', { status: 408, json: { error: { message: 'Request timeout' } } }],
		['a 425', { status: 425 }],
		['a 429', { status: 429 }],
		['a 503', { status: 503 }],
		['a reset', { reset: true }],
	])('%s', async (_, reply) => {
		service.on('GET', RECORD, reply, reply, completed);
		const { json, error } = await buySounds(service);
		expect(error).toBeUndefined();
		expect(json[0]).toMatchObject({ taskId: 'task_1', status: 'completed' });
		expect(asked()).toHaveLength(3);
	});

	test.each<[string, Reply]>([
		['the 404 page of a proxy', { status: 404, text: '<html><h1>404 Not Found</h1></html>' }],
		['a 408', { status: 408 }],
		['a 425', { status: 425 }],
	])('%s that lasts, until Timeout', async (_, reply) => {
		service.on('GET', RECORD, reply);
		const began = clock.now();
		const { json } = await buySounds(service, 1, { timeout: 120 }, { settings: goOn });
		expect(json[0]).toMatchObject({
			taskId: 'task_1',
			error: { message: 'Task task_1 was still submitted after 120 seconds [row 1 (item 0)]' },
		});
		expect(clock.now() - began).toBe(120_000);
	});
});

describe('A completed record without a result is read again', () => {
	const empty = (result: unknown): Reply => ({
		json: { code: 200, data: { status: 'completed', progress: 100, result } },
	});

	test.each<[string, unknown]>([
		['null', null],
		['no list', {}],
		['an empty list', { music: [] }],
		['a track without its link', { music: [{ title: 'Waves', audio_url: '' }] }],
		['an empty link', { audio_url: '', title: 'Waves' }],
	])('until it is filled, where it has %s', async (_, result) => {
		service.on('GET', RECORD, running, empty(result), empty(result), completed);
		const { json } = await buySounds(service);
		expect(json[0]).toMatchObject({ status: 'completed', url: 'https://files.example.com/1.mp3' });
		expect(asked()).toHaveLength(4);
	});

	test('also where the acknowledgement shows the end', async () => {
		service.on('POST', SOUNDS, {
			json: { data: { task_id: 'task_1', status: 'completed', result: null } },
		});
		service.on('GET', RECORD, completed);
		const { json } = await buySounds(service);
		expect(json[0]).toMatchObject({ status: 'completed', url: 'https://files.example.com/1.mp3' });
	});

	test('for half a minute; then it comes out as it is', async () => {
		service.on('GET', RECORD, empty([]));
		const began = clock.now();
		const { json, error } = await buySounds(service);
		expect(error).toBeUndefined();
		expect(json[0]).toMatchObject({ taskId: 'task_1', status: 'completed', results: [] });
		expect(clock.now() - began).toBeGreaterThanOrEqual(30_000);
		expect(clock.now() - began).toBeLessThan(35_000);
	});

	test('no longer than Timeout', async () => {
		service.on('GET', RECORD, empty([]));
		const began = clock.now();
		const { json, error } = await buySounds(service, 1, { timeout: 5 });
		expect(error).toBeUndefined();
		expect(json[0]).toMatchObject({ status: 'completed', results: [] });
		expect(clock.now() - began).toBe(5_000);
	});

	test('not where its result is text', async () => {
		service.on('GET', RECORD, empty({ upsampled_tags: 'slow folk', language: 'en' }));
		const { json } = await buySounds(service);
		expect(json[0]).toMatchObject({ status: 'completed', upsampledTags: 'slow folk' });
		expect(asked()).toHaveLength(1);
	});
});

test('the tasks are waited for together, as long as the slowest takes', async () => {
	service.on('GET', RECORD, running, running, running, running, completed);
	const began = clock.now();
	const { json } = await buySounds(service, 3);
	expect(json.map(({ status }) => status)).toStrictEqual(['completed', 'completed', 'completed']);
	expect(clock.now() - began).toBeLessThan(6_000);
});

describe('Nothing is asked for', () => {
	const music = { music: [{ audio_url: 'https://files.example.com/1.mp3' }] };

	test('a task whose acknowledgement had its end', async () => {
		service.on('POST', SOUNDS, {
			json: { data: { task_id: 'task_1', status: 'completed', result: music } },
		});
		const { json } = await buySounds(service);
		expect(json[0]).toMatchObject({
			taskId: 'task_1',
			status: 'completed',
			url: 'https://files.example.com/1.mp3',
		});
		expect(asked()).toEqual([]);
	});

	test('a task whose acknowledgement had its failure', async () => {
		service.on('POST', SOUNDS, {
			json: { data: { task_id: 'task_1', status: 'failed', result: null, error: 'Too loud' } },
		});
		const { error } = await buySounds(service);
		expect(error?.message).toBe('Task task_1 failed: Too loud [row 1 (item 0)]');
		expect(asked()).toEqual([]);
	});

	test('an item that was not bought', async () => {
		service.on('POST', SOUNDS, { status: 400 }, accepted('task_2'));
		service.on('GET', RECORD, completed);
		await buySounds(service, 2, { concurrency: 1 }, { settings: goOn });
		expect(asked()).toEqual(['task_2']);
	});

	test('before a pause, a task whose acknowledgement had its end', async () => {
		service.on(
			'POST',
			SOUNDS,
			{ json: { data: { task_id: 'task_1', status: 'completed', result: music } } },
			accepted('task_2'),
		);
		service.on('GET', RECORD, running);
		await pauseNode(soundRun(service, 2, { concurrency: 1 }, { given: { waitMode: 'callback' } }));
		expect(asked()).toEqual(['task_2']);
	});

	test('before a pause, an item that was not bought', async () => {
		service.on('POST', SOUNDS, { status: 400 }, accepted('task_2'));
		service.on('GET', RECORD, running);
		await pauseNode(
			soundRun(service, 2, { concurrency: 1 }, { given: { waitMode: 'callback' }, settings: goOn }),
		);
		expect(asked()).toEqual(['task_2']);
	});
});

test.each<[string, Reply]>([
	['a 5xx', { status: 500 }],
	['a task that is not known yet', { status: 404 }],
	['a reset', { reset: true }],
])('%s before a pause changes nothing: the node pauses', async (_, reply) => {
	service.on('GET', RECORD, reply);
	const { paused } = await pauseNode(soundRun(service, 1, {}, { given: { waitMode: 'callback' } }));
	expect(paused.json[0]).toMatchObject({ taskId: 'task_1', status: 'submitted' });
	expect(asked()).toEqual(['task_1']);
});
