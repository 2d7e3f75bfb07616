import { NOT_READ } from '../../../../nodes/shared/tasks/waitingExecution';
import { clock } from '../../../../nodes/shared/util/clock';
import { cancelWhen, jumpingClock } from '../../support/clocks';
import { log, ok, retryExecution, runNode, type RunResult } from '../../support/engine';
import { stopWatching } from '../../support/pausedExecution';
import type { Reply } from '../../support/scriptedService';
import {
	accepted,
	completed,
	failed,
	refused,
	running,
	soundRun,
} from '../../support/scriptedTasks';
import { goOn, retryAndGoOn, retryOnFail } from '../../support/settings';
import { statesOf, useSoundService } from '../../support/soundService';

const { service, onSubmit, onRecord, onRecordOf, buy, pause, bought, promptsSent } =
	useSoundService(jumpingClock);

const waitMode = { waitMode: 'callback' };

/** A service that calls public addresses only. */
const callsPublicOnly = () => ({ ...service.credential(), allowPrivateCallbacks: false });

const contextOf = ({ run }: RunResult) =>
	JSON.stringify(run.data.executionData?.contextData['node:Under Test']);

beforeEach(() => onRecord(running));

afterEach(stopWatching);

test('the node pauses until its time limit, and its requests carry the address of the execution', async () => {
	const began = clock.now();
	const { paused } = await pause();
	expect(bought()[0]?.body).toMatchObject({
		prompt: 'Sound 0',
		webhook: expect.stringContaining('/webhook-waiting/paused-'),
	});
	const seconds = (new Date(paused.run.waitTill ?? 0).getTime() - began) / 1_000;
	// n8n's own limit is for a pause that nothing watches any more. n8n 1.x needs an hour: a resume may wait for its concurrency limit.
	expect(Math.round(seconds)).toBe(86_400 + 3_600);
});

test('in a sub-workflow for which its caller does not wait, the node pauses', async () => {
	const parentExecution = { executionId: '7', workflowId: 'caller', shouldResume: false };
	const { waiting } = await pause(1, {}, { parentExecution });
	expect(waiting).toMatchObject([{ json: { taskId: 'task_1', status: 'submitted' } }]);
});

test('the paused execution keeps the record of a purchase, for an item that comes back; not of one that was refunded', async () => {
	onRecordOf('task_2', failed());
	const { paused } = await pause(2, { concurrency: 1 });
	expect(contextOf(paused)).toContain('task_1');
	expect(contextOf(paused)).not.toContain('task_2');
});

test('a row that fails before it is bought, where an earlier attempt bought it, waits with the name of its task', async () => {
	onSubmit(refused, accepted('task_1'), accepted('task_2'));
	onRecordOf('task_1', completed);
	// The node counts its tasks there.
	const hasBought = "$execution.customData.get('mediagen_tasks')";
	const prompt = `={{ $itemIndex === 1 && ${hasBought} ? '' : $json.prompt }}`;
	const { waiting } = await pause(2, { concurrency: 1 }, { given: { prompt }, ...retryAndGoOn });
	const description: unknown = expect.stringMatching(/Of earlier attempts: task task_1 \(.*\)\.$/);
	expect(waiting.map(({ json }) => json)).toMatchObject([
		{ taskId: 'task_2' },
		{ status: 'not submitted', error: { description, recordKey: expect.any(String) } },
	]);
	expect(bought()).toHaveLength(3);
});

test('a pause that n8n has lost is not bought again, where n8n runs the node anew: 1.123 does, after a kill', async () => {
	await pause(2, {}, { executionId: 'recovered' });
	onRecord(completed);
	const { json } = await buy(2, {}, { given: waitMode, executionId: 'recovered' });
	expect(statesOf(json)).toEqual(['task_1: completed', 'task_2: completed']);
	expect(bought()).toHaveLength(2);
	await buy(2, {}, { given: waitMode, executionId: 'another' });
	expect(bought()).toHaveLength(4);
});

test('an end that the service puts off again and again is not waited for before the pause', async () => {
	const began = clock.now();
	onRecord(() => {
		const estimated = (clock.now() - began) / 1_000 + 5;
		return { json: { data: { status: 'pending', estimated_time: estimated } } };
	});
	await pause(1, {}, {}, { watches: true });
	expect(clock.now() - began).toBeLessThan(15_000);
});

describe('The execution does not pause, though n8n could resume it', () => {
	/** Expects that the node ends instead of pausing, with this error or output. */
	const expectNoPause = async (end: RegExp, count: number, options = {}, more = {}) =>
		await expect(pause(count, options, more, { watches: true })).rejects.toThrow(end);

	test('an item that failed ends the node instead of pausing it, and the other task is named', async () => {
		onSubmit(refused, accepted('task_2'));
		onRecord(running, completed);
		await expectNoPause(
			/did not pause: Bad request: Too loud \[row 1 \(item 0\)\] \(1 of 2 items have no result\)\n[^]*task_2/,
			2,
			{ concurrency: 1 },
		);
	});

	const parentExecution = { executionId: '7', workflowId: 'caller' };

	test('in a sub-workflow of n8n 1.x, which would run its caller again for each end of a pause', async () => {
		onRecord(running, running, completed);
		const end = /polled instead of pausing: when a sub-workflow resumes/;
		await expectNoPause(end, 1, {}, { parentExecution });
	});

	test.each([
		['for a task', 1, 'task_known'],
		['for a task beside another one', 2, '={{ $itemIndex === 0 ? "task_known" : "" }}'],
	])(
		'%s in "Existing Task": the service reports its end to the execution that bought it',
		async (_, count, existingTaskId) => {
			onSubmit(accepted('task_2'));
			onRecord(...Array.from({ length: 2 * count }, () => running), completed);
			await expectNoPause(
				/did not pause: .*polled instead of pausing: the service does not report .*to this execution/,
				count,
				{ existingTaskId },
			);
		},
	);

	test('an execution that is canceled while it buys: its items come out at once, without a look at the address, so that n8n saves them', async () => {
		onSubmit(accepted('task_1'), { ...accepted('task_2'), after: new Promise(() => {}) });
		const onStart = cancelWhen(() => bought().length === 2);
		const run = { given: waitMode, ...goOn, onStart };
		const { json } = await buy(2, { concurrency: 1 }, run);
		expect(json).toMatchObject([
			{ taskId: 'task_1', error: { message: expect.stringContaining('canceled') } },
			{ status: 'unknown', error: { description: expect.stringContaining('bought anyway') } },
		]);
		expect(JSON.stringify(json)).not.toContain('polled instead of pausing');
	});

	test('a task of the execution that is run again: the service was given no address, or that of the other one', async () => {
		const run = (wait: string, executionId: string) =>
			soundRun(service, 1, { timeout: 20 }, { given: { waitMode: wait }, executionId });
		const late = await runNode(run('poll', 'first'));
		onRecord(running, running, completed);
		const { json } = await retryExecution(late, run('callback', 'retried'));
		expect(statesOf(json)).toEqual(['task_1: completed']);
		expect(json[0]?.notes).toEqual([expect.stringContaining('polled instead of pausing')]);
		expect(bought()).toHaveLength(1);
	});

	test.each<[string, Reply, Reply, object]>([
		['was refused', refused, running, retryAndGoOn],
		['failed at the service', accepted('task_1'), failed(), retryOnFail],
	])(
		'where "Retry On Fail" would run it again at once, on rows that are tasks by then: the first item %s',
		async (_, first, record, settings) => {
			onSubmit(first, accepted('task_2'), accepted('task_3'));
			onRecordOf('task_1', record);
			onRecordOf('task_2', running, completed);
			onRecordOf('task_3', completed);
			await expectNoPause(/did not pause/, 2, { concurrency: 1 }, settings);
			expect(promptsSent()).toEqual(['Sound 0', 'Sound 1', 'Sound 0']);
		},
	);

	test('tasks that ended before the pause are not waited for', async () => {
		onRecord(completed);
		await expectNoPause(/did not pause: (.*"status":"completed"){2}/, 2);
	});
});

test('a workflow whose timeout is shorter than the pause is told so, with both figures, and once in the log', async () => {
	const run = { workflowSettings: { executionTimeout: 600 } };
	const long = await pause(3, { timeout: 3_600 }, run);
	const note =
		'The pause lasts up to 3600 seconds, longer than the workflow\'s timeout of 600 seconds: n8n cancels the execution if no callback comes. Lower "Timeout" in the options, or raise the workflow\'s timeout.';
	expect(long.paused.json[0]?.notes).toEqual([note, NOT_READ]);
	expect(log.filter((line) => line === `MediaGen: ${note}`)).toHaveLength(1);
	for (const timeout of [300, 600]) {
		const short = await pause(1, { timeout }, run);
		expect(short.paused.json[0]?.notes).toEqual([NOT_READ]);
	}
});

test.each([-1, 0, undefined])('with no timeout (%p) nothing is said', async (executionTimeout) => {
	const { paused } = await pause(1, {}, { workflowSettings: { executionTimeout } });
	expect(paused.json[0]?.notes).toEqual([NOT_READ]);
});

test('a waiting item is its task, beside the row; nothing that was not given is in it', async () => {
	const { paused } = await pause();
	expect(paused.json).toStrictEqual([
		{
			...{ taskId: 'task_1', family: 'music', operation: 'sounds' },
			...{ status: 'submitted', serviceStatus: 'pending', progress: 10 },
			...{ results: [], url: null, cost: null, creditsCost: null, usage: null },
			input: { prompt: 'Sound 0' },
			requestLinks: { fields: ['webhook'], urls: [] },
			notes: [NOT_READ],
			recordKey: expect.any(String),
			purchaseKey: expect.stringMatching(/^[0-9a-f]{32}$/),
			// Of the whole execution, with the first item: this n8n does not sign addresses.
			secretDigest: expect.stringMatching(/^[\w-]{43}$/),
			pauseLimit: clock.now() + 86_400_000,
		},
	]);
});

test('a task that ended before the pause shows its result when the time limit passes', async () => {
	onRecordOf('task_1', completed);
	const execution = await pause(2);
	const { json } = await execution.timeLimit();
	expect(json.map(({ taskId, status, url }) => [taskId, status, url])).toEqual([
		['task_1', 'completed', 'https://files.example.com/1.mp3'],
		['task_2', 'submitted', null],
	]);
});

describe('An address that the service would not call is refused before anything is bought', () => {
	test("one at the service's own domain", async () => {
		const credential = { ...callsPublicOnly(), baseUrl: 'https://api.example.com' };
		const callbackBaseUrl = 'https://api.example.com/hook';
		const { error } = await buy(1, { callbackBaseUrl }, { credential });
		expect(error?.message).toContain("points at the service's own domain");
		expect(service.requests).toEqual([]);
	});

	test('with what to do instead', async () => {
		const options = { callbackBaseUrl: 'http://10.0.0.5/hook' };
		const { error } = await buy(1, options, { credential: callsPublicOnly() });
		expect(error?.description).toBe(
			'Give a public address in "Callback Base URL". For a service on your own network, switch on "Allow Private Callbacks" in the credential. Nothing was sent to the service.',
		);
	});

	test('an n8n that the service cannot reach, with what to set', async () => {
		const { error } = await buy(1, {}, { given: waitMode, credential: callsPublicOnly() });
		expect(error?.message).toBe(
			'The service would not call back: the service cannot reach the private host localhost',
		);
		expect(error?.description).toContain(
			"Set n8n's environment variable WEBHOOK_URL to the address at which the service reaches this n8n, on port 80 or 443.",
		);
		expect(service.requests).toEqual([]);
	});
});

describe('An address in "Callback Base URL"', () => {
	beforeEach(() => onRecord(completed));

	const report = async (options: object) =>
		await buy(1, { ...options }, { credential: callsPublicOnly() });

	test.each([
		{},
		{ callbackBaseUrl: '' },
		{ callbackBaseUrl: 'https://n8n.example.com/webhook/x' },
		{ callbackBaseUrl: 'https://n8n.example.com:80/webhook/x' },
		{ callbackBaseUrl: 'http://n8n.example.com:443/webhook/x' },
	])('%j is not refused, and has no note', async (options) => {
		const { json } = ok(await report(options));
		expect(json[0]).toMatchObject({ status: 'completed' });
		expect(json[0]).not.toHaveProperty('notes');
	});

	test.each([
		[
			'to an unusual port',
			'https://n8n.example.com:5678/webhook/x',
			'The callback address uses the port 5678. The service may call the ports 80 and 443 only.',
		],
		[
			'that is the test URL of a trigger',
			'https://n8n.example.com/webhook-test/x',
			'"Callback Base URL" is a test URL: n8n takes calls there only while it listens for a test event. Use the production URL of the trigger.',
		],
	])('%s is sent, with a note', async (_, callbackBaseUrl, note) => {
		const { json } = await report({ callbackBaseUrl });
		expect(bought()[0]?.body).toMatchObject({ webhook: callbackBaseUrl });
		expect(json[0]?.notes).toEqual([note]);
	});

	test.each<[string, string]>([
		['the blanks around it', ' https://n8n.example.com/webhook/x\n'],
		['the path that the service adds', 'https://n8n.example.com/webhook/x/callback'],
	])('is sent without %s', async (_, callbackBaseUrl) => {
		await report({ callbackBaseUrl });
		expect(bought()[0]?.body).toMatchObject({ webhook: 'https://n8n.example.com/webhook/x' });
	});

	test('whose expression is empty is named in the notes', async () => {
		const { json } = await report({ callbackBaseUrl: '={{ $json.nope }}' });
		expect(json[0]?.notes).toEqual([
			'The expression of "Callback Base URL" is empty: the service does not report the end of this task.',
		]);
	});
});

test('"Additional Body Fields" cannot replace the address while pausing', async () => {
	const options = { additionalBodyFields: '{"webhook": "https://x.example"}' };
	const { error } = await buy(1, options, { given: waitMode });
	expect(error?.message).toContain('"Additional Body Fields" must not have the field "webhook"');
	expect(service.requests).toEqual([]);
});
