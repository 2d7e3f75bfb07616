import { clock } from '../../../../nodes/shared/util/clock';
import { jumpingClock } from '../../support/clocks';
import { log, runNode } from '../../support/engine';
import { pauseNode } from '../../support/pausedExecution';
import { type Reply, useScriptedService } from '../../support/scriptedService';
import {
	accepted,
	buySounds,
	completed,
	failed,
	numberTasks,
	RECORD,
	refused,
	running,
	SOUNDS,
	soundRun,
} from '../../support/scriptedTasks';
import { retryAndGoOn, retryOnFail } from '../../support/settings';

const service = useScriptedService(jumpingClock);

const waitMode = { waitMode: 'callback' };

const contextOf = (run: Awaited<ReturnType<typeof buySounds>>['run']) =>
	JSON.stringify(run.data.executionData?.contextData['node:Under Test']);

test('the node pauses until its time limit, and its requests carry the address of the execution', async () => {
	numberTasks(service);
	service.on('GET', RECORD, running);
	const began = clock.now();
	const { paused } = await pauseNode(soundRun(service, 1, {}, { given: waitMode }));
	expect(service.sent('POST', SOUNDS)[0]?.body).toMatchObject({
		prompt: 'Sound 0',
		webhook: expect.stringContaining('/webhook-waiting/paused-'),
	});
	const seconds = (new Date(paused.run.waitTill ?? 0).getTime() - began) / 1_000;
	// n8n's own limit is for a pause that nothing watches any more.
	expect(Math.round(seconds)).toBe(86_400 + 180);
});

test('the paused execution keeps the record of a purchase, for an item that comes back; not of one that was refunded', async () => {
	numberTasks(service);
	service.on('GET', RECORD, running);
	service.on('GET', '/v1/music/tasks/task_2', {
		json: { status: 'failed', error: { message: 'Too loud' } },
	});
	const { paused } = await pauseNode(soundRun(service, 2, { concurrency: 1 }, { given: waitMode }));
	expect(contextOf(paused.run)).toContain('task_1');
	expect(contextOf(paused.run)).not.toContain('task_2');
});

test('a pause that n8n has lost is not bought again, where n8n runs the node anew: 1.123 does, after a kill', async () => {
	numberTasks(service);
	service.on('GET', RECORD, running);
	const executionId = 'recovered';
	const again = { ...soundRun(service, 2, {}, { given: waitMode }), executionId };
	await pauseNode(again);
	service.on('GET', RECORD, completed);
	const { json } = await runNode(again);
	expect(json.map(({ taskId, status }) => [taskId, status])).toEqual([
		['task_1', 'completed'],
		['task_2', 'completed'],
	]);
	expect(service.sent('POST', SOUNDS)).toHaveLength(2);
	await runNode({ ...again, executionId: 'another' });
	expect(service.sent('POST', SOUNDS)).toHaveLength(4);
});

test('an end that the service puts off again and again is not waited for before the pause', async () => {
	numberTasks(service);
	const began = clock.now();
	service.on('GET', RECORD, () => {
		const estimated = (clock.now() - began) / 1_000 + 5;
		return { json: { data: { status: 'pending', estimated_time: estimated } } };
	});
	await pauseNode(soundRun(service, 1, {}, { given: waitMode }), { watches: true });
	expect(clock.now() - began).toBeLessThan(15_000);
});

test('tasks that ended before the pause are not waited for', async () => {
	numberTasks(service);
	service.on('GET', RECORD, completed);
	const { run, json } = await buySounds(service, 2, {}, { given: waitMode });
	expect(run.waitTill ?? undefined).toBeUndefined();
	expect(json.map(({ status }) => status)).toStrictEqual(['completed', 'completed']);
});

test('an item that failed ends the node instead of pausing it, and the other task is named', async () => {
	service.on('POST', SOUNDS, refused, accepted('task_2'));
	service.on('GET', RECORD, running, completed);
	const { run, error } = await buySounds(service, 2, { concurrency: 1 }, { given: waitMode });
	expect(run.waitTill ?? undefined).toBeUndefined();
	expect(error?.message).toBe(
		'Bad request: Too loud [row 1 (item 0)] (1 of 2 items have no result)',
	);
	expect(error?.description).toContain('task_2');
});

describe('The execution does not pause, though n8n could resume it', () => {
	const notPaused = async (run: Parameters<typeof pauseNode>[0]) => {
		const paused = pauseNode(run, { watches: true });
		await expect(paused).rejects.toThrow('The execution did not pause');
	};

	test('where an item has failed that fails the node', async () => {
		service.on('POST', SOUNDS, refused, accepted('task_2'));
		service.on('GET', RECORD, running, completed);
		await notPaused(soundRun(service, 2, { concurrency: 1 }, { given: waitMode }));
	});

	test.each([
		['for a task', 1, 'task_known'],
		['for a task beside another one', 2, '={{ $itemIndex === 0 ? "task_known" : "" }}'],
	])(
		'%s in "Existing Task": the service reports its end to the execution that bought it',
		async (_, count, existingTaskId) => {
			service.on('POST', SOUNDS, accepted('task_2'));
			service.on('GET', RECORD, ...Array.from({ length: 2 * count }, () => running), completed);
			await expect(
				pauseNode(soundRun(service, count, { existingTaskId }, { given: waitMode }), {
					watches: true,
				}),
			).rejects.toThrow(
				/did not pause: .*polled instead of pausing: the service reports .*Existing Task/,
			);
		},
	);

	test.each<[string, Reply, Reply, object]>([
		['was refused', refused, running, retryAndGoOn],
		['failed at the service', accepted('task_1'), failed(), retryOnFail],
	])(
		'where "Retry On Fail" would run it again at once, on rows that are tasks by then: the first item %s',
		async (_, first, record, settings) => {
			service.on('POST', SOUNDS, first, accepted('task_2'), accepted('task_3'));
			service.on('GET', '/v1/music/tasks/task_1', record);
			service.on('GET', '/v1/music/tasks/task_2', running, completed);
			service.on('GET', '/v1/music/tasks/task_3', completed);
			await notPaused(soundRun(service, 2, { concurrency: 1 }, { given: waitMode, ...settings }));
			const prompts = service.sent('POST', SOUNDS).map(({ body }) => body);
			expect(prompts).toMatchObject([
				{ prompt: 'Sound 0' },
				{ prompt: 'Sound 1' },
				{ prompt: 'Sound 0' },
			]);
		},
	);

	test('where all tasks have ended', async () => {
		numberTasks(service);
		service.on('GET', RECORD, completed);
		await notPaused(soundRun(service, 2, {}, { given: waitMode }));
	});
});

test('a workflow whose timeout is shorter than the pause is told so, with both figures', async () => {
	numberTasks(service);
	service.on('GET', RECORD, running);
	const run = { workflowSettings: { executionTimeout: 600 } };
	const long = await pauseNode(
		soundRun(service, 1, { timeout: 3_600 }, { given: waitMode, ...run }),
	);
	const note =
		'The pause lasts up to 3600 seconds, longer than the workflow\'s timeout of 600 seconds: n8n cancels the execution if no callback comes. Lower "Timeout" in the options, or raise the workflow\'s timeout.';
	expect(long.paused.json[0]?.notes).toEqual([note]);
	expect(log).toContain(`MediaGen: ${note}`);
	for (const timeout of [300, 600]) {
		const short = await pauseNode(soundRun(service, 1, { timeout }, { given: waitMode, ...run }));
		expect(short.paused.json[0]).not.toHaveProperty('notes');
	}
});

test('a note for all items is logged once', async () => {
	numberTasks(service);
	service.on('GET', RECORD, running);
	await pauseNode(
		soundRun(service, 3, {}, { given: waitMode, workflowSettings: { executionTimeout: 600 } }),
	);
	expect(log.filter((message) => message.includes('The pause lasts'))).toHaveLength(1);
});

test.each([-1, 0, undefined])(
	'without a timeout (%p) nothing is said',
	async (executionTimeout) => {
		numberTasks(service);
		service.on('GET', RECORD, running);
		const { paused } = await pauseNode(
			soundRun(service, 1, {}, { given: waitMode, workflowSettings: { executionTimeout } }),
		);
		expect(paused.json[0]).not.toHaveProperty('notes');
	},
);

test('a waiting item is its task, beside the row; nothing that was not given is in it', async () => {
	numberTasks(service);
	service.on('GET', RECORD, running);
	const { paused } = await pauseNode(soundRun(service, 1, {}, { given: waitMode }));
	expect(paused.json).toStrictEqual([
		{
			...{
				taskId: 'task_1',
				family: 'music',
				operation: 'sounds',
				status: 'submitted',
				serviceStatus: 'pending',
				progress: 10,
			},
			...{
				results: [],
				url: null,
				cost: null,
				creditsCost: null,
				usage: null,
				input: { prompt: 'Sound 0' },
			},
			requestLinks: { fields: ['webhook'], urls: [] },
			recordKey: expect.any(String),
			purchaseKey: expect.stringMatching(/^[0-9a-f]{32}$/),
			// Of the whole execution, with the first item: this n8n does not sign addresses.
			secretDigest: expect.stringMatching(/^[\w-]{43}$/),
			pauseLimit: clock.now() + 86_400_000,
		},
	]);
});

test('a task that ended before the pause shows its result when the time limit passes', async () => {
	numberTasks(service);
	service.on('GET', RECORD, running);
	service.on('GET', '/v1/music/tasks/task_1', completed);
	const execution = await pauseNode(soundRun(service, 2, {}, { given: waitMode }));
	const { json } = await execution.timeLimit();
	expect(json.map(({ taskId, status, url }) => [taskId, status, url])).toEqual([
		['task_1', 'completed', 'https://files.example.com/1.mp3'],
		['task_2', 'submitted', null],
	]);
});

describe('An address that the service would not call is refused before anything is bought', () => {
	test.each([
		['a private host', 'http://10.0.0.5/hook', 'private host 10.0.0.5'],
		[
			"the service's own domain",
			'https://api.example.com/hook',
			"points at the service's own domain",
		],
		['not an address', 'n8n', '"Callback Base URL" must be a full http or https URL'],
	])('%s', async (_, callbackBaseUrl, words) => {
		const credential = {
			...service.credential(),
			baseUrl: 'https://api.example.com',
			allowPrivateCallbacks: false,
		};
		const { error } = await buySounds(service, 1, { callbackBaseUrl }, { credential });
		expect(error?.message).toContain(words);
		expect(service.requests).toEqual([]);
	});

	test('with what to do instead', async () => {
		const credential = { ...service.credential(), allowPrivateCallbacks: false };
		const options = { callbackBaseUrl: 'http://10.0.0.5/hook' };
		const { error } = await buySounds(service, 1, options, { credential });
		expect(error?.description).toBe(
			'Give a public address in "Callback Base URL". For a service on your own network, switch on "Allow Private Callbacks" in the credential. Nothing was sent to the service.',
		);
	});

	test('an n8n that the service cannot reach, with what to set', async () => {
		const credential = { ...service.credential(), allowPrivateCallbacks: false };
		const { error } = await buySounds(service, 1, {}, { given: waitMode, credential });
		expect(error?.message).toBe(
			'The service would not call back: the service cannot reach the private host localhost',
		);
		expect(error?.description).toContain(
			"Set n8n's environment variable WEBHOOK_URL to the address at which the service reaches this n8n, on port 80 or 443.",
		);
		expect(service.requests).toEqual([]);
	});
});

test.each([{}, { callbackBaseUrl: 'https://n8n.example.com/webhook/x' }])(
	'with the options %j nothing is refused, and no note is made',
	async (options) => {
		numberTasks(service);
		service.on('GET', RECORD, completed);
		const credential = { ...service.credential(), allowPrivateCallbacks: false };
		const { json, error } = await buySounds(service, 1, options, { credential });
		expect(error).toBeUndefined();
		expect(json[0]).toMatchObject({ status: 'completed' });
		expect(json[0]).not.toHaveProperty('notes');
	},
);

test('a callback to an unusual port is sent, with a note', async () => {
	numberTasks(service);
	service.on('GET', RECORD, completed);
	const credential = { ...service.credential(), allowPrivateCallbacks: false };
	const callbackBaseUrl = 'https://n8n.example.com:5678/webhook/x';
	const { json } = await buySounds(service, 1, { callbackBaseUrl }, { credential });
	expect(service.sent('POST', SOUNDS)[0]?.body).toMatchObject({ webhook: callbackBaseUrl });
	expect(json[0]?.notes).toEqual([
		'The callback address uses the port 5678. The service may call the ports 80 and 443 only.',
	]);
});

test('the test URL of a trigger is sent, with a note', async () => {
	numberTasks(service);
	service.on('GET', RECORD, completed);
	const callbackBaseUrl = 'https://n8n.example.com/webhook-test/x';
	const { json } = await buySounds(service, 1, { callbackBaseUrl });
	expect(service.sent('POST', SOUNDS)[0]?.body).toMatchObject({ webhook: callbackBaseUrl });
	expect(json[0]?.notes).toEqual([
		'"Callback Base URL" is a test URL: n8n takes calls there only while it listens for a test event. Use the production URL of the trigger.',
	]);
});

test('blanks around the address are not sent', async () => {
	numberTasks(service);
	service.on('GET', RECORD, completed);
	await buySounds(service, 1, { callbackBaseUrl: ' https://n8n.example.com/webhook/x\n' });
	expect(service.sent('POST', SOUNDS)[0]?.body).toMatchObject({
		webhook: 'https://n8n.example.com/webhook/x',
	});
});

test('an address whose expression is empty is named in the notes', async () => {
	numberTasks(service);
	service.on('GET', RECORD, completed);
	const { json } = await buySounds(service, 1, { callbackBaseUrl: '={{ $json.nope }}' });
	expect(json[0]?.notes).toEqual([
		'The expression of "Callback Base URL" is empty: the service does not report the end of this task.',
	]);
	const { json: without } = await buySounds(service, 1, { callbackBaseUrl: '' });
	expect(without[0]).not.toHaveProperty('notes');
});

test('"Additional Body Fields" cannot replace the address while pausing', async () => {
	const options = { additionalBodyFields: '{"webhook": "https://x.example"}' };
	const { error } = await buySounds(service, 1, options, { given: waitMode });
	expect(error?.message).toContain('"Additional Body Fields" must not have the field "webhook"');
	expect(service.requests).toEqual([]);
});
