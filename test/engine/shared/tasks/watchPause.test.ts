import { NOT_READ } from '../../../../nodes/shared/tasks/waitingExecution';
import { clock } from '../../../../nodes/shared/util/clock';
import { fastClock, realMs } from '../../support/clocks';
import { log } from '../../support/engine';
import {
	type PauseSettings,
	type StateAnswer,
	stopWatching,
	told,
} from '../../support/pausedExecution';
import { type Reply, SCRIPTED_KEY, slowFile } from '../../support/scriptedService';
import {
	accepted,
	completed,
	completedWith,
	refused,
	running,
	serviceError,
	songAt,
	unknownTask,
} from '../../support/scriptedTasks';
import { goOn } from '../../support/settings';
import { statesOf, statusesOf, useSoundService } from '../../support/soundService';

const SCALE = 50;

let clockOfTest = () => fastClock(SCALE);
let time = clockOfTest();
const { service, onSubmit, onRecord, onRecordOf, buy, pause, bought, recordsRead } =
	useSoundService(() => (time = clockOfTest()));

/** Lets so much time pass, in which the test itself does nothing. */
const pass = async (ms: number) => await time.hurried(time.sleep(ms));

/** Pauses with a sound per item, and goes on as n8n would. */
const pauseSounds = async (count: number, settings: PauseSettings = {}, options = {}, run = {}) =>
	await pause(count, options, run, { watches: true, ...settings });

/** n8n's answers to calls of the execution's address, each time it is called. */
const statuses = (calls: Array<{ status: number }>) => calls.map(({ status }) => status);

/** Answers n times with the first reply, then with the second. */
const after = (count: number, first: Reply, then: Reply): Reply[] => [
	...Array.from({ length: count }, () => first),
	then,
];

beforeEach(() => onRecord(running));

afterEach(stopWatching);

test.each([
	[200, undefined],
	[
		201,
		'201 items wait in one execution: n8n loads all of them for each callback, and may answer nothing else for seconds, or with a thousand items for minutes. Use Loop Over Items with batches of at most 200, or "Don\'t Wait" and the MediaGen Trigger.',
	],
])('%d items that wait in one execution: the first says what it costs', async (count, note) => {
	log.length = 0;
	const { paused } = await pauseSounds(count, {}, { concurrency: 50 });
	expect(log.filter((line) => line.includes('items wait in one execution'))).toHaveLength(
		note === undefined ? 0 : 1,
	);
	expect(paused.json.map(({ notes }) => notes)).toStrictEqual(
		Array.from({ length: count }, (_, at) => [
			...(at === 0 && note !== undefined ? [note] : []),
			NOT_READ,
		]),
	);
});

describe('An execution whose callbacks were refused because the pause was not stored yet', () => {
	test('resumes by itself, once, with all results', async () => {
		onRecord(...after(3, running, completed));
		const execution = await pauseSounds(3, {}, { concurrency: 1 });
		const { json } = await execution.resumed;
		expect(statesOf(json)).toEqual(['task_1: completed', 'task_2: completed', 'task_3: completed']);
		await realMs(50);
		expect(statuses(execution.calls)).toEqual([409, 200]);
		expect(execution.calls[1]?.body).toEqual({ pause: expect.stringMatching(/^paused-/) });
	});

	test('calls the path of the paused node: one without it may be that of a Wait node behind', async () => {
		onRecord(running, completed);
		const execution = await pauseSounds(1);
		await execution.resumed;
		for (const { path } of execution.calls)
			expect(path).toMatch(/webhook-waiting\/[^/]+\/callback$/);
	});

	test('reads a task again that was completed before, and showed no result yet', async () => {
		onRecordOf('task_1', completedWith({ music: [] }), completed);
		onRecordOf('task_2', running, completed);
		const { json } = await (await pauseSounds(2)).resumed;
		expect(json).toMatchObject([
			{ taskId: 'task_1', status: 'completed', results: [{ kind: 'audio' }] },
			{ taskId: 'task_2', status: 'completed', results: [{ kind: 'audio' }] },
		]);
	});

	test.each([
		['says that the execution has finished', 409, 'The execution "1" has finished already.'],
		['has taken the call in another process', 200, 'OK'],
		[
			'says that the execution waits at another node',
			404,
			'The workflow for execution "1" does not contain a waiting webhook with a matching path/method.',
		],
	])('calls no more once n8n %s', async (_, status, message) => {
		onRecord(running, completed);
		const execution = await pauseSounds(1, { thenAnswers: { status, message } });
		while (execution.calls.length < 2) await realMs(1);
		await pass(10_000);
		expect(execution.calls).toHaveLength(2);
	});

	test('leaves n8n alone after two minutes in which it takes no call, and calls again minutes later', async () => {
		onRecord(running, completed);
		const execution = await pauseSounds(1, { refuses: 14 });
		await pass(123_000);
		const { length } = execution.calls;
		expect(length).toBeGreaterThan(5);
		expect(length).toBeLessThan(14);
		await pass(150_000);
		expect(execution.calls).toHaveLength(length);
		await time.hurried(execution.resumed);
		await realMs(50);
		expect(statuses(execution.calls)).toEqual([...Array.from({ length: 15 }, () => 409), 200]);
	}, 60_000);

	test('is not called while the service cannot be read', async () => {
		onRecord(running, { status: 502 });
		const execution = await pauseSounds(1);
		await pass(10_000);
		expect(execution.calls).toHaveLength(1);
	});

	test.each([401, 403])(
		'is not ended by a look whose key is refused with %i: the credential may have another key by now',
		async (status) => {
			onRecord(running, serviceError(status, 'No more'));
			const execution = await pauseSounds(1);
			await pass(100_000);
			expect(execution.calls).toHaveLength(1);
			onRecord(completed);
			const { resumed } = await execution.callback({ id: 'task_1', status: 'completed' });
			expect(resumed?.json).toMatchObject([{ status: 'completed' }]);
		},
	);

	const REFUSED: Array<[string, Reply]> = [
		['the key is refused', serviceError(401, 'No more')],
		['the address is gone', { status: 410, text: '<h1>Gone</h1>' }],
	];

	test.each(REFUSED)('resumes with the credential of now where %s', async (_, reply) => {
		onRecord(running);
		const credential = service.credential();
		const execution = await pauseSounds(1, {}, {}, { credential });
		onRecord(({ headers }) => (headers.authorization === 'Bearer a-new-key' ? completed : reply));
		Object.assign(credential, { apiKey: 'a-new-key' });
		expect((await execution.resumed).json).toMatchObject([{ status: 'completed' }]);
	});

	test.each(REFUSED)('goes on asking where %s, without a credential', async (_, reply) => {
		const credential = service.credential();
		const execution = await pauseSounds(1, {}, {}, { credential });
		onRecord(reply);
		Object.assign(credential, { baseUrl: '' });
		await pass(30_000);
		onRecord(completed);
		Object.assign(credential, { baseUrl: service.url });
		expect((await execution.resumed).json).toMatchObject([{ status: 'completed' }]);
	});

	test('resumes beside a row that was refused', async () => {
		onSubmit(refused, accepted('task_2'));
		onRecord(running, completed);
		const execution = await pauseSounds(2, {}, { concurrency: 1 }, goOn);
		expect(statusesOf((await execution.resumed).json)).toEqual(['not submitted', 'completed']);
	});

	test('is resumed by a callback that comes between its own calls', async () => {
		onRecord(running, completed);
		const execution = await pauseSounds(1, { refuses: Infinity });
		while (execution.calls.length < 3) await realMs(1);
		const { resumed } = await execution.callback({ id: 'task_1', status: 'completed' });
		expect(resumed?.json).toMatchObject([{ taskId: 'task_1', status: 'completed' }]);
	});

	// n8n has no data of an execution that was started by hand until it pauses.
	test.each(['validateSignature', 'resumeToken'])(
		'pauses and resumes where n8n answers that it cannot read %s',
		async (property) => {
			const refusal = {
				status: 500,
				message: `Cannot read properties of undefined (reading '${property}')`,
			};
			onRecord(running, completed);
			const execution = await pauseSounds(1, { refuses: 1, refusal });
			expect(statesOf((await execution.resumed).json)).toEqual(['task_1: completed']);
			await realMs(50);
			expect(statuses(execution.calls)).toEqual([500, 500, 200]);
		},
	);

	test('asks again soon when the record cannot be read, or the service does not know the task yet', async () => {
		onRecord(running, { status: 502 }, { status: 404, text: 'proxy' }, unknownTask, completed);
		const began = clock.now();
		const execution = await pauseSounds(1);
		expect(statesOf((await execution.resumed).json)).toEqual(['task_1: completed']);
		expect(clock.now() - began).toBeLessThan(30_000);
	});

	test('resumes with a task that the service does not know any more', async () => {
		onRecord(running, unknownTask);
		const execution = await pauseSounds(1, {}, {}, goOn);
		expect((await execution.resumed).json).toMatchObject([
			{ taskId: 'task_1', error: { httpStatus: 404 } },
		]);
	});

	test('is resumed once, though callbacks come at the same moment', async () => {
		const execution = await pauseSounds(2);
		onRecord(completed);
		const callbacks = Array.from({ length: 6 }, (_, at) => ({
			id: `task_${(at % 2) + 1}`,
			status: 'completed',
		}));
		const first = callbacks.slice(0, 3).map(async (body) => await execution.callback(body));
		await realMs(2);
		const results = await Promise.all([
			...first,
			...callbacks.slice(3).map(async (body) => await execution.callback(body)),
		]);
		await realMs(100);
		const byCallback = results.filter(({ resumed }) => resumed !== undefined).length;
		const byItself =
			(await Promise.race([execution.resumed.then(() => 1), realMs(1)])) === 1 ? 1 : 0;
		expect(byCallback + byItself).toBe(1);
		expect(new Set(results.map(({ status }) => status))).toEqual(new Set([200]));
	});

	test('asks for a task that ended before the pause no more', async () => {
		onRecordOf('task_1', completed);
		onRecordOf('task_2', running, completed);
		const execution = await pauseSounds(2);
		await execution.resumed;
		expect(service.sent('GET', '/v1/music/tasks/task_1')).toHaveLength(1);
	});
});

/** Milliseconds after the begin at which records were asked for, by the clock of the nodes. */
function timesOfLooks(): number[] {
	const began = clock.now();
	const times: number[] = [];
	onRecord(() => {
		times.push(clock.now() - began);
		return running;
	});
	return times;
}

const NO_STATE: Array<[string, StateAnswer]> = [
	['a proxy lets only callbacks through', { status: 403, text: 'Forbidden' }],
	['a proxy shows a page of its own', told('<html>Sign in</html>')],
	['another n8n answers', told('null')],
	['n8n fails', { status: 500, text: '{"message":"Database is locked"}' }],
];

describe('n8n tells that the execution waits: from then on every callback arrives', () => {
	test('the tasks are asked for once, and after that ever less often', async () => {
		const times = timesOfLooks();
		const execution = await pauseSounds(1);
		await pass(190_000);
		expect(execution.questions).toStrictEqual(['waiting']);
		expect(execution.calls).toHaveLength(1);
		const between = times.slice(1).map((at, look) => Math.round((at - (times[look] ?? 0)) / 1_000));
		// A busy machine is seconds late.
		expect(between).toStrictEqual(
			[1, 20, 40, 80].map((each) => expect.closeTo(each, -1) as unknown),
		);
	}, 60_000);

	test('what ended before that, of which every callback was refused, resumes it', async () => {
		const tells = [told('running'), told('running'), told('waiting')];
		onRecord(...after(3, running, completed));
		const execution = await pauseSounds(3, { tells }, { concurrency: 1 });
		const { json } = await execution.resumed;
		expect(statusesOf(json)).toStrictEqual(['completed', 'completed', 'completed']);
		expect(execution.questions).toStrictEqual(['running', 'running', 'waiting']);
	});

	test('the callback of the last task resumes it, though that of another was refused', async () => {
		onRecordOf('task_1', running);
		onRecordOf('task_2', running, completed);
		const execution = await pauseSounds(2, {}, { concurrency: 1 });
		while (execution.questions.length < 1) await realMs(1);
		await pass(5_000);
		onRecordOf('task_1', completed);
		const { resumed } = await execution.callback({ id: 'task_1', status: 'completed' });
		expect(statusesOf(resumed?.json)).toStrictEqual(['completed', 'completed']);
	});

	test('a later look leaves time for a callback that is on its way', async () => {
		onRecord(running, running, completed);
		const execution = await pauseSounds(1);
		while (recordsRead().length < 3) await realMs(1);
		const { resumed } = await execution.callback({ id: 'task_1', status: 'completed' });
		expect(resumed?.json).toMatchObject([{ status: 'completed' }]);
		await pass(30_000);
		expect(execution.calls).toHaveLength(1);
	});

	test('a record that was behind is found within half a minute', async () => {
		onRecord(running, running, completed);
		const began = clock.now();
		await (
			await pauseSounds(1)
		).resumed;
		expect(clock.now() - began).toBeLessThan(45_000);
	});
});

describe('An end that the service expects much later', () => {
	/** Seconds after the pause at which the task was asked for, when the service expects its end in so many seconds and nobody calls back. */
	async function looksAfterPause(estimated: number, watched: number): Promise<number[]> {
		const times: number[] = [];
		const began = clock.now();
		onRecord(() => {
			times.push(Math.round((clock.now() - began) / 1_000));
			return { json: { data: { status: 'pending', estimated_time: estimated } } };
		});
		const execution = await pauseSounds(1);
		await pass(watched * 1_000);
		expect(execution.questions).toStrictEqual(['waiting']);
		return times.slice(1);
	}

	test.each([
		[29, [1, 39, 79]],
		[40, [51, 71, 111]],
		[600, [121, 241, 361]],
	])(
		'in %d s: a missing callback is looked for after %j s',
		async (estimated, seconds) => {
			const looks = await looksAfterPause(estimated, (seconds.at(-1) ?? 0) + 20);
			expect(looks).toHaveLength(seconds.length);
			for (const [at, look] of looks.entries())
				expect(Math.abs(look - (seconds[at] ?? 0))).toBeLessThanOrEqual(8);
		},
		60_000,
	);

	test('asks for nothing beside the verification, where the callback comes', async () => {
		onRecord({ json: { data: { status: 'pending', estimated_time: 60 } } });
		const execution = await pauseSounds(1);
		await pass(40_000);
		onRecord(completed);
		const { resumed } = await execution.callback({ id: 'task_1', status: 'completed' });
		expect(resumed?.json).toMatchObject([{ status: 'completed' }]);
		await pass(70_000);
		expect(recordsRead()).toHaveLength(2);
		expect(execution.questions).toStrictEqual([]);
	});

	test('is no reason to wait beyond Timeout', async () => {
		onRecord({ json: { data: { status: 'pending', estimated_time: 600 } } });
		const began = clock.now();
		const execution = await pauseSounds(1, {}, { timeout: 20 });
		expect((await execution.resumed).json).toMatchObject([{ status: 'submitted' }]);
		expect(clock.now() - began).toBeLessThan(30_000);
	});
});

describe('n8n tells something else of the execution', () => {
	test.each(['running', 'new'])('%s: a look would be in vain', async (state) => {
		const times = timesOfLooks();
		const execution = await pauseSounds(1, { tells: [told(state)] });
		await pass(50_000);
		expect(times).toHaveLength(1);
		expect(execution.questions.length).toBeLessThan(8);
	});

	test('running, for minutes: that is not believed', async () => {
		onRecord(running, completed);
		const execution = await pauseSounds(1, { tells: [told('running')] });
		expect((await time.hurried(execution.resumed)).json).toMatchObject([{ status: 'completed' }]);
	});

	test.each(['validateSignature', 'resumeToken'])(
		'that it cannot read %s, of an execution started by hand: it runs',
		async (property) => {
			const text = `{"message":"Cannot read properties of undefined (reading '${property}')"}`;
			const times = timesOfLooks();
			await pauseSounds(1, { tells: [{ status: 500, text }] });
			await pass(30_000);
			expect(times).toHaveLength(1);
		},
	);

	test.each(['canceled', 'success', 'error', 'crashed'])(
		'%s: nothing is asked for any more',
		async (state) => {
			const times = timesOfLooks();
			const execution = await pauseSounds(1, { tells: [told(state)] }, { timeout: 120 });
			await pass(200_000);
			expect(times).toHaveLength(1);
			expect(execution.questions).toHaveLength(1);
			expect(execution.calls).toHaveLength(1);
		},
	);

	test.each(NO_STATE)(
		'nothing, as %s: they are asked for ever less often',
		async (_, answer) => {
			const times = timesOfLooks();
			const execution = await pauseSounds(1, { tells: [answer] });
			await pass(100_000);
			// After 1, 3, 7, 15, 31 and 63 s.
			expect(times.slice(1)).toHaveLength(6);
			expect(execution.calls).toHaveLength(1);
		},
		60_000,
	);
});

test('an address that has led back to this n8n is not called before each pause, but after five minutes again', async () => {
	const pauseAgain = async () =>
		(await pauseSounds(1, { path: '/proven', watches: false })).calls.length;
	expect([await pauseAgain(), await pauseAgain()]).toStrictEqual([1, 0]);
	await time.advance(300_000);
	expect(await pauseAgain()).toBe(1);
});

describe('An execution whose address does not lead back to it', () => {
	const buyElsewhere = async (waitingBaseUrl = `${service.url}/webhook-waiting`) =>
		await buy(1, {}, { given: { waitMode: 'callback' }, waitingBaseUrl });

	const hasFinished = 'The execution "1 has finished already.';
	const answers: Array<[string, number, string, string]> = [
		['nothing there', 404, 'Not found', 'it answered 404'],
		['a proxy that hides the answer', 503, 'call again later', 'it answered 503'],
		['a redirect', 301, 'Moved', 'it answered 301'],
		['an n8n that fails', 500, 'Database is locked', 'it answered 500'],
		['a proxy that fails', 502, 'Cannot read properties of undefined', 'it answered 502'],
		['several addresses to choose from', 300, 'Choose', 'it answered 300'],
		['another n8n, which has such an execution too', 409, hasFinished, 'another n8n answered'],
		['an n8n that takes any call', 200, 'OK', 'another n8n answered'],
	];

	test.each(answers)('polls instead, and says so: %s', async (_, status, message, why) => {
		onRecord(running, running, completed);
		const headers = { location: `${service.url}/elsewhere` };
		service.on('POST', '/webhook-waiting/*', { status, headers, json: { message } });
		const {
			run: { waitTill },
			json,
			hints,
		} = await buyElsewhere();
		expect(waitTill ?? undefined).toBeUndefined();
		const note = `The node polled instead of pausing: ${service.url} does not lead back to this execution (${why}). Set n8n's environment variable WEBHOOK_URL to the address at which the service reaches this n8n, on port 80 or 443.`;
		expect(json).toMatchObject([{ taskId: 'task_1', status: 'completed', notes: [note] }]);
		expect(hints.map((hint) => hint.message)).toContain(note);
		expect(service.requests.filter(({ path }) => path.includes('elsewhere'))).toEqual([]);
	});

	test('polls instead where nobody listens', async () => {
		onRecord(running, completed);
		const { json } = await buyElsewhere('http://127.0.0.1:9/webhook-waiting');
		expect(json).toMatchObject([
			{
				status: 'completed',
				notes: [
					expect.stringMatching(
						/^The node polled instead of pausing: http:\/\/127\.0\.0\.1:9 does not lead back to this execution \(no connection: .*ECONNREFUSED.*\)/,
					),
				],
			},
		]);
	});

	test('does not wait long for an answer', async () => {
		onRecord(running, completed);
		let answer = () => {};
		const after = new Promise<void>((resolve) => (answer = resolve));
		service.on('POST', '/webhook-waiting/*', { after });
		const { json } = await buyElsewhere();
		answer();
		expect(json[0]?.notes).toEqual([
			expect.stringMatching(/no connection: .*timeout|it did not answer within 10 seconds/),
		]);
	});

	test('the key is never sent to it', async () => {
		onRecord(running, completed);
		service.on('POST', '/webhook-waiting/*', { status: 404 });
		await buyElsewhere();
		const [asked] = service.sent('POST', '/webhook-waiting/*');
		expect(asked?.path).toMatch(/\/callback\?/);
		expect(JSON.stringify([asked?.headers, asked?.body])).not.toContain(SCRIPTED_KEY);
	});
});

describe('An end that the service expects within seconds', () => {
	const inSeconds = (estimated: number): Reply => ({
		json: { data: { status: 'pending', estimated_time: estimated } },
	});

	test.each([
		['', 1],
		[', beside a task that has ended', 2],
	])('is waited for without a pause%s', async (_, count) => {
		onRecordOf('task_2', completed);
		onRecordOf('task_1', ...after(3, inSeconds(6), completed));
		await expect(pauseSounds(count)).rejects.toThrow(
			/^The execution did not pause: .*"status":"completed"/,
		);
	});

	test.each([
		['of which nothing is expected', running],
		['that is expected a minute later', inSeconds(60)],
	])('does not keep the execution from pausing, at once, for a task %s', async (_, later) => {
		onRecordOf('task_1', inSeconds(6));
		onRecordOf('task_2', later);
		const execution = await pauseSounds(2, { watches: false });
		expect(execution.paused.run.status).toBe('waiting');
		expect(recordsRead()).toHaveLength(2);
	});

	test.each([
		['comes later than expected', 5],
		['is a minute away', 60],
	])('does not keep the execution from pausing when it %s', async (_, estimated) => {
		onRecord(inSeconds(estimated));
		const execution = await pauseSounds(1);
		expect(execution.paused.run.status).toBe('waiting');
	});
});

describe('The time limit of a pause', () => {
	test('is kept by the node: what has ended comes out with its result, the rest as it was, with its row', async () => {
		onRecordOf('task_2', running, completed);
		const execution = await pauseSounds(3, {}, { timeout: 20 });
		const { json } = await execution.resumed;
		expect(json.map(({ taskId, status, url }) => [taskId, status, url])).toEqual([
			['task_1', 'submitted', null],
			['task_2', 'completed', 'https://files.example.com/1.mp3'],
			['task_3', 'submitted', null],
		]);
		expect(json[0]).toMatchObject({ results: [], input: { prompt: 'Sound 0' } });
		expect(json[0]?.notes).toContain(
			'This run: 3 tasks, 2 of 3 items without a result, no cost stated',
		);
		expect(json[1]).not.toHaveProperty('input');
	});

	test('is kept when the service cannot be reached then: what was verified before comes out', async () => {
		const execution = await pauseSounds(2, {}, { timeout: 20 });
		onRecordOf('task_1', completed);
		expect(await execution.callback({ id: 'task_1', status: 'completed' })).toEqual({
			status: 200,
		});
		onRecord({ status: 502 });
		expect(statesOf((await execution.resumed).json)).toEqual([
			'task_1: completed',
			'task_2: submitted',
		]);
	});

	test.each([
		[401, 'Authentication failed: No more'],
		[403, 'Permission denied: No more'],
	])('a key refused with %i until then is an error item with the task', async (status, message) => {
		onRecord(running, serviceError(status, 'No more'));
		const execution = await pauseSounds(1, {}, { timeout: 20 });
		expect((await execution.resumed).json).toMatchObject([
			{
				taskId: 'task_1',
				error: {
					message: `${message} [row 1 (item 0)]`,
					httpStatus: status,
					recordKey: expect.any(String),
				},
			},
		]);
	});

	describe('passes while a file comes', () => {
		// Also while a download is under way, which must outlast the time limit.
		beforeAll(() => (clockOfTest = () => fastClock(2 * SCALE, 2 * SCALE)));
		afterAll(() => (clockOfTest = () => fastClock(SCALE)));

		test('a download that lasts beyond it resumes the execution once', async () => {
			service.on('GET', '/slow.mp3', slowFile(19, 15_000));
			onRecord(running, running, completedWith(songAt(`${service.url}/slow.mp3`)));
			const run = { given: { downloadFiles: true } };
			const execution = await pauseSounds(1, {}, { timeout: 5 }, run);
			expect((await execution.resumed).json).toMatchObject([{ taskId: 'task_1' }]);
			await clock.sleep(18 * 15_000);
			expect(await execution.callback()).toEqual({ status: 200 });
			expect(service.sent('GET', '/slow.mp3')).toHaveLength(1);
		});
	});
});

test('no key and no token of an address is in the log', async () => {
	onRecord(running, { status: 502 }, completed);
	await (
		await pauseSounds(1)
	).resumed;
	expect(log.join('\n')).toContain('the tasks of a paused execution could not be read: ');
	expect(log.join('\n')).not.toContain(SCRIPTED_KEY);
	expect(bought()).toHaveLength(1);
});
