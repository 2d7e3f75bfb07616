import type { INodeParameters, INodeType } from 'n8n-workflow';

import { MediaGenGrid } from '../../../../nodes/MediaGenGrid/MediaGenGrid.node';
import { MediaGenImage } from '../../../../nodes/MediaGenImage/MediaGenImage.node';
import { MediaGenMusic } from '../../../../nodes/MediaGenMusic/MediaGenMusic.node';
import { MediaGenVideo } from '../../../../nodes/MediaGenVideo/MediaGenVideo.node';
import { setClock } from '../../../../nodes/shared/util/clock';
import { fastClock, jumpingClock } from '../../support/clocks';
import { log, runNode } from '../../support/engine';
import { type Reply, SCRIPTED_KEY, useScriptedService } from '../../support/scriptedService';
import {
	accepted,
	buySounds,
	completed,
	RECORD,
	running,
	SOUNDS,
} from '../../support/scriptedTasks';

const service = useScriptedService(jumpingClock);

const goOn = { onError: 'continueRegularOutput' } as const;

const link = (name: string) => `https://files.example.com/${name}`;

const track = { music: [{ audio_url: link('1.mp3') }] };

async function getTask(
	node: INodeType,
	taskIds: string[],
	parameters: INodeParameters = {},
	settings = {},
) {
	return await runNode({
		node,
		parameters: { resource: 'task', operation: 'get', downloadFiles: false, ...parameters },
		items: taskIds.map((taskId) => ({ json: { taskId } })),
		credential: service.credential(),
		settings,
	});
}

describe('A completed task comes out, whatever else its record holds', () => {
	const OPEN: Array<[string, object]> = [
		['cost as text', { cost: '0.12', credits_cost: '120' }],
		['created as ISO text', { created: '2026-01-01T00:00:00Z' }],
		['usage: []', { usage: [] }],
		['a numeric id', { id: 123 }],
		['error: false', { error: false }],
		['error: { message: null }', { error: { message: null } }],
		['expires_at: null', { expires_at: null }],
		['completed: null', { completed: null }],
		['times in microseconds', { created: 1_767_225_600_000_000, completed: 1_767_225_600_000_000 }],
		['results: null', { results: null, family: 'cat', taskId: 'other' }],
	];

	test.each(OPEN)('%s: a wait ends with the first request', async (_, fields) => {
		service.on('POST', SOUNDS, accepted('task_1'));
		service.on('GET', RECORD, {
			json: { code: 200, data: { status: 'completed', result: track, ...fields } },
		});
		const { json, error } = await buySounds(service);
		expect(error).toBeUndefined();
		expect(json[0]).toMatchObject({
			taskId: 'task_1',
			family: 'music',
			operation: 'sounds',
			status: 'completed',
			url: link('1.mp3'),
		});
		expect(json[0]?.results).toHaveLength(1);
		expect(service.sent('GET', RECORD)).toHaveLength(1);
	});

	test.each(OPEN)('%s: Task: Get', async (_, fields) => {
		service.on('GET', RECORD, { json: { status: 'completed', result: track, ...fields } });
		const { json, error } = await getTask(new MediaGenMusic(), ['task_1']);
		expect(error).toBeUndefined();
		expect(json[0]).toMatchObject({ taskId: 'task_1', status: 'completed', url: link('1.mp3') });
	});

	test.each(['succeed', 'SUCCESS', 'done', 'Finished'])('the status word %s', async (status) => {
		service.on('POST', SOUNDS, accepted('task_1'));
		service.on('GET', RECORD, { json: { status, result: track } });
		const { json } = await buySounds(service);
		expect(json[0]).toMatchObject({ status: 'completed', serviceStatus: status });
	});

	test('a cost as text is a number, and the hint adds it up', async () => {
		service.on('POST', SOUNDS, accepted('task_1'), accepted('task_2'));
		service.on('GET', RECORD, { json: { status: 'completed', cost: '0.12', result: track } });
		const { json, hints } = await buySounds(service, 2);
		expect(json.map(({ cost }) => cost)).toStrictEqual([0.12, 0.12]);
		expect(hints[0]?.message).toContain('cost 0.24 (0.12 per task)');
	});
});

test.each(['expired', 'CANCELLED', 'rejected', 'failure'])(
	'the status word %s ends the wait as failed',
	async (status) => {
		service.on('POST', SOUNDS, accepted('task_1'));
		service.on('GET', RECORD, { json: { status } });
		const { error } = await buySounds(service);
		expect(error?.message).toBe('Task task_1 failed: The service gives no reason [row 1 (item 0)]');
	},
);

describe('One record that cannot be mapped does not take the others down', () => {
	test.each([
		[
			'a success of the request around the state of the task',
			{ status: 'success', data: { id: 'task_1', task_status: 'processing' } },
		],
		[
			'a success of the request around a task',
			{ status: 'success', task: { id: 'task_1', status: 'running' } },
		],
		[
			'a success around an envelope',
			{ status: 'success', data: { status: 'success', data: { id: 'task_1', status: 'running' } } },
		],
		['a success around a progress', { status: 'success', data: { id: 'task_1', progress: 40 } }],
	])('%s does not end the wait', async (_, body) => {
		service.on('POST', SOUNDS, accepted('task_1'));
		service.on('GET', RECORD, ...Array<Reply>(40).fill({ json: body }), completed);
		const { json } = await buySounds(service);
		expect(json[0]).toMatchObject({ status: 'completed', url: link('1.mp3') });
		expect(service.sent('GET', RECORD)).toHaveLength(41);
	});

	test('a task without a readable status times out, and its error says what came', async () => {
		service.on('POST', SOUNDS, accepted('task_1'), accepted('task_2'));
		service.on('GET', '/v1/music/tasks/task_1', { json: { phase: 'completed' } });
		service.on('GET', '/v1/music/tasks/task_2', completed);
		const options = { timeout: 5, concurrency: 1 };
		const { json } = await buySounds(service, 2, options, { settings: goOn });
		expect(json.map(({ taskId, status }) => [taskId, status])).toEqual([
			['task_1', 'submitted'],
			['task_2', 'completed'],
		]);
		expect(JSON.stringify(json[0]?.error)).toContain(
			'The last request failed: The response could not be read (HTTP 200): {\\"phase\\":\\"completed\\"}.',
		);
	});

	test('the error after a timeout has the last status word', async () => {
		service.on('POST', SOUNDS, accepted('task_1'));
		service.on('GET', RECORD, { json: { status: 'marinating' } });
		const { error } = await buySounds(service, 1, { timeout: 5 });
		expect(error?.message).toBe('Task task_1 was still running after 5 seconds [row 1 (item 0)]');
		expect(error?.description).toContain('Its last status was "marinating".');
	});
});

describe('The id of a task that was bought is never lost', () => {
	test.each<[string, Reply, string]>([
		['a bare acknowledgement', { json: { task_id: 'task_1' } }, 'task_1'],
		['a numeric id', { json: { data: [{ status: 'submitted', task_id: 77 }] } }, '77'],
		[
			'data as an object',
			{ json: { code: 200, data: { id: 'task_1', status: 'queued' } } },
			'task_1',
		],
		['data as text', { json: { code: 200, data: 'task_1' } }, 'task_1'],
		['data as a list of texts', { json: { code: 200, data: ['task_1'] } }, 'task_1'],
		['data as a number', { json: { code: 200, data: 77 } }, '77'],
		['taskId', { json: { taskId: 'task_1' } }, 'task_1'],
		['job_id in data', { json: { data: [{ job_id: 'task_1' }] } }, 'task_1'],
		['task as an object', { json: { task: { id: 'task_1', status: 'queued' } } }, 'task_1'],
		[
			'a numeric id above 2^53',
			{
				text: '{"code": 200, "data": [{"task_id": 9007199254740993}]}',
				headers: { 'content-type': 'application/json' },
			},
			'9007199254740993',
		],
		[
			'a numeric id of 30 digits, below zero',
			{
				text: '{"id": -123456789012345678901234567890}',
				headers: { 'content-type': 'application/json' },
			},
			'-123456789012345678901234567890',
		],
	])('%s', async (_, reply, taskId) => {
		service.on('POST', SOUNDS, reply);
		service.on('GET', `/v1/music/tasks/${taskId}`, running, completed);
		const { json, error } = await buySounds(service);
		expect(error).toBeUndefined();
		expect(json[0]).toMatchObject({ taskId, status: 'completed' });
	});

	test('of two ids in data, the second is named in the notes and in the log', async () => {
		service.on('POST', SOUNDS, {
			json: { data: [{ task_id: 'task_1' }, { task_id: 'task_2' }, { task_id: 'task_1' }] },
		});
		service.on('GET', RECORD, completed);
		const { json } = await buySounds(service);
		expect(json[0]).toMatchObject({
			taskId: 'task_1',
			status: 'completed',
			notes: [
				'The service made more tasks of this request: task_2. Get them with the resource Task, operation Get.',
			],
		});
		expect(log.join('\n')).toContain('task_2');
	});

	test.each<[string, unknown]>([
		['a direct result', { created: 1_767_225_600, data: [{ url: link('made.png') }] }],
		['a link as data', { code: 200, data: link('made.png') }],
		['a word that is a state', { code: 200, data: 'success' }],
		['another name', { code: 200, payload: { ticket: 'abc-1' } }],
	])(
		'an acknowledgement without an id that can be read stands in the message and in the item: %s',
		async (_, body) => {
			service.on('POST', SOUNDS, { json: body });
			const { json } = await buySounds(service, 1, {}, { settings: goOn });
			expect(json[0]).toMatchObject({
				status: 'unknown',
				error: {
					message: `The response could not be read (HTTP 200): ${JSON.stringify(body)} [row 1 (item 0)]`,
					response: JSON.stringify(body),
				},
			});
			expect(service.sent('GET', RECORD)).toEqual([]);
		},
	);

	test('a long one is shortened, and the key is not in it', async () => {
		const body = {
			echo: `key ${SCRIPTED_KEY}`,
			content: 'x'.repeat(3_000_000),
			links: Array.from({ length: 10_000 }, (_, at) => link(`${at}.png`)),
		};
		service.on('POST', SOUNDS, { json: body });
		const { json, error } = await buySounds(service, 1, {}, { settings: goOn });
		const read = json[0]?.error as { message: string; response: string };
		expect(read.message.length).toBeLessThan(500);
		expect(read.response.length).toBeLessThan(10_000);
		expect(read.response).toContain(link('0.png'));
		expect(JSON.stringify([json, error, log])).not.toContain(SCRIPTED_KEY);
	});

	test('a service that answers after more than a minute has the time of Timeout', async () => {
		// A minute is three seconds of the machine.
		setClock(fastClock(20));
		service.on('POST', SOUNDS, { ...accepted('task_1'), afterMs: 3_500 });
		service.on('GET', RECORD, completed);
		const { json, error } = await buySounds(service, 1, { timeout: 600 });
		expect(error).toBeUndefined();
		expect(json[0]).toMatchObject({ taskId: 'task_1', status: 'completed' });
	});

	test('a numeric id can be given to Task: Get', async () => {
		service.on('GET', '/v1/music/tasks/77', completed);
		const { json } = await runNode({
			node: new MediaGenMusic(),
			parameters: { resource: 'task', operation: 'get', taskId: '={{ 77 }}', downloadFiles: false },
			credential: service.credential(),
		});
		expect(json[0]).toMatchObject({ taskId: '77', status: 'completed' });
	});
});

describe("The service's code and type come out", () => {
	const error = { message: 'Button 9 is gone', code: 9, type: 'reroll_error' };

	test('of a failed task, with its message', async () => {
		service.on('GET', '/v1/tasks/*', { json: { status: 'FAILURE', error } });
		const { json } = await getTask(new MediaGenGrid(), ['task_1']);
		expect(json[0]).toMatchObject({
			status: 'failed',
			error: { message: 'Button 9 is gone', code: '9', type: 'reroll_error', httpStatus: null },
		});
	});

	test('of a task that failed while the node waited', async () => {
		service.on('POST', SOUNDS, accepted('task_1'));
		service.on('GET', RECORD, { json: { status: 'failed', error } });
		const { json } = await buySounds(service, 1, {}, { settings: goOn });
		expect(json[0]?.error).toMatchObject({
			message: 'Task task_1 failed: Button 9 is gone [row 1 (item 0)]',
			code: '9',
			type: 'reroll_error',
		});
	});

	test.each<[string, object, string, string | null]>([
		[
			'{ code: 402, message }',
			{ code: 402, message: 'No credits left' },
			'Insufficient balance: No credits left [row 1 (item 0)]',
			'402',
		],
		[
			'{ code: "401", msg }',
			{ code: '401', msg: 'Who are you' },
			'Authentication failed: Who are you [row 1 (item 0)]',
			'401',
		],
		[
			'{ code: 500, message }',
			{ code: 500, message: 'Out of order', data: null },
			'The service answered with an error: Out of order [row 1 (item 0)]',
			'500',
		],
		[
			'{ error: { message } }',
			{ error: { message: 'Out of order' } },
			'The service answered with an error: Out of order [row 1 (item 0)]',
			null,
		],
		[
			'{ success: false, message }',
			{ success: false, message: 'Out of order' },
			'The service answered with an error: Out of order [row 1 (item 0)]',
			null,
		],
	])('of a submission that HTTP 200 refuses: %s', async (_, body, message, code) => {
		service.on('POST', SOUNDS, { json: body });
		const { json } = await buySounds(service, 1, {}, { settings: goOn });
		expect(json[0]?.error).toMatchObject({ message, code, httpStatus: null });
	});

	test('of a wait that HTTP 200 refuses', async () => {
		service.on('POST', SOUNDS, accepted('task_1'));
		service.on('GET', RECORD, { json: { code: 403, message: 'Not yours' } });
		const { json } = await buySounds(service, 1, {}, { settings: goOn });
		expect(json[0]).toMatchObject({
			taskId: 'task_1',
			error: { message: 'Permission denied: Not yours [row 1 (item 0)]' },
		});
	});

	test('of a refused request, whose type may be null', async () => {
		service.on('POST', SOUNDS, {
			status: 400,
			json: { error: { message: 'Too loud', code: 'volume', type: null } },
		});
		const { json } = await buySounds(service, 1, {}, { settings: goOn });
		expect(json[0]?.error).toEqual({
			message: 'Bad request: Too loud [row 1 (item 0)]',
			description: 'Change the field that the service names and run the node again.',
			code: 'volume',
			type: null,
			httpStatus: 400,
		});
	});
});

describe('Results keep their numbers, and the next node works on the right one', () => {
	test.each([
		['action: null', { action: null }],
		['text buttons', { buttons: ['U1', 'V1'], action: 'IMAGINE' }],
	])('a grid with %s', async (_, fields) => {
		const images = [1, 2, 3, 4].map((number) => link(`${number}.png`));
		service.on('GET', '/v1/tasks/*', {
			json: { status: 'SUCCESS', grid_image_url: link('grid.png'), image_urls: images, ...fields },
		});
		const { items } = await getTask(new MediaGenGrid(), ['grid_1'], { output: 'files' });
		expect(items.map(({ json }) => [json.index, json.name, json.url])).toEqual([
			[null, 'grid', link('grid.png')],
			...images.map((url, at) => [at + 1, null, url]),
		]);
		service.on('POST', '*', accepted('task_2'));
		const third = items.filter(({ json }) => json.index === 3);
		const parameters = { resource: 'grid', operation: 'variation', waitMode: 'none' };
		await runNode({
			node: new MediaGenGrid(),
			parameters,
			items: third,
			credential: service.credential(),
		});
		expect(service.sent('POST', '*')[0]?.body).toEqual({ task_id: 'grid_1', index: 3 });
	});

	test('the third track, where the second has no link', async () => {
		const music = [{ audio_url: link('1.mp3') }, {}, { audio_url: link('3.mp3') }];
		service.on('GET', RECORD, { json: { status: 'completed', result: { music } } });
		const { json } = await getTask(new MediaGenMusic(), ['task_1'], { output: 'files' });
		expect(json.map(({ index, url }) => [index, url])).toEqual([
			[1, link('1.mp3')],
			[3, link('3.mp3')],
		]);
	});

	test('an item per file does not repeat the cost of its task beside the file', async () => {
		service.on('GET', RECORD, {
			json: {
				status: 'completed',
				cost: 0.1,
				result: { music: [{ audio_url: link('1.mp3') }, { audio_url: link('2.mp3') }] },
			},
		});
		const { json } = await getTask(new MediaGenMusic(), ['task_1'], { output: 'files' });
		expect(json.map(({ cost, task }) => [cost, (task as { cost: number }).cost])).toEqual([
			[undefined, 0.1],
			[undefined, 0.1],
		]);
	});
});

describe("The request's own links are not results, and are not downloaded", () => {
	const echo = {
		image_urls: [link('reference.png')],
		mask_url: link('mask.png'),
		request: { image_urls: [link('reference.png')] },
	};

	test('in a wait for a custom request', async () => {
		service.on('POST', '/v1/images/generations', accepted('task_1'));
		service.on('GET', RECORD, {
			json: {
				status: 'completed',
				...echo,
				result: { source: link('reference.png'), images: [{ url: [link('made.png')] }] },
			},
		});
		const body = JSON.stringify({
			prompt: 'x',
			image_urls: [link('reference.png')],
			mask_url: link('mask.png'),
		});
		const { json } = await runNode({
			node: new MediaGenMusic(),
			parameters: {
				resource: 'task',
				operation: 'submit',
				path: '/v1/images/generations',
				bodyType: 'json',
				body,
				downloadFiles: false,
			},
			credential: service.credential(),
		});
		expect(json[0]?.results).toEqual([
			expect.objectContaining({ index: 1, url: link('made.png') }),
		]);
	});

	test('in Task: Get, which does not know the request', async () => {
		service.on('GET', RECORD, {
			json: { status: 'completed', ...echo, result: { images: [{ url: [link('made.png')] }] } },
		});
		const { json } = await getTask(new MediaGenMusic(), ['task_1']);
		expect(json[0]?.results).toEqual([expect.objectContaining({ url: link('made.png') })]);
	});
});

test('without Simplify the record comes as it is', async () => {
	const record = { status: 'completed', cost: '0.12', results: null, result: track };
	service.on('GET', RECORD, { json: { code: 200, data: record } });
	const { json } = await getTask(new MediaGenMusic(), ['task_1'], {
		options: { simplify: false, reference: 'row 7' },
	});
	expect(json[0]).toEqual({ record, taskId: 'task_1', status: 'completed', reference: 'row 7' });
});

test.each([new MediaGenMusic(), new MediaGenGrid(), new MediaGenImage(), new MediaGenVideo()])(
	'every family can name the path of its records',
	async (node) => {
		service.on('GET', '/v2/jobs/task_1?full=1', {
			json: { status: 'completed', result: { url: link('1.png') } },
		});
		const { json } = await getTask(node, ['task_1'], {
			options: { taskQueryPath: '/v2/jobs/{task_id}?full=1' },
		});
		expect(json[0]).toMatchObject({ status: 'completed', url: link('1.png') });
	},
);

test('a path of records without the place of the id is refused', async () => {
	const { error } = await getTask(new MediaGenMusic(), ['task_1'], {
		options: { taskQueryPath: '/v2/jobs' },
	});
	expect(error?.message).toBe('"Task Query Path" must begin with a slash and contain {task_id}');
	expect(service.requests).toEqual([]);
});
