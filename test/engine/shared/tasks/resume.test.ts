import { setClock } from '../../../../nodes/shared/util/clock';
import { fastClock } from '../../support/clocks';
import { log } from '../../support/engine';
import {
	type CallbackResult,
	pauseNode,
	type PausedExecution,
} from '../../support/pausedExecution';
import { type Reply, SCRIPTED_KEY, useScriptedService } from '../../support/scriptedService';
import {
	accepted,
	completed,
	numberTasks,
	refused,
	running,
	SOUNDS,
	soundRun,
} from '../../support/scriptedTasks';

/** The machine's own time: a callback has to be answered within eight seconds. */
let clockOfTest = () => fastClock(1);

const service = useScriptedService(() => clockOfTest());

const goOn = { onError: 'continueRegularOutput' } as const;

const callback = (taskId: string) => ({ code: 200, data: { id: taskId, status: 'completed' } });

const recordOf = (taskId: string) => `/v1/music/tasks/${taskId}`;

/** Two sounds in a paused execution, each with a row of data around it. */
async function pauseTwo(settings = {}, parameters = {}, options = {}): Promise<PausedExecution> {
	const items = [{ json: { prompt: 'Rain', row: 1 } }, { json: { prompt: 'Wind', row: 2 } }];
	const given = {
		reference: '=row {{ $json.row }}',
		fileName: '={{ $json.prompt }}',
		concurrency: 1,
		...options,
	};
	return await pauseNode(
		soundRun(service, 1, given, {
			given: { waitMode: 'callback', ...parameters },
			items,
			settings,
		}),
	);
}

const finish = (...taskIds: string[]) => {
	for (const taskId of taskIds) service.on('GET', recordOf(taskId), completed);
};

beforeEach(() => {
	numberTasks(service);
	service.on('GET', recordOf('*'), running);
});

describe('A paused execution', () => {
	test('resumes when all of its tasks have ended, and not before', async () => {
		const execution = await pauseTwo();
		finish('task_1');
		expect(await execution.callback(callback('task_1'))).toEqual({ status: 200 });
		finish('task_2');
		const { status, resumed } = await execution.callback(callback('task_2'));
		expect(status).toBe(200);
		expect(
			resumed?.json.map(({ taskId, status: state, reference, url }) => [
				taskId,
				state,
				reference,
				url,
			]),
		).toEqual([
			['task_1', 'completed', 'row 1', 'https://files.example.com/1.mp3'],
			['task_2', 'completed', 'row 2', 'https://files.example.com/1.mp3'],
		]);
		expect(resumed?.items.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }, { item: 1 }]);
		expect(resumed?.json[0]).not.toHaveProperty('input');
		expect(resumed?.json[0]).toHaveProperty('operation', 'sounds');
	});

	test('of a node that is set to run once gives out the first item alone', async () => {
		const execution = await pauseTwo({ executeOnce: true });
		finish('task_1');
		const { resumed } = await execution.callback(callback('task_1'));
		expect(resumed?.json.map(({ taskId, status }) => [taskId, status])).toEqual([
			['task_1', 'completed'],
		]);
	});

	test('works by the options that the first row gave to their expressions', async () => {
		const items = [
			{ json: { prompt: 'Rain', out: 'files', path: '/own/{task_id}', input: true, raw: false } },
		];
		const options = {
			includeInput: '={{ $json.input }}',
			simplify: '={{ !$json.raw }}',
			taskQueryPath: '={{ $json.path }}',
		};
		const given = { waitMode: 'callback', output: '={{ $json.out }}' };
		service.on('GET', '/own/*', running);
		const execution = await pauseNode(soundRun(service, 1, options, { given, items }));
		service.on('GET', '/own/*', completed);
		const { resumed } = await execution.callback(callback('task_1'));
		expect(resumed?.json).toMatchObject([
			{ kind: 'audio', taskId: 'task_1', input: { prompt: 'Rain', out: 'files' } },
		]);
		expect(JSON.stringify(resumed?.json)).not.toContain('evaluatedOptions');
	});

	test('says so where n8n pairs its items with other rows: it pairs them by their position', async () => {
		const two = {
			music: [
				{ audio_url: 'https://files.example.com/1.mp3' },
				{ audio_url: 'https://files.example.com/2.mp3' },
			],
		};
		const ended = { json: { data: { status: 'completed', result: two } } };
		const notesOf = async (output: string) => {
			const execution = await pauseTwo({}, { output });
			for (const taskId of ['task_1', 'task_2', 'task_3', 'task_4'])
				service.on('GET', recordOf(taskId), ended);
			const { resumed } = await execution.callback({});
			service.on('GET', recordOf('task_3'), running);
			service.on('GET', recordOf('task_4'), running);
			return JSON.stringify(resumed?.json.map(({ notes, task }) => notes ?? task));
		};
		expect(await notesOf('files')).toContain('n8n pairs the items of a resumed execution by their');
		expect(await notesOf('tasks')).not.toContain('n8n pairs the items');
	});

	test('resumes once: later callbacks find nothing to do', async () => {
		const execution = await pauseTwo();
		finish('task_1', 'task_2');
		expect((await execution.callback(callback('task_1'))).resumed).toBeDefined();
		service.requests.length = 0;
		expect(await execution.callback(callback('task_2'))).toEqual({ status: 200 });
		expect(await execution.callback(callback('task_1'))).toEqual({ status: 200 });
		expect(service.requests).toEqual([]);
	});

	test('whose address n8n does not sign is told to the service with a secret, in either form', async () => {
		const execution = await pauseTwo();
		const [sent] = service
			.sent('POST', SOUNDS)
			.map(({ body }) => (body as { webhook: string }).webhook);
		const secret = new URL(sent ?? '').searchParams.get('secret') ?? '';
		expect(secret).toMatch(/^[\w-]{43}$/);
		finish('task_1', 'task_2');
		for (const query of [{ secret }, { secret: `${secret}/callback` }]) {
			expect(await execution.callback(callback('task_1'), query)).toMatchObject({ status: 200 });
		}
	});

	test('is not resumed by a call without the secret, or with another one, and asks the service for nothing', async () => {
		const execution = await pauseTwo();
		const { secret = '' } = execution.query;
		finish('task_1', 'task_2');
		service.requests.length = 0;
		log.length = 0;
		expect(await execution.callback(callback('task_1'), {})).toEqual({ status: 401 });
		expect(await execution.callback(callback('task_1'), { signature: secret })).toEqual({
			status: 401,
		});
		expect(log).toEqual([]);
		expect(await execution.callback(callback('task_1'), { secret: `${secret}x` })).toEqual({
			status: 503,
		});
		expect(log.join('\n')).toContain('Has the API key in the credential been changed');
		expect(service.requests).toEqual([]);
		expect((await execution.callback(callback('task_1'))).resumed).toBeDefined();
	});

	test('asks nothing for a callback that comes twice', async () => {
		const execution = await pauseTwo();
		finish('task_1');
		await execution.callback(callback('task_1'));
		service.requests.length = 0;
		expect(await execution.callback(callback('task_1'))).toEqual({ status: 200 });
		expect(service.requests).toEqual([]);
	});

	test('asks for the task that the callback names first, then for the others up to the first that runs', async () => {
		const items = [1, 2, 3].map((row) => ({ json: { prompt: `Sound ${row}` } }));
		const execution = await pauseNode(
			soundRun(service, 1, { concurrency: 1 }, { given: { waitMode: 'callback' }, items }),
		);
		service.requests.length = 0;
		finish('task_3');
		await execution.callback(callback('task_3'));
		finish('task_1');
		await execution.callback(callback('task_1'));
		finish('task_2');
		const { resumed } = await execution.callback(callback('task_2'));
		const asked = service.requests.map(({ path }) => path.split('/').pop());
		expect(asked).toEqual(['task_3', 'task_1', 'task_1', 'task_2', 'task_2']);
		expect(resumed?.json.map(({ taskId, status }) => [taskId, status])).toEqual([
			['task_1', 'completed'],
			['task_2', 'completed'],
			['task_3', 'completed'],
		]);
	});

	test('resumes once, though all callbacks come at the same time', async () => {
		const execution = await pauseTwo();
		finish('task_1', 'task_2');
		const results = await Promise.all(
			['task_1', 'task_2', 'task_1', 'task_2'].map(
				async (taskId) => await execution.callback(callback(taskId)),
			),
		);
		expect(results.filter(({ resumed }) => resumed !== undefined)).toHaveLength(1);
		expect(results.map(({ status }) => status)).toStrictEqual([200, 200, 200, 200]);
	});

	test.each<[string, unknown, string]>([
		['says that a task runs', { id: 'task_1', status: 'in_progress' }, 'is still running'],
		['names a task of somebody else', callback('task_77'), 'is none that this pause waits for'],
		['names no task', {}, 'is still running'],
		['is not an object', 'completed', 'is still running'],
	])('stays paused when the callback %s', async (_, body, words) => {
		const execution = await pauseTwo();
		expect(await execution.callback(body)).toEqual({ status: 200 });
		expect(log.join('\n')).toContain(words);
	});

	test('stays paused at a status word that is not known', async () => {
		const execution = await pauseTwo();
		service.on('GET', recordOf('*'), { json: { status: 'marinating', progress: 40 } });
		expect(await execution.callback({ id: 'task_1', status: 'marinating' })).toEqual({
			status: 200,
		});
	});

	test.each<[string, unknown]>([
		['claims an end', callback('task_1')],
		['names a task and does not say its status', { id: 'task_1' }],
	])('is called again when the callback %s that the record does not show yet', async (_, body) => {
		const execution = await pauseTwo();
		finish('task_2');
		expect(await execution.callback(body)).toEqual({ status: 503 });
		finish('task_1');
		expect((await execution.callback(body)).resumed?.json).toHaveLength(2);
	});

	test('is not called again for a task that has ended while another one runs', async () => {
		const execution = await pauseTwo();
		finish('task_2');
		expect(await execution.callback(callback('task_2'))).toEqual({ status: 200 });
	});

	test('is not resumed by a callback for a task of a later pause, which n8n 1.123 lets through after a kill', async () => {
		const execution = await pauseTwo();
		finish('task_1', 'task_2', 'task_3');
		expect(await execution.callback(callback('task_3'))).toEqual({ status: 200 });
		expect(await execution.callback(callback('task_2'))).toMatchObject({
			resumed: expect.anything(),
		});
	});

	test.each([404, 400])(
		'is resumed by a callback that names what is no task of the service, which answers %i',
		async (status) => {
			const execution = await pauseTwo();
			finish('task_1', 'task_2');
			service.on('GET', recordOf('other'), {
				status,
				json: { error: { message: 'No such task' } },
			});
			expect(await execution.callback(callback('other'))).toMatchObject({
				resumed: expect.anything(),
			});
		},
	);

	test('resumes with a callback whose body does not tell its task', async () => {
		const execution = await pauseTwo();
		finish('task_1', 'task_2');
		expect((await execution.callback('')).resumed?.json).toHaveLength(2);
	});

	test('stays paused while the service cannot tell whose task a callback names', async () => {
		const execution = await pauseTwo();
		finish('task_1', 'task_2');
		service.on('GET', recordOf('other'), { status: 502 });
		expect(await execution.callback(callback('other'))).toEqual({ status: 503 });
		expect(service.sent('GET', recordOf('other'))).toHaveLength(1);
		expect((await execution.callback(callback('task_1'))).resumed?.json).toHaveLength(2);
	});

	test('resumes each time that the node pauses in it, as in a loop', async () => {
		const run = soundRun(service, 1, {}, { given: { waitMode: 'callback' }, executionId: 'loop' });
		for (const taskId of ['task_1', 'task_2']) {
			const execution = await pauseNode(run);
			finish(taskId);
			const { resumed } = await execution.callback(callback(taskId));
			expect(resumed?.json).toMatchObject([{ taskId, status: 'completed' }]);
			expect(await execution.callback(callback(taskId))).toEqual({ status: 200 });
		}
	});

	test('asks for a task that is not its own once', async () => {
		const execution = await pauseTwo();
		finish('task_77');
		service.requests.length = 0;
		await execution.callback(callback('task_77'));
		expect(service.requests.map(({ path }) => path)).toStrictEqual([recordOf('task_77')]);
	});

	test('asks again for what this n8n has forgotten, after a restart', async () => {
		const execution = await pauseTwo();
		finish('task_2');
		expect(await execution.callback(callback('task_2'))).toEqual({ status: 200 });
		finish('task_1');
		expect(
			(await execution.callback(callback('task_1'))).resumed?.json.map(({ taskId }) => taskId),
		).toStrictEqual(['task_1', 'task_2']);
	});
});

describe('A callback whose record cannot be read is answered 503, and the execution stays paused', () => {
	test.each<[string, Reply]>([
		['the 404 page of a proxy', { status: 404, text: '<html>Not found</html>' }],
		[
			'a 404 without the error of the service',
			{ status: 404, json: { message: 'no Route matched' } },
		],
		['500', { status: 500 }],
		['429', { status: 429, headers: { 'retry-after': '30' } }],
		['a reset', { reset: true }],
		['an answer that is not JSON', { text: 'OK' }],
		[
			'a completed record that has no result yet',
			{ json: { status: 'completed', result: { music: [] } } },
		],
	])('%s', async (_, reply) => {
		const execution = await pauseTwo();
		service.on('GET', recordOf('*'), reply);
		expect(await execution.callback(callback('task_1'))).toEqual({ status: 503 });
		service.on('GET', recordOf('*'), completed);
		expect((await execution.callback(callback('task_1'))).resumed?.json).toHaveLength(2);
	});

	test('a credential that was broken meanwhile', async () => {
		const run = soundRun(service, 1, {}, { given: { waitMode: 'callback' } });
		const execution = await pauseNode(run);
		Object.assign(run.credential, { baseUrl: '' });
		const broken = await pauseNode({ ...run, credential: service.credential() });
		expect(broken.paused.run.status).toBe('waiting');
		expect(await execution.callback(callback('task_1'))).toEqual({ status: 503 });
		expect(log.join('\n')).toContain('MediaGen: a callback could not be verified');
	});
});

describe('The end of a paused execution', () => {
	test('a task that the service does not know, also after a minute, is an error item that names it', async () => {
		const time = fastClock(1);
		setClock(time);
		const execution = await pauseTwo(goOn);
		finish('task_1');
		service.on('GET', recordOf('task_2'), {
			status: 404,
			json: { error: { message: 'No such task', type: 'not_found', code: 404 } },
		});
		expect(await execution.callback(callback('task_1'))).toEqual({ status: 503 });
		await time.advance(60_000);
		const { resumed } = await execution.callback(callback('task_2'));
		expect(resumed?.json[1]).toMatchObject({
			taskId: 'task_2',
			reference: 'row 2',
			error: {
				message: 'Task not found: No such task [row 2 (item 1)]',
				httpStatus: 404,
				code: '404',
				type: 'not_found',
			},
		});
	});

	test.each([
		[401, 'Authentication failed: No more'],
		[403, 'Permission denied: No more'],
		[400, 'Bad request: No more'],
	])('a record refused with %d is an error item that names the task', async (status, message) => {
		const execution = await pauseTwo(goOn);
		service.on('GET', recordOf('*'), { status, json: { error: { message: 'No more' } } });
		const { resumed } = await execution.callback(callback('task_1'));
		expect(resumed?.json[0]).toMatchObject({
			taskId: 'task_1',
			error: {
				message: `${message} [row 1 (item 0)]`,
				description: expect.stringContaining(
					'This was the response to the request for task task_1.',
				),
				httpStatus: status,
				// It comes back to the same task.
				recordKey: expect.any(String),
			},
		});
	});

	test('so is one that a proxy refuses', async () => {
		const execution = await pauseTwo(goOn);
		service.on('GET', recordOf('*'), { status: 401, text: '<html>Log in</html>' });
		const { resumed } = await execution.callback(callback('task_1'));
		expect(resumed?.json[0]).toMatchObject({
			taskId: 'task_1',
			error: { message: 'Authentication failed [row 1 (item 0)]' },
		});
	});

	test('the notes of an item survive the pause, beside its task', async () => {
		const items = [{ json: { prompt: 'Rain' } }];
		const run = { items, workflowSettings: { executionTimeout: 600 } };
		const noted = await pauseNode(
			soundRun(service, 1, { timeout: 3_600 }, { given: { waitMode: 'callback' }, ...run }),
		);
		service.on('GET', recordOf('*'), completed);
		const { resumed } = await noted.callback({});
		expect(resumed?.json[0]).toMatchObject({
			status: 'completed',
			notes: [
				'This run: 1 task, 1 without a stated cost',
				expect.stringContaining('The pause lasts up to 3600 seconds'),
			],
		});
	});

	test('the first item says what the run cost: n8n shows no hint there', async () => {
		const execution = await pauseTwo(goOn);
		const result = { music: [{ audio_url: 'https://files.example.com/1.mp3' }] };
		for (const [taskId, cost] of [
			['task_1', 0.04],
			['task_2', 0.06],
		] as const)
			service.on('GET', recordOf(taskId), {
				json: { data: { status: 'completed', cost, result } },
			});
		const { resumed } = await execution.callback({});
		expect(resumed?.json.map(({ notes }) => notes)).toStrictEqual([
			['This run: 2 tasks, cost 0.1 (0.05 per task)'],
			undefined,
		]);
	});

	test('an item that was not submitted keeps what its error said to do', async () => {
		service.on('POST', SOUNDS, refused, accepted('task_2'));
		const execution = await pauseTwo(goOn);
		finish('task_2');
		const { resumed } = await execution.callback(callback('task_2'));
		expect(resumed?.json[0]?.error).toMatchObject({
			description: 'Change the field that the service names and run the node again.',
		});
		expect(resumed?.json[0]).not.toHaveProperty('input');
	});

	test('items without a result go to the error output, if the node has one', async () => {
		service.on('POST', SOUNDS, accepted('task_1'), refused);
		const execution = await pauseTwo({ onError: 'continueErrorOutput' });
		finish('task_1');
		const { resumed } = await execution.callback(callback('task_1'));
		expect(
			resumed?.outputs.map((output) => output.map(({ json }) => json.taskId ?? json.error)),
		).toEqual([
			['task_1'],
			[
				expect.objectContaining({
					message: 'Bad request: Too loud [row 2 (item 1)]',
					status: 'not submitted',
				}),
			],
		]);
	});

	test('a failed task goes to the error output too', async () => {
		const execution = await pauseTwo({ onError: 'continueErrorOutput' });
		finish('task_2');
		service.on('GET', recordOf('task_1'), {
			json: { status: 'failed', error: { message: 'Too loud', code: 9, type: 'loud' } },
		});
		const { resumed } = await execution.callback(callback('task_1'));
		expect(resumed?.outputs.map((output) => output.length)).toStrictEqual([1, 1]);
		expect(resumed?.outputs[1]?.[0]?.json.error).toMatchObject({
			taskId: 'task_1',
			code: '9',
			type: 'loud',
			reference: 'row 1',
		});
		// A refunded task: an item that comes back buys another one.
		expect(resumed?.outputs[1]?.[0]?.json.error).not.toHaveProperty('recordKey');
	});

	test('items beyond Max Tasks do not come out', async () => {
		const execution = await pauseTwo({}, {}, { maxTasks: 1, maxTasksReached: 'returnBought' });
		finish('task_1');
		const { resumed } = await execution.callback(callback('task_1'));
		expect(resumed?.json.map(({ status }) => status)).toStrictEqual(['completed']);
	});

	test.each([
		['alone', {}],
		['and where the service stored it again', { audio_url: 'https://files.example.com/again.mp3' }],
	])("the request's own link in the record is not a result, %s", async (_, again) => {
		const own = 'https://files.example.com/own.mp3';
		const execution = await pauseTwo(
			{},
			{},
			{ additionalBodyFields: JSON.stringify({ audio_url: own }) },
		);
		service.on('GET', recordOf('*'), {
			json: {
				status: 'completed',
				...again,
				result: {
					music: [{ audio_url: 'https://files.example.com/1.mp3' }],
					source: { audio_url: own },
				},
			},
		});
		const { resumed } = await execution.callback({});
		expect(resumed?.json.map(({ results }) => results)).toStrictEqual([
			[expect.objectContaining({ url: 'https://files.example.com/1.mp3' })],
			[expect.objectContaining({ url: 'https://files.example.com/1.mp3' })],
		]);
	});

	test('what another version of the node wrote is read as far as it can be', async () => {
		const time = fastClock(1);
		setClock(time);
		service.on('POST', SOUNDS, accepted('task_1'), refused);
		const execution = await pauseTwo(goOn, {}, { timeout: 60 });
		const [first, second] = execution.waiting;
		Object.assign(first?.json ?? {}, {
			status: 'brewing',
			error: 'none',
			notes: 'none',
			recordKey: 7,
			purchaseKey: 7,
			reused: 'no',
			requestLinks: 'none',
		});
		Object.assign(second?.json ?? {}, { taskId: 7, leftOut: 'no', error: 'none' });
		await time.advance(61_000);
		const { resumed } = await execution.callback({});
		expect(resumed?.json.map(({ taskId, status, error }) => [taskId, status, error])).toEqual([
			['task_1', 'submitted', undefined],
			[
				undefined,
				'not submitted',
				expect.objectContaining({ message: 'This item was not submitted' }),
			],
		]);
	});

	test('an item that may have been bought still says so', async () => {
		service.on('POST', SOUNDS, accepted('task_1'), { status: 500 });
		const execution = await pauseTwo(goOn);
		expect(execution.paused.json[1]).toMatchObject({ status: 'unknown' });
		finish('task_1');
		const { resumed } = await execution.callback(callback('task_1'));
		expect(resumed?.json[1]).toMatchObject({
			status: 'unknown',
			error: { description: expect.stringContaining('may have been bought') },
		});
	});

	test('an item that was not submitted has nothing of the task that its row came from', async () => {
		service.on('POST', SOUNDS, refused, accepted('task_2'));
		const items = [
			{
				json: { prompt: 'Rain', taskId: 'parent', results: [{ url: 'https://x.example/old.mp3' }] },
			},
			{ json: {} },
		];
		const options = { concurrency: 1, includeInput: true };
		const run = { given: { waitMode: 'callback' }, items, settings: goOn };
		const execution = await pauseNode(soundRun(service, 1, options, run));
		expect(execution.paused.json[0]).toMatchObject({ status: 'not submitted', results: [] });
		expect(execution.paused.json[0]).not.toHaveProperty('taskId');
		finish('task_2');
		const { resumed } = await execution.callback(callback('task_2'));
		expect(resumed?.json[0]).toMatchObject({
			status: 'not submitted',
			error: { message: 'Bad request: Too loud [row 1 (item 0)]' },
		});
		expect(resumed?.json[0]).not.toHaveProperty('taskId');
		expect(resumed?.json[0]?.input).toEqual(items[0]?.json);
	});

	test('the row, the reference and the file name survive the pause', async () => {
		service.on('GET', '/1.mp3', { text: 'music', headers: { 'content-type': 'audio/mpeg' } });
		const execution = await pauseTwo({}, { downloadFiles: true }, { includeInput: true });
		service.on('GET', recordOf('*'), {
			json: { status: 'completed', result: { music: [{ audio_url: `${service.url}/1.mp3` }] } },
		});
		const { resumed } = await execution.callback(callback('task_1'));
		expect(
			resumed?.items.map(({ json, binary }) => [
				json.input,
				json.reference,
				binary?.data?.fileName,
			]),
		).toEqual([
			[{ prompt: 'Rain', row: 1 }, 'row 1', 'Rain.mp3'],
			[{ prompt: 'Wind', row: 2 }, 'row 2', 'Wind.mp3'],
		]);
	});

	test('a time limit that passes gives out the tasks as they were', async () => {
		const execution = await pauseTwo();
		const { json } = await execution.timeLimit();
		expect(
			json.map(({ taskId, status, reference, fileName, results, input }) => [
				taskId,
				status,
				reference,
				fileName,
				results,
				input,
			]),
		).toEqual([
			['task_1', 'submitted', 'row 1', 'Rain', [], { prompt: 'Rain', row: 1 }],
			['task_2', 'submitted', 'row 2', 'Wind', [], { prompt: 'Wind', row: 2 }],
		]);
	});

	test('a time limit that passes gives out no half-made result as if it were one', async () => {
		service.on('GET', recordOf('*'), {
			json: {
				status: 'in_progress',
				progress: 50,
				result: { music: [{ audio_url: 'https://files.example.com/half.mp3' }] },
			},
		});
		const execution = await pauseTwo();
		const { json } = await execution.timeLimit();
		expect(json.map(({ status, results, url }) => [status, results, url])).toEqual([
			['submitted', [], null],
			['submitted', [], null],
		]);
	});

	test('the key is not in the items, where a record repeats it', async () => {
		const execution = await pauseTwo();
		service.on('GET', recordOf('*'), {
			json: {
				status: 'completed',
				echo: SCRIPTED_KEY,
				result: { music: [{ audio_url: 'https://files.example.com/1.mp3' }] },
			},
		});
		const { resumed } = await execution.callback(callback('task_1'));
		expect(JSON.stringify(resumed?.items)).toContain('•••');
		expect(JSON.stringify([resumed?.items, log])).not.toContain(SCRIPTED_KEY);
	});
});

describe('A download that takes longer than the service waits for an answer', () => {
	let release = () => {};

	async function pauseWithSlowFile(): Promise<PausedExecution> {
		const released = new Promise<void>((resolve) => (release = resolve));
		service.on('GET', '/slow.mp3', {
			text: 'music',
			headers: { 'content-type': 'audio/mpeg' },
			after: released,
		});
		const execution = await pauseNode(
			soundRun(service, 1, {}, { given: { waitMode: 'callback', downloadFiles: true } }),
		);
		service.on('GET', recordOf('*'), {
			json: { status: 'completed', result: { music: [{ audio_url: `${service.url}/slow.mp3` }] } },
		});
		return execution;
	}

	describe('and in which that time passes', () => {
		beforeAll(() => (clockOfTest = () => fastClock(10)));
		afterAll(() => (clockOfTest = () => fastClock(1)));

		test('is answered 503, goes on, and resumes the execution once with the file', async () => {
			const execution = await pauseWithSlowFile();
			const results: CallbackResult[] = [];
			const first = execution.callback(callback('task_1')).then((result) => results.push(result));
			const joined = await execution.callback(callback('task_1'));
			expect(joined).toEqual({ status: 503 });
			expect(results).toEqual([]);
			release();
			await first;
			expect(results[0]?.status).toBe(503);
			expect(results[0]?.resumed?.items[0]?.binary?.data).toMatchObject({ mimeType: 'audio/mpeg' });
			expect(service.sent('GET', '/slow.mp3')).toHaveLength(1);
			expect(await execution.callback(callback('task_1'))).toEqual({ status: 200 });
		});
	});

	const realMs = async (ms: number) => await new Promise((resolve) => setTimeout(resolve, ms));

	test('a callback that joins it in time is answered 200 and resumes nothing', async () => {
		const execution = await pauseWithSlowFile();
		const first = execution.callback(callback('task_1'));
		await realMs(20);
		const second = execution.callback(callback('task_1'));
		await realMs(20);
		release();
		const [{ resumed, status }, joined] = await Promise.all([first, second]);
		expect([status, resumed?.items.length, joined]).toEqual([200, 1, { status: 200 }]);
	});
});
