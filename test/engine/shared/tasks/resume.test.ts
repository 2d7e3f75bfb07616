import { MediaGenMusic } from '../../../../nodes/MediaGenMusic/MediaGenMusic.node';
import { markResumed } from '../../../../nodes/shared/tasks/waitingExecution';
import { setClock } from '../../../../nodes/shared/util/clock';
import { fastClock, realMs } from '../../support/clocks';
import { log, setBinaryDataMode } from '../../support/engine';
import {
	type CallbackResult,
	forgetPauses,
	type PausedExecution,
	told,
} from '../../support/pausedExecution';
import { file, type Reply, SCRIPTED_KEY, type SeenRequest } from '../../support/scriptedService';
import {
	accepted,
	completed,
	completedWith,
	failed,
	refused,
	running,
	serviceError,
	songAt,
	unclear,
	unknownTask,
} from '../../support/scriptedTasks';
import { errorOutput, goOn } from '../../support/settings';
import { statesOf, statusesOf, useSoundService } from '../../support/soundService';

/** The machine's own time: a callback has to be answered within eight seconds. */
let clockOfTest = () => fastClock(1);

let time = clockOfTest();

const { service, onSubmit, onRecord, onRecordOf, pause, bought, recordsRead } = useSoundService(
	() => (time = clockOfTest()),
);

const FIRST_SONG = 'https://files.example.com/1.mp3';

const callback = (taskId: string) => ({ code: 200, data: { id: taskId, status: 'completed' } });

const [RAIN, WIND] = [
	{ prompt: 'Rain', row: 1 },
	{ prompt: 'Wind', row: 2 },
];

/** A completed record for the key that the credential has got since; the given answer for the earlier one. */
const forNewKey =
	(refusal: Reply) =>
	({ headers }: SeenRequest): Reply =>
		headers.authorization === 'Bearer a-new-key' ? completed : refusal;

/** Two sounds in a paused execution, each with a row of data around it. */
const pauseTwo = async (
	run: Parameters<typeof pause>[2] = {},
	options = {},
): Promise<PausedExecution> =>
	await pause(
		1,
		{
			reference: '=row {{ $json.row }}',
			fileName: '={{ $json.prompt }}',
			concurrency: 1,
			...options,
		},
		{ items: [{ json: RAIN }, { json: WIND }], ...run },
	);

const finish = (...taskIds: string[]) => {
	for (const taskId of taskIds) onRecordOf(taskId, completed);
};

/** Two paused sounds whose tasks have ended, of which no callback has come. */
async function pauseTwoThatEnd(): Promise<PausedExecution> {
	const execution = await pauseTwo();
	finish('task_1', 'task_2');
	return execution;
}

beforeEach(() => onRecord(running));

describe('A paused execution', () => {
	test('resumes when all of its tasks have ended, and not before', async () => {
		const execution = await pauseTwo();
		finish('task_1');
		expect(await execution.callback(callback('task_1'))).toEqual({ status: 200 });
		finish('task_2');
		const { status, resumed } = await execution.callback(callback('task_2'));
		expect(status).toBe(200);
		expect(resumed?.json).toMatchObject([
			{ taskId: 'task_1', status: 'completed', reference: 'row 1', url: FIRST_SONG },
			{ taskId: 'task_2', status: 'completed', reference: 'row 2', url: FIRST_SONG },
		]);
		expect(resumed?.items.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }, { item: 1 }]);
		expect(resumed?.json[0]).not.toHaveProperty('input');
		expect(resumed?.json[0]).toHaveProperty('operation', 'sounds');
	});

	test('of a workflow with the binary mode "combined", where expressions see the JSON alone, resumes too', async () => {
		const execution = await pauseTwo({ workflowSettings: { binaryMode: 'combined' } });
		finish('task_1', 'task_2');
		const { resumed } = await execution.callback(callback('task_1'));
		expect(statesOf(resumed?.json)).toEqual(['task_1: completed', 'task_2: completed']);
	});

	test('of a node that is set to run once gives out the first item alone', async () => {
		const execution = await pauseTwo({ settings: { executeOnce: true } });
		expect(execution.waiting).toHaveLength(1);
		finish('task_1');
		const { resumed } = await execution.callback(callback('task_1'));
		expect(statesOf(resumed?.json)).toEqual(['task_1: completed']);
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
		service.on('GET', '/own/*', running);
		const execution = await pause(1, options, { given: { output: '={{ $json.out }}' }, items });
		service.on('GET', '/own/*', completed);
		const { resumed } = await execution.callback(callback('task_1'));
		expect(resumed?.json).toMatchObject([
			{ kind: 'audio', taskId: 'task_1', input: { prompt: 'Rain', out: 'files' } },
		]);
		expect(JSON.stringify(resumed?.json)).not.toContain('evaluatedOptions');
	});

	test('says so where n8n pairs its items with other rows: it pairs them by their position', async () => {
		const ended = completedWith(songAt(FIRST_SONG, 'https://files.example.com/2.mp3'));
		const notesOf = async (output: string) => {
			onRecord(running);
			const execution = await pauseTwo({ given: { output } });
			onRecord(ended);
			const { resumed } = await execution.callback({});
			return JSON.stringify(resumed?.json.map(({ notes, task }) => notes ?? task));
		};
		expect(await notesOf('files')).toContain('n8n pairs the items of a resumed execution by their');
		expect(await notesOf('tasks')).not.toContain('n8n pairs the items');
	});

	test('resumes once, and asks nothing for a callback that comes twice, before that and after', async () => {
		const execution = await pauseTwo();
		finish('task_1');
		await execution.callback(callback('task_1'));
		const asked = recordsRead().length;
		expect(await execution.callback(callback('task_1'))).toEqual({ status: 200 });
		expect(recordsRead()).toHaveLength(asked);
		finish('task_2');
		expect((await execution.callback(callback('task_2'))).resumed).toBeDefined();
		service.requests.length = 0;
		expect(await execution.callback(callback('task_2'))).toEqual({ status: 200 });
		expect(await execution.callback(callback('task_1'))).toEqual({ status: 200 });
		expect(service.requests).toEqual([]);
	});

	const wait = (parameters: object) => ({ name: 'n8n-nodes-base.wait', ...parameters });
	test.each([
		// A late call to the address alone would be the one that such a Wait node waits for, on n8n 1.123.
		[wait({ resume: 'webhook', httpMethod: 'POST' }), '/callback'],
		[wait({ resume: 'webhook', httpMethod: '={{ $json.method }}' }), '/callback'],
		[wait({ resume: 'webhook', httpMethod: 'GET' }), ''],
		[wait({ resume: 'timeInterval' }), ''],
		[{ name: 'n8n-nodes-base.set' }, ''],
	])('before the node %j, it is told an address that ends with "%s"', async (given, end) => {
		const { name, ...parameters } = given;
		const node = new MediaGenMusic();
		const text = (field: string) =>
			({ displayName: field, name: field, type: 'string', default: '' }) as const;
		const properties = Object.keys(parameters).map(text);
		node.description = { ...node.description, name, properties };
		await pauseTwo({ next: { node, parameters } });
		const [{ webhook }] = bought().map(({ body }) => body) as [{ webhook: string }];
		expect(new URL(webhook).pathname).toMatch(new RegExp(`/paused-[^/]*${end}$`));
	});

	test('is not resumed by a process that still watches an earlier pause of it, which is told that it is over', async () => {
		const execution = await pauseTwoThatEnd();
		markResumed('paused-0:1:earlier');
		expect(await execution.callback({ pause: 'paused-0:1:earlier' })).toEqual({ status: 409 });
		expect(recordsRead()).toHaveLength(2);
		expect((await execution.callback({})).resumed?.json).toHaveLength(2);
	});

	test('is not resumed by a call without the secret, or with another one, and asks the service for nothing', async () => {
		const execution = await pauseTwo();
		const { secret = '' } = execution.query;
		finish('task_1', 'task_2');
		service.requests.length = 0;
		log.length = 0;
		const called = async (query: Record<string, string>) =>
			await execution.callback(callback('task_1'), query);
		expect(await called({})).toEqual({ status: 401 });
		expect(await called({ signature: secret })).toEqual({ status: 401 });
		expect(log).toEqual([]);
		expect(await called({ secret: `${secret}x` })).toEqual({ status: 503 });
		expect(log.join('\n')).toContain('MediaGen: a callback with a wrong secret was refused');
		expect(service.requests).toEqual([]);
		expect((await execution.callback(callback('task_1'))).resumed).toBeDefined();
	});

	test('is resumed by the address that the service was told, though the API key has been changed since', async () => {
		const credential = service.credential();
		const execution = await pause(2, {}, { credential });
		finish('task_1', 'task_2');
		Object.assign(credential, { apiKey: 'a-new-key' });
		const secret = (execution.query.secret ?? '').replace('/callback', '');
		expect(JSON.stringify(execution.waiting)).not.toContain(secret);
		const wrong = { secret: `${secret.slice(1)}x` };
		expect(await execution.callback(callback('task_1'), wrong)).toEqual({ status: 503 });
		// The key of the pause is refused, and with that of now the secret is not made.
		onRecord(forNewKey(serviceError(401, 'No more')));
		const { resumed } = await execution.callback(callback('task_1'), { secret });
		expect(statusesOf(resumed?.json)).toEqual(['completed', 'completed']);
	});

	describe('asks with the credential of now', () => {
		const pauseWithNewKey = async () => {
			const credential = service.credential();
			const execution = await pause(1, { timeout: 60 }, { credential });
			Object.assign(credential, { apiKey: 'a-new-key' });
			return execution;
		};

		test.each([
			['the key is refused', serviceError(401, 'No more')],
			['the address has nothing any more', { status: 410, text: '<h1>Gone</h1>' }],
			['the address takes no such request', { status: 405, text: 'No' }],
		])('at once where %s', async (_, reply) => {
			const execution = await pauseWithNewKey();
			onRecord(forNewKey(reply));
			const { resumed } = await execution.callback(callback('task_1'));
			expect(statusesOf(resumed?.json)).toEqual(['completed']);
			expect(log.join('\n')).not.toContain('could not be verified');
		});

		test('after Timeout', async () => {
			const execution = await pauseWithNewKey();
			onRecord(forNewKey(serviceError(401, 'No more')));
			await time.advance(70_000);
			const { resumed } = await execution.callback(callback('task_1'));
			expect(statusesOf(resumed?.json)).toEqual(['completed']);
		});
	});

	test('reads the credential again for the call after one that failed: it may have another address', async () => {
		const credential = service.credential();
		const execution = await pause(1, {}, { credential });
		onRecord({ status: 502 });
		expect(await execution.callback(callback('task_1'))).toEqual({ status: 503 });
		Object.assign(credential, { apiKey: 'a-new-key' });
		onRecord(completed);
		expect((await execution.callback(callback('task_1'))).resumed).toBeDefined();
		expect(service.requests.at(-1)?.headers.authorization).toBe('Bearer a-new-key');
	});

	test('reads no credential for a callback: n8n 2.41 would make an isolate for it', async () => {
		const credential = service.credential();
		const execution = await pause(1, {}, { credential });
		Object.assign(credential, { baseUrl: 'not an address' });
		onRecord(completed);
		expect((await execution.callback(callback('task_1'))).resumed).toBeDefined();
	});

	test('refuses a call without the secret before it reads the waiting rows', async () => {
		const execution = await pauseTwo();
		Object.assign(execution.waiting[0] ?? {}, { json: 'not readable' });
		expect(await execution.callback(callback('task_1'))).toEqual({ status: 503 });
		expect(await execution.callback(callback('task_1'), {})).toEqual({ status: 401 });
	});

	test('asks for the task that the callback names first, then for the others up to the first that runs', async () => {
		const execution = await pause(3, { concurrency: 1 });
		service.requests.length = 0;
		finish('task_3');
		await execution.callback(callback('task_3'));
		finish('task_1');
		await execution.callback(callback('task_1'));
		finish('task_2');
		const { resumed } = await execution.callback(callback('task_2'));
		const asked = recordsRead().map(({ path }) => path.split('/').pop());
		expect(asked).toEqual(['task_3', 'task_1', 'task_1', 'task_2', 'task_2']);
		expect(statesOf(resumed?.json)).toEqual([
			'task_1: completed',
			'task_2: completed',
			'task_3: completed',
		]);
	});

	const notAwaited = 'which this pause does not wait for';

	test.each<[string, unknown, string, number]>([
		['says that a task runs', { id: 'task_1', status: 'in_progress' }, 'is still running', 200],
		['names a task of somebody else', callback('task_77'), notAwaited, 200],
		['is empty', {}, 'is still running', 503],
		['is not an object', 'completed', 'is still running', 200],
	])('stays paused when the callback %s', async (_, body, words, status) => {
		const execution = await pauseTwo();
		expect(await execution.callback(body)).toEqual({ status });
		expect(log.join('\n')).toContain(words);
	});

	test('counts as its own a task whose record has an id of its own beside the one that was bought', async () => {
		const execution = await pause(1);
		const ids = { id: 'int-1', task_id: 'task_1' };
		const record = completedWith(songAt(FIRST_SONG), ids);
		const behind = { json: { ...ids, status: 'in_progress' } };
		for (const id of ['int-1', 'task_1']) onRecordOf(id, behind, behind, record);
		// The service does not call again after a 2xx.
		expect(await execution.callback(record.json)).toEqual({ status: 503 });
		const { resumed } = await execution.callback(record.json);
		expect(statesOf(resumed?.json)).toEqual(['task_1: completed']);
	});

	test('names a task that no item names to the item that is in doubt: its acknowledgement may have been lost', async () => {
		onSubmit(accepted('task_1'), unclear);
		const execution = await pause(2, { concurrency: 1 }, goOn);
		finish('task_lost');
		expect(await execution.callback(callback('task_lost'))).toEqual({ status: 200 });
		finish('task_1');
		const { resumed } = await execution.callback(callback('task_1'));
		expect(resumed?.json).toMatchObject([
			{ taskId: 'task_1', status: 'completed' },
			{
				status: 'unknown',
				error: { description: expect.stringContaining('may have been bought') },
				notes: [expect.stringContaining('was called back for task_lost')],
			},
		]);
		expect(JSON.stringify(resumed?.json[0])).not.toContain('task_lost');
	});

	test('does not name a task of an earlier pause to the item that is in doubt', async () => {
		const earlier = await pause(1);
		finish('task_1');
		await earlier.callback(callback('task_1'));
		onSubmit(accepted('task_2'), unclear);
		const execution = await pause(2, { concurrency: 1 }, goOn);
		expect(await execution.callback(callback('task_1'))).toEqual({ status: 200 });
		finish('task_2');
		const { resumed } = await execution.callback(callback('task_2'));
		expect(resumed?.json[1]).toMatchObject({ status: 'unknown' });
		expect(JSON.stringify(resumed?.json[1])).not.toContain('task_1');
	});

	test('stays paused at a status word that is not known', async () => {
		const execution = await pauseTwo();
		onRecord({ json: { status: 'marinating', progress: 40 } });
		const body = { id: 'task_1', status: 'marinating' };
		expect(await execution.callback(body)).toEqual({ status: 200 });
	});

	test('reads all again for a repeated callback, where a task could not be read before', async () => {
		const execution = await pauseTwo();
		onRecordOf('task_1', { status: 500 });
		finish('task_2');
		expect(await execution.callback(callback('task_2'))).toEqual({ status: 503 });
		finish('task_1');
		expect((await execution.callback(callback('task_2'))).resumed?.json).toHaveLength(2);
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

	test('is not resumed by a callback for a task of a later pause, which n8n 1.123 lets through after a kill', async () => {
		const execution = await pauseTwo();
		finish('task_1', 'task_2', 'task_3');
		service.requests.length = 0;
		expect(await execution.callback(callback('task_3'))).toEqual({ status: 200 });
		expect(service.requests.map(({ path }) => path)).toStrictEqual(['/v1/music/tasks/task_3']);
		expect((await execution.callback(callback('task_2'))).resumed).toBeDefined();
	});

	test.each([404, 400])(
		'is resumed by a callback that names what is no task of the service, which answers %i',
		async (status) => {
			const execution = await pauseTwoThatEnd();
			onRecordOf('other', serviceError(status, 'No such task'));
			expect((await execution.callback(callback('other'))).resumed).toBeDefined();
		},
	);

	test('stays paused while the service cannot tell whose task a callback names', async () => {
		const execution = await pauseTwoThatEnd();
		onRecordOf('other', { status: 502 });
		expect(await execution.callback(callback('other'))).toEqual({ status: 503 });
		expect(service.sent('GET', '/v1/music/tasks/other')).toHaveLength(1);
		expect((await execution.callback(callback('task_1'))).resumed?.json).toHaveLength(2);
	});

	test('resumes each time that the node pauses in it, as in a loop', async () => {
		for (const taskId of ['task_1', 'task_2']) {
			const items = [{ json: { prompt: taskId } }];
			const execution = await pause(1, {}, { executionId: 'loop', items });
			finish(taskId);
			const { resumed } = await execution.callback(callback(taskId));
			expect(resumed?.json).toMatchObject([{ taskId, status: 'completed' }]);
			expect(await execution.callback(callback(taskId))).toEqual({ status: 200 });
		}
	});

	test('resumes again where an item is led back, and the node pauses for the same task', async () => {
		onSubmit(accepted('task_1'));
		for (const round of [1, 2]) {
			const execution = await pause(1, {}, { executionId: 'led-back' });
			onRecord(completed);
			const { resumed } = await execution.callback(callback('task_1'));
			expect([round, resumed?.json[0]?.status]).toEqual([round, 'completed']);
			onRecord(running);
			await time.advance(1_000);
		}
	});

	test('is not resumed again where a late callback finds the output in place of the waiting items, as n8n 1.123 may show them before it has stored the next pause', async () => {
		const execution = await pauseTwoThatEnd();
		const { resumed } = await execution.callback(callback('task_1'));
		expect(resumed?.items).toHaveLength(2);
		execution.waiting.splice(0, 2, ...(resumed?.items ?? []));
		expect(await execution.callback(callback('task_1'))).toEqual({ status: 503 });
		expect(await execution.callback({})).toEqual({ status: 503 });
	});
});

describe('A callback whose record cannot be read is answered 503, and the execution stays paused', () => {
	const noRoute = { status: 404, json: { message: 'no Route matched' } };

	test.each<[string, Reply]>([
		['the 404 page of a proxy', { status: 404, text: '<html>Not found</html>' }],
		['a 404 without the error of the service', noRoute],
		['500', unclear],
		['429', { status: 429, headers: { 'retry-after': '30' } }],
		['a reset', { reset: true }],
		['401, as while the API key is changed', serviceError(401, 'No more')],
		['403', serviceError(403, 'No more')],
		['401 by a proxy', { status: 401, text: '<html>Log in</html>' }],
		['an answer that is not JSON', { text: 'OK' }],
		['a completed record that has no result yet', completedWith(songAt())],
	])('%s', async (_, reply) => {
		const execution = await pauseTwo();
		onRecord(reply);
		expect(await execution.callback(callback('task_1'))).toEqual({ status: 503 });
		onRecord(completed);
		expect((await execution.callback(callback('task_1'))).resumed?.json).toHaveLength(2);
	});

	test('a credential that was broken meanwhile', async () => {
		const credential = service.credential();
		const execution = await pause(1, {}, { credential });
		Object.assign(credential, { baseUrl: '' });
		const broken = await pause();
		expect(broken.paused.run.status).toBe('waiting');
		onRecord(serviceError(401, 'No more'));
		expect(await execution.callback(callback('task_1'))).toEqual({ status: 503 });
		expect(log.join('\n')).toContain('MediaGen: a callback could not be verified');
	});
});

describe('A callback after Timeout', () => {
	const pauseOver = async (seconds: number) => {
		const execution = await pauseTwo({ given: { downloadFiles: true } }, { timeout: 60 });
		finish('task_1', 'task_2');
		await time.advance((60 + seconds) * 1_000);
		return await execution.callback(callback('task_1'));
	};

	test.each([70, 3_500])(
		'after %d s leaves no time for files: it resumes with the links, and a note',
		async (seconds) => {
			const { resumed } = await pauseOver(seconds);
			expect(resumed?.json).toMatchObject([
				{ taskId: 'task_1', status: 'completed', url: FIRST_SONG },
				{ taskId: 'task_2', status: 'completed', url: FIRST_SONG },
			]);
			expect(resumed?.json[0]?.notes).toContainEqual(
				expect.stringContaining('no file was downloaded'),
			);
		},
	);

	test('gives out an open task with its record, for an item that is led back, and waits for no record longer than half a minute', async () => {
		time = fastClock(1, 20);
		setClock(time);
		const execution = await pause(4, { concurrency: 1, timeout: 60 });
		finish('task_1');
		const never = new Promise<void>(() => {});
		for (const taskId of ['task_2', 'task_3', 'task_4'])
			onRecordOf(taskId, { ...running, after: never });
		await time.advance(61_000);
		const began = time.now();
		const { resumed } = await execution.callback(callback('task_1'));
		expect(time.now() - began).toBeLessThan(30_000);
		expect(statusesOf(resumed?.json)).toEqual([
			'completed',
			...Array.from({ length: 3 }, () => 'submitted'),
		]);
		const keys = resumed?.json.map(({ recordKey }) => typeof recordKey);
		expect(keys).toEqual(['undefined', 'string', 'string', 'string']);
	});

	test('gives out a task as submitted that had ended before the pause and cannot be read any more', async () => {
		onRecordOf('task_1', completed, serviceError(503, 'Down'));
		const execution = await pauseTwo({}, { timeout: 60 });
		expect(execution.waiting[0]?.json).toMatchObject({
			...{ status: 'completed', url: FIRST_SONG },
			// Its file has not come yet, and n8n may pass this on at its own limit.
			notes: [expect.stringContaining('it was not read again')],
		});
		// It is forgotten, and in queue mode another process never knew of it.
		forgetPauses();
		onRecord(serviceError(503, 'Down'));
		await time.advance(61_000);
		const { resumed } = await execution.callback({});
		expect(resumed?.json[0]).toMatchObject({
			taskId: 'task_1',
			status: 'submitted',
			results: [],
			recordKey: expect.any(String),
		});
	});

	test('gives out a task as failed that had failed before the pause, and does not read it again', async () => {
		onRecordOf('task_1', failed('Too loud'), unknownTask);
		const execution = await pauseTwo({}, { timeout: 60 });
		forgetPauses();
		await time.advance(61_000);
		const { resumed } = await execution.callback({});
		expect(resumed?.json).toMatchObject([
			{
				...{ taskId: 'task_1', status: 'failed', serviceStatus: 'failed' },
				error: {
					message: 'Task task_1 failed: Too loud [row 1 (item 0)]',
					description: 'The service refunds what a failed task was charged.',
				},
			},
			{ taskId: 'task_2', status: 'submitted' },
		]);
		expect(service.sent('GET', '/v1/music/tasks/task_1')).toHaveLength(1);
	});

	test('that comes when n8n may have set its own timer resumes nothing: what comes behind would run twice', async () => {
		expect(await pauseOver(3_525)).toEqual({ status: 200 });
	});
});

describe('The end of a paused execution', () => {
	test('a task that the service does not know, also after a minute, is an error item that names it', async () => {
		const execution = await pauseTwo(goOn);
		finish('task_1');
		onRecordOf('task_2', unknownTask);
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
				type: 'not_found_error',
			},
		});
	});

	test('a record refused with 400 is an error item that names the task', async () => {
		const execution = await pauseTwo(goOn);
		onRecord(serviceError(400, 'No more'));
		const { resumed } = await execution.callback(callback('task_1'));
		expect(resumed?.json[0]).toMatchObject({
			taskId: 'task_1',
			error: {
				message: 'Bad request: No more [row 1 (item 0)]',
				description: expect.stringContaining(
					'This was the response to the request for task task_1.',
				),
				httpStatus: 400,
				// It comes back to the same task.
				recordKey: expect.any(String),
			},
		});
	});

	describe('has the file that a callback has shown', () => {
		/** How long a result has been missing is remembered by the task's id: each test has tasks of its own. */
		let tests = 0;
		let id: string;
		beforeEach(() => {
			id = `part${++tests}`;
			onSubmit(accepted(id), accepted(`other${tests}`));
		});

		const part = completedWith({ music: [{ audio_url: FIRST_SONG }, { audio_url: '' }] });
		const showPart = async (options = {}) => {
			const execution = await pause(1, options, goOn);
			onRecord(part);
			expect(await execution.callback(callback(id))).toEqual({ status: 503 });
			return execution;
		};
		const itsFile = () => ({ taskId: id, status: 'completed', results: [{ url: FIRST_SONG }] });

		test.each<[string, Reply, ...string[]]>([
			['is not found', unknownTask],
			['may not be read', serviceError(403, 'No more')],
			['cannot be read', unclear],
			['has failed', failed(), 'failed now: Too loud'],
			['has it no more', completedWith({ music: [] })],
		])('where the next record %s', async (_, later, ...notes) => {
			const execution = await showPart();
			onRecord(later);
			expect(await execution.callback(callback(id))).toEqual({ status: 503 });
			await time.advance(60_000);
			const { resumed } = await execution.callback(callback(id));
			expect(resumed?.json).toMatchObject([
				{
					...itsFile(),
					notes: [
						expect.any(String),
						...['lacks some of its files', ...notes].map((note): unknown =>
							expect.stringContaining(note),
						),
					],
				},
			]);
		});

		test('or that was there before the pause', async () => {
			onRecordOf(id, part);
			const execution = await pause(2, { concurrency: 1 }, goOn);
			onRecord(failed());
			await time.advance(60_000);
			expect((await execution.callback({})).resumed?.json[0]).toMatchObject(itsFile());
		});

		test('where the task runs again, until it ends, or to Timeout', async () => {
			const execution = await showPart({ timeout: 60 });
			onRecord(running);
			await time.advance(40_000);
			expect(await execution.callback(callback(id))).toEqual({ status: 503 });
			await time.advance(21_000);
			const { json = [] } = (await execution.callback({})).resumed ?? {};
			expect(json).toMatchObject([itsFile()]);
			expect(json[0]?.notes).toContain(
				`The service calls task ${id} running again: use Task: Wait`,
			);
		});
	});

	test('the notes of an item survive the pause, beside its task', async () => {
		const run = { workflowSettings: { executionTimeout: 600 } };
		const noted = await pause(1, { timeout: 3_600 }, run);
		onRecord(completed);
		const { resumed } = await noted.callback({});
		expect(resumed?.json[0]).toMatchObject({
			status: 'completed',
			notes: [
				'This run: 1 task, no cost stated',
				expect.stringContaining('The pause lasts up to 3600 seconds'),
			],
		});
	});

	test('the first item says what the run cost: n8n shows no hint there', async () => {
		const execution = await pauseTwo(goOn);
		onRecordOf('task_1', completedWith(songAt(FIRST_SONG), { cost: 0.04 }));
		onRecordOf('task_2', completedWith(songAt(FIRST_SONG), { cost: 0.06 }));
		const { resumed } = await execution.callback({});
		expect(resumed?.json.map(({ notes }) => notes)).toStrictEqual([
			['This run: 2 tasks, cost 0.1 (0.05 per task)'],
			undefined,
		]);
	});

	test('the first item says where n8n keeps large files: in memory, as 1.123 does by default', async () => {
		await setBinaryDataMode('default');
		try {
			const execution = await pause(1, {}, { given: { downloadFiles: true } });
			const headers = { 'content-type': 'audio/mpeg' };
			service.on('GET', '/files/1.mp3', { text: '-'.repeat(21_000_000), headers });
			onRecord(completedWith(songAt(`${service.url}/files/1.mp3`)));
			const { resumed } = await execution.callback({});
			expect(resumed?.json[0]?.notes).toContainEqual(
				expect.stringContaining('keeps binary data in memory'),
			);
		} finally {
			await setBinaryDataMode('filesystem');
		}
	});

	test('an item that was not submitted keeps what its error said to do, and what the service answered', async () => {
		onSubmit(refused, { json: { ok: 'Is this a task?' } }, accepted('task_3'));
		const execution = await pause(3, { concurrency: 1 }, goOn);
		finish('task_3');
		const { resumed } = await execution.callback(callback('task_3'));
		expect(resumed?.json.map(({ error }) => error)).toMatchObject([
			{
				httpStatus: 400,
				description: 'Change the field that the service names.',
			},
			{ httpStatus: 200, response: '{"ok":"Is this a task?"}' },
			{},
		]);
		expect(resumed?.json[0]).not.toHaveProperty('input');
	});

	test('a failed item goes to the error output with the data of its own row, where the one before it has two files', async () => {
		const execution = await pauseTwo({ ...errorOutput, given: { output: 'files' } });
		onRecordOf('task_1', completedWith(songAt(FIRST_SONG, 'https://files.example.com/2.mp3')));
		const error = { message: 'Too loud', code: 9, type: 'loud' };
		onRecordOf('task_2', failed('', { error }));
		const { resumed } = await execution.callback(callback('task_2'));
		const [files, errors] = resumed?.outputs ?? [];
		expect(files?.map(({ json }) => json.index)).toEqual([1, 2]);
		const told = {
			taskId: 'task_2',
			status: 'failed',
			code: '9',
			type: 'loud',
			reference: 'row 2',
		};
		expect(errors?.map(({ json }) => json)).toMatchObject([{ ...WIND, error: told }]);
		// A refunded task: an item that comes back buys another one.
		expect(errors?.[0]?.json.error).not.toHaveProperty('recordKey');
	});

	test('items without a result go to the error output, if the node has one', async () => {
		onSubmit(accepted('task_1'), refused);
		const execution = await pauseTwo(errorOutput);
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

	test('a result in a field that a request can have comes out after a pause, as it does without one', async () => {
		const execution = await pause(1);
		onRecord({ json: { status: 'completed', metadata: { url: FIRST_SONG } } });
		const { resumed } = await execution.callback(callback('task_1'));
		expect(resumed?.json).toMatchObject([{ taskId: 'task_1', url: FIRST_SONG }]);
	});

	test.each([
		['alone', {}],
		['and where the service stored it again', { audio_url: 'https://files.example.com/again.mp3' }],
	])("the request's own link in the record is not a result, %s", async (_, again) => {
		const own = 'https://files.example.com/own.mp3';
		const additionalBodyFields = JSON.stringify({ audio_url: own });
		const execution = await pauseTwo({}, { additionalBodyFields });
		onRecord(completedWith({ ...songAt(FIRST_SONG), source: { audio_url: own } }, again));
		const { resumed } = await execution.callback({});
		const results = [expect.objectContaining({ url: FIRST_SONG })];
		expect(resumed?.json.map((item) => item.results)).toStrictEqual([results, results]);
	});

	test('what another version of the node wrote is read as far as it can be', async () => {
		onSubmit(accepted('task_1'), refused);
		const execution = await pauseTwo(goOn, { timeout: 60 });
		const [first, second] = execution.waiting;
		Object.assign(first?.json ?? {}, {
			...{ status: 'brewing', error: 'none', notes: 'none', requestLinks: 'none' },
			...{ recordKey: 7, purchaseKey: 7, reused: 'no' },
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

	test('an item that was not submitted has nothing of the task that its row came from', async () => {
		onSubmit(refused, accepted('task_2'));
		const items = [
			{
				json: { prompt: 'Rain', taskId: 'parent', results: [{ url: 'https://x.example/old.mp3' }] },
			},
			{ json: {} },
		];
		const execution = await pauseTwo({ items, ...goOn }, { includeInput: true });
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
		service.on('GET', '/1.mp3', file('music', 'audio/mpeg'));
		const execution = await pauseTwo({ given: { downloadFiles: true } }, { includeInput: true });
		onRecord(completedWith(songAt(`${service.url}/1.mp3`)));
		const { resumed } = await execution.callback(callback('task_1'));
		expect(resumed?.items).toMatchObject([
			{ json: { reference: 'row 1' }, binary: { data: { fileName: 'Rain.mp3' } } },
			{ json: { reference: 'row 2' }, binary: { data: { fileName: 'Wind.mp3' } } },
		]);
		expect(resumed?.json.map(({ input }) => input)).toEqual([RAIN, WIND]);
		expect(JSON.stringify(resumed?.json)).not.toContain('not read again');
	});

	test('a task that cannot be read at the time limit says why', async () => {
		const execution = await pauseTwo({}, { timeout: 60 });
		onRecord(serviceError(502, 'The gateway is down'));
		await time.advance(61_000);
		const { resumed } = await execution.callback({});
		const failed =
			'At the end of the pause, this task could not be read: Bad gateway (HTTP 502): The gateway is down';
		expect(resumed?.json).toMatchObject([
			{ taskId: 'task_1', status: 'submitted', notes: expect.arrayContaining([failed]) },
			{ taskId: 'task_2', status: 'submitted', notes: [failed] },
		]);
	});

	test('a time limit that passes gives out the tasks as they were', async () => {
		const execution = await pauseTwo({ given: { downloadFiles: true } });
		const { json } = await execution.timeLimit();
		const notes = [expect.stringContaining('it was not read again')];
		// For an item that comes back.
		const recordKey: unknown = expect.any(String);
		const submitted = { status: 'submitted', results: [], notes, recordKey };
		expect(json).toMatchObject([
			{ ...submitted, taskId: 'task_1', reference: 'row 1', fileName: 'Rain' },
			{ ...submitted, taskId: 'task_2', reference: 'row 2', fileName: 'Wind' },
		]);
		expect(json.map(({ input }) => input)).toEqual([RAIN, WIND]);
	});

	test('a time limit that passes gives out no half-made result as if it were one', async () => {
		const result = songAt('https://files.example.com/half.mp3');
		onRecord({ json: { status: 'in_progress', progress: 50, result } });
		const execution = await pauseTwo();
		const { json } = await execution.timeLimit();
		expect(json.map(({ status, results, url }) => [status, results, url])).toEqual([
			['submitted', [], null],
			['submitted', [], null],
		]);
	});
});

describe('A download that takes longer than the service waits for an answer', () => {
	let release = () => {};

	async function pauseWithSlowFile(settings = {}): Promise<PausedExecution> {
		const released = new Promise<void>((resolve) => (release = resolve));
		service.on('GET', '/slow.mp3', {
			...file('music', 'audio/mpeg'),
			after: released,
		});
		const execution = await pause(1, {}, { given: { downloadFiles: true } }, settings);
		onRecord(completedWith(songAt(`${service.url}/slow.mp3`)));
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

		test('does not resume an execution that was stopped meanwhile', async () => {
			const execution = await pauseWithSlowFile({ tells: [told('canceled')] });
			const first = execution.callback(callback('task_1'));
			await execution.callback(callback('task_1'));
			release();
			expect(await first).toEqual({ status: 503 });
		});

		test('leaves it paused where n8n then fails over an expression: with an error of the webhook n8n would resume', async () => {
			let isBusy = false;
			const execution = await pauseWithSlowFile({ failsExpressions: () => isBusy });
			const first = execution.callback(callback('task_1'));
			await execution.callback(callback('task_1'));
			isBusy = true;
			release();
			expect(await first).toEqual({ status: 503 });
			isBusy = false;
			const { resumed } = await execution.callback(callback('task_1'));
			expect(resumed?.items).toHaveLength(1);
		});
	});

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

test('a callback for a task whose id has the key in it resumes, and the log does not show it', async () => {
	log.length = 0;
	onSubmit(accepted(`task_${SCRIPTED_KEY}`));
	const execution = await pause(1);
	onRecordOf(`task_${SCRIPTED_KEY}`, completed);
	const { resumed } = await execution.callback(callback(`task_${SCRIPTED_KEY}`));
	expect(resumed?.json).toMatchObject([{ taskId: 'task_•••', status: 'completed' }]);
	expect(log.join('\n')).not.toContain(SCRIPTED_KEY);
});

test.each([
	['long after the purchase', [unknownTask]],
	['and again after the task was known in between', [unknownTask, running, unknownTask]],
])('a 404 for less than a minute, %s, ends no task: the call comes again', async (_, records) => {
	const execution = await pause(1);
	await time.advance(100_000);
	for (const record of records) {
		onRecordOf('task_1', record);
		expect(await execution.callback(callback('task_1'))).toEqual({ status: 503 });
		await time.advance(50_000);
	}
	finish('task_1');
	const { resumed } = await execution.callback(callback('task_1'));
	expect(resumed?.json).toMatchObject([{ taskId: 'task_1', status: 'completed' }]);
});
