import type { INodeParameters } from 'n8n-workflow';

import { setClock } from '../../../../nodes/shared/util/clock';
import { fastClock, jumpingClock } from '../../support/clocks';
import { log, ok, runNode } from '../../support/engine';
import { runnerOf } from '../../support/operations';
import { fileItem } from '../../support/sandbox';
import { type Reply, SCRIPTED_KEY } from '../../support/scriptedService';
import {
	accepted,
	completed,
	completedWith,
	running,
	serviceError,
	songAt,
	soundTool,
	unknownTask,
} from '../../support/scriptedTasks';
import { goOn, retryAndGoOn, retryOnFail } from '../../support/settings';
import { statesOf, useSoundService } from '../../support/soundService';

const { service, onSubmit, onRecord, onRecordOf, buy, bought, recordsRead } =
	useSoundService(jumpingClock);

const link = (name: string) => `https://files.example.com/${name}`;

const track = songAt(link('1.mp3'));

const getTask = async (family: string, parameters: INodeParameters = {}) =>
	await runnerOf(service)(`${family}.task.get`, {
		taskId: 'task_1',
		downloadFiles: false,
		...parameters,
	});

test.each(['poll', 'callback'])(
	'the record of another task of the run is not taken for an item’s own (%s)',
	async (waitMode) => {
		const files = { task_1: songAt(link('1.mp3')), task_2: songAt(link('2.mp3')) };
		const recordOf = (id: 'task_1' | 'task_2') => completedWith(files[id], { id });
		onRecordOf('task_1', recordOf('task_2'), recordOf('task_2'), recordOf('task_1'));
		onRecordOf('task_2', recordOf('task_1'), recordOf('task_1'), recordOf('task_2'));
		const { json } = await buy(2, { concurrency: 1 }, { given: { waitMode } });
		expect(json.map(({ taskId, url }) => [taskId, url])).toEqual([
			['task_1', link('1.mp3')],
			['task_2', link('2.mp3')],
		]);
	},
);

describe('A completed task comes out, whatever else its record holds', () => {
	const odd = {
		...{ cost: '0.12', credits_cost: '120', created: '2026-01-01T00:00:00Z', completed: null },
		...{ id: 123, usage: [], expires_at: null, error: { message: null } },
		...{ results: null, family: 'cat', taskId: 'other' },
	};

	test('a wait ends with the first request', async () => {
		onRecord({ json: { code: 200, data: { status: 'completed', result: track, ...odd } } });
		const { json } = ok(await buy());
		expect(json[0]).toMatchObject({
			...{ taskId: 'task_1', family: 'music', operation: 'sounds', status: 'completed' },
			url: link('1.mp3'),
		});
		expect(json[0]?.results).toHaveLength(1);
		expect(recordsRead()).toHaveLength(1);
	});

	test('a record of another task has a note', async () => {
		onRecord(completedWith(track, { id: 'other' }));
		const { json } = await getTask('music');
		expect(json[0]).toMatchObject({
			taskId: 'task_1',
			notes: ['The service answered with the record of task other in place of task task_1'],
		});
	});
});

describe('One record that cannot be mapped does not take the others down', () => {
	const task = { id: 'task_1', status: 'running' };

	test.each<[string, object]>([
		['the state of the task', { data: { id: 'task_1', task_status: 'processing' } }],
		['a task', { task }],
		['an envelope', { data: { status: 'success', data: task } }],
		['a progress', { data: { id: 'task_1', progress: 40 } }],
	])('a success of the request around %s does not end the wait', async (_, body) => {
		const reply = { json: { status: 'success', ...body } };
		onRecord(...Array<Reply>(40).fill(reply), completed);
		const { json } = await buy();
		expect(json[0]).toMatchObject({ status: 'completed', url: link('1.mp3') });
		expect(recordsRead()).toHaveLength(41);
	});

	test('a task without a readable status times out, and its error says what came', async () => {
		onRecordOf('task_1', { json: { phase: 'completed' } });
		const { json } = await buy(2, { timeout: 5, concurrency: 1 }, goOn);
		expect(statesOf(json)).toEqual(['task_1: submitted', 'task_2: completed']);
		expect(JSON.stringify(json[0]?.error)).toContain(
			'The last request failed: The response could not be read (HTTP 200): {\\"phase\\":\\"completed\\"}.',
		);
	});
});

describe('The id of a task that was bought is never lost', () => {
	/** JSON with a number that JavaScript would round. */
	const headers = { 'content-type': 'application/json' };
	const exactly = (json: string): Reply => ({ text: json, headers });
	const huge = '9007199254740993';
	const longest = '-123456789012345678901234567890';

	test.each<[string, Reply, string]>([
		['a bare acknowledgement', { json: { task_id: 'task_1' } }, 'task_1'],
		['data as a number', { json: { code: 200, data: 77 } }, '77'],
		['task as an object', { json: { task: { id: 'task_1', status: 'queued' } } }, 'task_1'],
		['an id above 2^53', exactly(`{"code": 200, "data": [{"task_id": ${huge}}]}`), huge],
		['an id of 30 digits, below zero', exactly(`{"id": ${longest}}`), longest],
	])('%s', async (_, reply, taskId) => {
		onSubmit(reply);
		onRecord({ status: 404 });
		onRecordOf(taskId, running, completed);
		const { json } = ok(await buy());
		expect(json[0]).toMatchObject({ taskId, status: 'completed' });
	});

	test.each<[string, string, object, boolean]>([
		[
			'is whole, the task is taken up',
			'{"data": [{"task_id": "task_1"}]}',
			{ taskId: 'task_1' },
			false,
		],
		[
			'is not, the item is in doubt',
			'{"data": [{"task_id": "task_1"}',
			{ status: 'unknown' },
			true,
		],
	])(
		'where the connection breaks after an acknowledgement that %s',
		async (_, body, item, isUnsure) => {
			onSubmit({
				raw: (response) => {
					response.writeHead(200, { 'content-type': 'application/json', 'content-length': 500 });
					response.write(body, () => setTimeout(() => response.destroy(), 20));
				},
			});
			const { json } = await buy(1, {}, goOn);
			expect(json).toMatchObject([item]);
			expect(json[0]?.error !== undefined).toBe(isUnsure);
		},
	);

	test('of two ids in data, the second is named in the notes and in the log', async () => {
		onSubmit({
			json: { data: [{ task_id: 'task_1' }, { task_id: 'task_2' }, { task_id: 'task_1' }] },
		});
		const { json } = await buy();
		expect(json[0]).toMatchObject({
			taskId: 'task_1',
			status: 'completed',
			notes: [
				'The service made more tasks from this request: task_2. Get them with the resource Task, operation Get.',
			],
		});
		expect(log.join('\n')).toContain('task_2');
	});

	test.each<[string, unknown]>([
		['a direct result', { created: 1_767_225_600, data: [{ url: link('made.png') }] }],
		['a link as data', { code: 200, data: link('made.png') }],
		['a word that is a state', { code: 200, data: 'success' }],
		['another name', { code: 200, payload: { ticket: 'abc-1' } }],
	])('an acknowledgement without a readable id stands in message and item: %s', async (_, body) => {
		onSubmit({ json: body });
		const { json } = await buy(1, {}, goOn);
		expect(json[0]).toMatchObject({
			status: 'unknown',
			error: {
				message: `The response could not be read (HTTP 200): ${JSON.stringify(body)} [row 1 (item 0)]`,
				response: JSON.stringify(body),
			},
		});
		expect(recordsRead()).toEqual([]);
	});

	test.each([
		['without a body', { text: '' }, ''],
		['beside a body', { json: { message: 'Accepted' } }, ' {"message":"Accepted"}'],
	])('so does the address that a header names, %s', async (_, answer, shown) => {
		onSubmit({ status: 202, headers: { location: '/v1/music/tasks/task_7' }, ...answer });
		const { json } = await buy(1, {}, goOn);
		const response = `Location: /v1/music/tasks/task_7${shown}`;
		expect(json[0]).toMatchObject({
			status: 'unknown',
			error: {
				message: `The response could not be read (HTTP 202): ${response} [row 1 (item 0)]`,
				response,
			},
		});
	});

	test.each([500, 503])('so does what a status of %i names', async (status) => {
		const body = { code: 200, data: [{ task_id: 'task_9', status: 'submitted' }] };
		onSubmit({ status, json: body });
		const { json } = await buy(1, {}, goOn);
		expect(json[0]).toMatchObject({
			status: 'unknown',
			error: { httpStatus: status, response: JSON.stringify(body) },
		});
		expect(bought()).toHaveLength(1);
		expect(log.filter((line) => line.includes('task_9'))).toHaveLength(1);
	});

	test('it still does after Retry On Fail, which sends nothing again, and in the log', async () => {
		const body = { code: 200, payload: { ticket: 'abc-1' } };
		onSubmit({ json: body });
		const { error } = await buy(1, {}, retryOnFail);
		expect(error?.message).toBe(
			`The task may have been bought by an earlier attempt, so the request was not sent again. The answer was ${JSON.stringify(body)} [row 1 (item 0)]`,
		);
		const { json } = await buy(1, {}, retryAndGoOn);
		expect(json[0]).toMatchObject({ status: 'unknown', error: { response: JSON.stringify(body) } });
		expect(bought()).toHaveLength(2);
		expect(log.filter((line) => line.includes('abc-1'))).toHaveLength(1);
	});

	test('a long one is shortened, and the key is not in it', async () => {
		const body = {
			echo: `key ${SCRIPTED_KEY}`,
			content: 'x'.repeat(3_000_000),
			links: Array.from({ length: 10_000 }, (_, at) => link(`${at}.png`)),
		};
		onSubmit({ json: body });
		const { json, error } = await buy(1, {}, goOn);
		const read = json[0]?.error as { message: string; response: string };
		expect(read.message.length).toBeLessThan(500);
		expect(read.response.length).toBeLessThan(10_000);
		expect(read.response).toContain(link('0.png'));
		expect(JSON.stringify([json, error, log])).not.toContain(SCRIPTED_KEY);
	});

	test('a service that answers after more than a minute has the time of Timeout', async () => {
		// A minute is three seconds of the machine.
		setClock(fastClock(20));
		onSubmit({ ...accepted('task_1'), afterMs: 3_500 });
		const { json } = ok(await buy(1, { timeout: 600 }));
		expect(json[0]).toMatchObject({ taskId: 'task_1', status: 'completed' });
	});
});

describe('A service that has the key in what it gives', () => {
	const shown = (...values: unknown[]) => JSON.stringify([...values, log]);

	test.each([
		['an id', `task_${SCRIPTED_KEY}`, 'task_•••'],
		['an id in base64', 'c2NyaXB0ZWQta2V5', '•••'],
	])('%s is shown without it', async (_, id, masked) => {
		onSubmit(accepted(id));
		onRecordOf(`task_${SCRIPTED_KEY}`, completedWith(track));
		const { json, error } = await buy(1, { timeout: 5 }, goOn);
		expect(json[0]?.taskId).toBe(masked);
		expect(shown(json, error)).not.toContain(SCRIPTED_KEY);
	});

	test('its task is asked for by the whole id, also by Task: Get with the id that is shown', async () => {
		onSubmit(accepted(`task_${SCRIPTED_KEY}`));
		onRecord(serviceError(404, 'No such task'));
		onRecordOf(`task_${SCRIPTED_KEY}`, completedWith(track));
		expect(statesOf((await buy()).json)).toEqual(['task_•••: completed']);
		const { json } = await getTask('music', { taskId: 'task_•••' });
		expect(statesOf(json)).toEqual(['task_•••: completed']);
	});

	test('its file is fetched by the whole link', async () => {
		const path = `/files/${SCRIPTED_KEY}/1.mp3`;
		service.on('GET', path, { text: 'sound', headers: { 'content-type': 'audio/mpeg' } });
		onRecord(completedWith(songAt(service.url + path)));
		// Time also passes while the file is under way, but not a minute at once.
		setClock(fastClock(100));
		const { json, items, error } = await buy(1, {}, { given: { downloadFiles: true } });
		expect(items[0]?.binary).toHaveProperty('data');
		expect(shown(json, error)).not.toContain(SCRIPTED_KEY);
	});

	test('but a redirect does not take the key to another server', async () => {
		const elsewhere = service.url.replace('127.0.0.1', 'localhost');
		service.on('GET', '/files/1.mp3', {
			status: 302,
			headers: { location: `${elsewhere}/elsewhere/${SCRIPTED_KEY}` },
		});
		onRecord(completedWith(songAt(`${service.url}/files/1.mp3`)));
		const { error } = await buy(1, {}, { given: { downloadFiles: true } });
		expect(error?.message).toContain('the link sends the API key elsewhere');
		expect(service.sent('GET', '/elsewhere/*')).toEqual([]);
	});

	test('but not from another server: the key goes to none, and the file counts as there', async () => {
		const path = `/files/${SCRIPTED_KEY}/1.mp3`;
		const elsewhere = service.url.replace('127.0.0.1', 'localhost');
		expect(elsewhere).not.toBe(service.url);
		onRecord(completedWith(songAt(elsewhere + path)));
		const { error } = await buy(1, {}, { given: { downloadFiles: true } });
		expect(error?.message).toContain('the link sends the API key elsewhere');
		const { json } = await buy(1, { existingTaskId: 'task_1', whenFilesAreGone: 'buyAgain' });
		expect(json[0]).toMatchObject({ taskId: 'task_1', reused: true });
		expect(bought()).toHaveLength(1);
		expect(service.requests.filter(({ path }) => path.startsWith('/files/'))).toEqual([]);
	});
});

describe('A redirect says where it leads, and is not followed', () => {
	const redirect = (status: number): Reply => ({
		status,
		headers: { location: `https://www.example.com/${SCRIPTED_KEY}?key=${SCRIPTED_KEY}` },
	});

	test.each<[status: number, hint: string]>([
		[301, 'The task may have been bought anyway'],
		[302, 'The task may have been bought anyway'],
		[303, 'The task may have been bought anyway'],
		[307, 'Check the base URL'],
		[308, 'Check the base URL'],
	])('%d of a purchase: %s', async (status, hint) => {
		onSubmit(redirect(status));
		const { error } = await buy();
		expect(error?.message).toBe(
			`The service redirects to https://www.example.com (HTTP ${status}) [row 1 (item 0)]`,
		);
		expect(error?.description).toContain(hint);
		expect(JSON.stringify([error, log])).not.toContain(SCRIPTED_KEY);
		expect(bought()).toHaveLength(1);
	});

	test('of a wait: the task is named, and not bought again', async () => {
		onRecord(redirect(301));
		const { error } = await buy(1, { timeout: 3 });
		expect(error?.message).toContain('Task task_1 was still submitted after 3 seconds');
		expect(error?.description).toContain('redirects to https://www.example.com (HTTP 301)');
	});
});

describe("The service's code and type come out", () => {
	const error = { message: 'Button 9 is gone', code: 9, type: 'reroll_error' };

	test('of a failed task, with its message', async () => {
		service.on('GET', '/v1/tasks/*', { json: { status: 'FAILURE', error } });
		const { json } = await getTask('grid');
		expect(json[0]).toMatchObject({
			status: 'failed',
			error: { message: 'Button 9 is gone', code: '9', type: 'reroll_error', httpStatus: null },
		});
	});

	test('of a task that failed while the node waited', async () => {
		onRecord({ json: { status: 'failed', error } });
		const { json } = await buy(1, {}, goOn);
		expect(json[0]?.error).toEqual({
			message: 'Task task_1 failed: Button 9 is gone [row 1 (item 0)]',
			description: 'The service refunds what a failed task was charged.',
			code: '9',
			type: 'reroll_error',
			httpStatus: null,
		});
	});

	const outOfOrder = 'The service answered with an error: Out of order';

	test.each<[object, string, string | null]>([
		[{ code: 402, message: 'No credits left' }, 'Insufficient balance: No credits left', '402'],
		[{ code: '401', msg: 'Who are you' }, 'Authentication failed: Who are you', '401'],
		[{ code: 500, message: 'Out of order', data: null }, outOfOrder, '500'],
		[{ error: { message: 'Out of order' } }, outOfOrder, null],
		[{ success: false, message: 'Out of order' }, outOfOrder, null],
	])('of a submission that HTTP 200 refuses: %j', async (body, words, code) => {
		onSubmit({ json: body });
		const { json } = await buy(1, {}, goOn);
		// What may have been bought stands in the answer.
		const more = words !== outOfOrder ? '' : `. The answer was ${JSON.stringify(body)}`;
		const message = `${words}${more} [row 1 (item 0)]`;
		expect(json[0]?.error).toMatchObject({ message, code, httpStatus: null });
	});

	test('of a wait that HTTP 200 refuses', async () => {
		onRecord({ json: { code: 403, message: 'Not yours' } });
		const { json } = await buy(1, {}, goOn);
		expect(json[0]).toMatchObject({
			taskId: 'task_1',
			error: { message: 'Permission denied: Not yours [row 1 (item 0)]' },
		});
	});

	test('of a refused request, whose type may be null', async () => {
		onSubmit(serviceError(400, 'Too loud', { code: 'volume', type: null }));
		const { json } = await buy(1, {}, goOn);
		expect(json[0]?.error).toEqual({
			message: 'Bad request: Too loud [row 1 (item 0)]',
			description: 'Change the field that the service names.',
			code: 'volume',
			type: null,
			httpStatus: 400,
		});
	});
});

test('a refusal that names the model says where to enter another word for it', async () => {
	onSubmit(serviceError(400, 'Unknown model musicgen'));
	const { error } = await buy();
	expect(error?.description).toContain('set "Brand Words" in the credential');
});

test('a task that the service does not know is looked for in the family of its item', async () => {
	service.on('GET', '/v1/images/*', unknownTask);
	const run = runnerOf(service);
	const items = [{ json: { taskId: 'task_1', family: 'music' } }];
	const { error } = await run('image.task.get', { taskId: 'task_1' }, { items });
	expect(error?.description).toContain('The input item is of the family "music"');
});

test('an item per file does not repeat the cost of its task beside the file', async () => {
	onRecord(completedWith(songAt(link('1.mp3'), link('2.mp3')), { cost: 0.1 }));
	const { json } = await getTask('music', { output: 'files' });
	expect(json.map(({ cost, task }) => [cost, (task as { cost: number }).cost])).toEqual([
		[undefined, 0.1],
		[undefined, 0.1],
	]);
});

test('without Simplify the record comes as it is', async () => {
	const record = { status: 'completed', cost: '0.12', results: null, result: track };
	onRecord({ json: { code: 200, data: record } });
	const { json } = await getTask('music', { options: { simplify: false, reference: 'row 7' } });
	expect(json[0]).toEqual({ record, taskId: 'task_1', status: 'completed', reference: 'row 7' });
});

test.each(['music', 'grid', 'image', 'video'])(
	'every family can name the path of its records: %s',
	async (family) => {
		service.on('GET', '/v2/jobs/task_1?full=1', completedWith({ url: link('1.png') }));
		const options = { taskQueryPath: '/v2/jobs/{task_id}?full=1' };
		const { json } = await getTask(family, { options });
		expect(json[0]).toMatchObject({ status: 'completed', url: link('1.png') });
	},
);

test('a path of records without the place of the id is refused', async () => {
	const { error } = await getTask('music', { options: { taskQueryPath: '/v2/jobs' } });
	expect(error?.message).toBe('"Task Query Path" must begin with one slash and contain {task_id}');
	expect(service.requests).toEqual([]);
});

describe('An answer in words comes out', () => {
	const lyrics = { lyrics: 'Rain', title: 'One' };

	test('to an agent too: it would buy it again', async () => {
		onRecord(completedWith({ upsampled_tags: 'folk' }));
		const { json } = await runNode({
			node: soundTool(),
			parameters: { resource: 'music', operation: 'upsampleTags', tags: 'x' },
			credential: service.credential(),
		});
		expect(json[0]).toMatchObject({ taskId: 'task_1', status: 'completed', upsampledTags: 'folk' });
	});

	test('of a custom request', async () => {
		service.on('POST', '*', accepted('task_1'));
		onRecord(completedWith({ ...lyrics, id: 'x', url: 'none' }));
		const given = { path: '/v1/music/lyrics', bodyType: 'json', body: '{"prompt":"Rain"}' };
		const { json } = await runnerOf(service)('music.task.submit', given);
		expect(json[0]).toMatchObject({ taskId: 'task_1', results: [], ...lyrics, url: null });
		expect(recordsRead()).toHaveLength(1);
	});

	test('enhanced tags do, whatever stands beside them', async () => {
		for (const beside of [track, { music: [] }, { ok: true }]) {
			service.on('POST', '*', accepted('task_1'));
			onRecord(completedWith({ upsampled_tags: 'folk', ...beside }));
			const { json } = await runnerOf(service)('music.upsampleTags', { tags: 'slow' }, goOn);
			expect(json[0]).toMatchObject({ upsampledTags: 'folk' });
			expect(json[0]).not.toHaveProperty('notes');
		}
	});

	test('what cannot be read comes out whole, to an agent too', async () => {
		onRecord(completedWith({ ticket: { number: 7 } }));
		const { json } = await buy(1, {}, { node: soundTool() });
		expect(json[0]).toMatchObject({ record: { result: { ticket: { number: 7 } } } });
	});
});

describe('An error with HTTP 200', () => {
	const busy = { status: 'failed', error: { message: 'busy' } };
	const tooLoud = { id: 'task_1', status: 'failed', error: { message: 'Too loud' } };

	test.each<[string, object]>([
		['a state of its own', { status: 'error', code: 500, message: 'busy' }],
		['the ID of another task beside it', { code: 200, task_id: 'task_9', data: busy }],
		['the ID of another task', { code: 200, data: { id: 'task_9', status: 'failed' } }],
		['the ID of another task alone', { code: 200, data: { task_id: 'task_9', status: 'failed' } }],
	])('that has %s is none of the task: it is read again, not bought again', async (_, error) => {
		onRecord({ json: error }, completed);
		const { json } = await buy(1, {}, retryOnFail);
		expect(statesOf(json)).toEqual(['task_1: completed']);
		expect(bought()).toHaveLength(1);
	});

	test.each<[string, object]>([
		['of a task that has failed says so by its id', { ...tooLoud, code: 500 }],
		["around the record of a failed task is the task's", { code: 500, data: tooLoud }],
	])('%s', async (_, json) => {
		onRecord({ json });
		const { error } = await buy();
		expect(error?.message).toContain('Task task_1 failed: Too loud');
	});

	test.each<[string, object, string]>([
		['the id of the parent', { error: { message: 'not finished' }, task_id: 'parent' }, 'unknown'],
		['that of the request', { error: { code: 400, message: 'No' }, id: 'req_1' }, 'not submitted'],
		['a word in data', { code: 400, message: 'No', data: 'bad_prompt' }, 'not submitted'],
	])('to a submission buys no task, though it has %s', async (_, answer, status) => {
		onSubmit({ json: answer });
		const { json } = await buy(1, {}, goOn);
		expect(json[0]).toMatchObject({ status });
		expect(json[0]?.taskId).toBeUndefined();
		expect(recordsRead()).toHaveLength(0);
	});

	test.each<[string, object]>([
		['in data', { code: 404, message: 'No such task', data: { task_id: 'parent' } }],
		['in a list', { code: 400, message: 'Not finished', data: [{ task_id: 'parent' }] }],
		['as a task', { error: { type: 'payment_required' }, task: { id: 'parent' } }],
		['beside it', { code: 400, message: 'No', task_id: 'parent' }],
		['as a number', { code: 400, message: 'No', task_id: 12345 }],
	])('to a submission that names the task of the request %s is a refusal', async (_, json) => {
		onSubmit({ json });
		const answer = await buy(1, { additionalBodyFields: '{"source":["parent",12345]}' }, goOn);
		expect(answer.json[0]).toMatchObject({ status: 'not submitted' });
		expect(recordsRead()).toHaveLength(0);
	});

	test('to form data that names the task of a field is a refusal', async () => {
		const path = '/v1/music/uploads';
		service.on('POST', path, { json: { code: 400, message: 'No', task_id: 'parent' } });
		const { json } = await runnerOf(service)(
			'music.task.submit',
			{
				...{ path, bodyType: 'formData', binaryProperty: 'data', fileField: 'file' },
				bodyFields: { field: [{ name: 'source', value: 'parent' }] },
			},
			{ items: [await fileItem(Buffer.from('song'), 'song.mp3', 'audio/mpeg')], ...goOn },
		);
		expect(json[0]).toMatchObject({ status: 'not submitted' });
	});

	const acknowledged = { data: [{ status: 'submitted', task_id: 'vid:1', id: 'new' }] };
	const notFound = { code: 404, message: 'No such task', task_id: 'vid:1' };

	test.each<[string, object, object]>([
		['is bought, and named beside its original', acknowledged, { taskId: 'new' }],
		['is refused in the name of its original', notFound, { status: 'not submitted' }],
	])('an extension %s, whose ID a URL escapes', async (_, answer, item) => {
		service.on('POST', '*', { json: answer });
		const given = { model: 'vidgen3.1-fast', taskId: 'vid:1', waitMode: 'none' };
		const { json } = await runnerOf(service)('video.remix', given, goOn);
		expect(service.sent('POST', '/v1/videos/vid%3A1/remix')).toHaveLength(1);
		expect(json[0]).toMatchObject(item);
	});

	test.each<[string, string, Reply[], object]>([
		['is the first result', 'video.remix', [], {}],
		['is so where an earlier attempt bought it', 'video.remix', [{ status: 400 }], retryOnFail],
		['is so by a custom request', 'video.task.submit', [], {}],
	])('an extension %s, and its original the second', async (_, operation, replies, run) => {
		const made = { originalVideoUrl: link('old.mp4'), video_url: link('new.mp4') };
		service.on('GET', '/v1/tasks/task_1', ...replies, completedWith(made));
		const custom = { path: '/v1/videos/extend', bodyType: 'json', body: '{"task_id":"old"}' };
		const given = { model: 'vidgen3.1-fast', taskId: 'old', downloadFiles: false, ...custom };
		const { json } = await runnerOf(service)(operation, given, run);
		expect(service.sent('POST', '*')).toHaveLength(1);
		const results = [{ url: link('new.mp4') }, { url: link('old.mp4') }];
		expect(json).toMatchObject([{ url: link('new.mp4'), results }]);
	});

	test.each<[string, object]>([
		['beside a code', { code: 402, message: 'low', task_id: 'task_7' }],
		['beside a rate limit', { code: 429, message: 'slow', job_id: 'task_7' }],
		['in the error', { error: { type: 'payment_required', data: { task_id: 'task_7' } } }],
		['in a result', { code: 400, message: 'No', result: [{ taskId: 'task_7' }] }],
		['beside an error of no kind', { error: { message: 'not finished' }, task_id: 'task_7' }],
	])('to a submission that names a new task %s is not sent again, and shown', async (_, json) => {
		onSubmit({ json });
		const { error } = await buy(1, {}, retryOnFail);
		expect(bought()).toHaveLength(1);
		expect(error?.description).toContain('may have been bought');
		expect(JSON.stringify([error, log])).toContain('task_7');
	});

	test.each<[string, object]>([
		['a code', { code: 402, message: 'Top up', data: 'quota_exceeded' }],
		['a type', { error: { type: 'payment_required', message: 'Top up' } }],
	])('that is an empty balance, by %s, ends the run', async (_, json) => {
		onSubmit({ json });
		await buy(5, { concurrency: 1 }, goOn);
		expect(bought()).toHaveLength(1);
	});

	test('beside a new task is one of the task', async () => {
		onSubmit({ json: { error: { message: 'busy' }, data: [{ task_id: 'task_1' }] } });
		const { json } = await buy();
		expect(statesOf(json)).toEqual(['task_1: completed']);
	});
});

test('a label named "error" beside a link does not make n8n buy all again', async () => {
	onRecord(completedWith({ music: [{ audio_url: link('1.mp3'), error: false, notes: 3 }] }));
	const { json } = await buy(1, {}, { ...retryOnFail, given: { output: 'files' } });
	expect(bought()).toHaveLength(1);
	expect(json[0]).not.toHaveProperty('error');
	expect(json[0]).not.toHaveProperty('notes');
});
