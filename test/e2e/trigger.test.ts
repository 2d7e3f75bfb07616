import { answeredWhileStarting, floodTrigger } from './callbacks/floodTrigger';
import { openGate } from './callbacks/gate';
import { post, startedBy } from './callbacks/recorded';
import { remember } from './callbacks/remembered';
import { createSender, PAUSES_WITH_KILLS } from './callbacks/sender';
import { buy, recordOf } from './callbacks/tasks';
import { activeTrigger, importTrigger, type TriggerWorkflow } from './callbacks/triggerWorkflow';
import { describeLongWithOwnHosts, useHost } from './support/hosts';
import { until } from './support/poll';
import { READ, useSandbox } from './support/sandbox';

/** `npm run test:callbacks` takes 2 000. */
const TASKS = Number(process.env.MEDIAGEN_FLOOD ?? 150);

// n8n 2.41 takes a quarter of a second for each: it makes an isolate.
jest.setTimeout(600_000 + TASKS * 500);

/** An execution that a kill cut off can stay "running" for n8n: what is lost or doubled is known without its end. */
const PATIENCE_MS = 30_000;
const CREDENTIAL = 'Sandbox';

/** Runs to the end of which n8n had not yet kept a record when it was killed, and which therefore come again. */
const AT_MOST_TWICE = 1;

const digits = `${'1'.repeat(1_000_000)}x`;
const blanks = `1${' '.repeat(1_000_000)}x`;
const links = Array.from({ length: 80_000 }, (_, at) => `https://files.example.com/${at}.png`);

describeLongWithOwnHosts('MediaGen Trigger', '1.123', (version, start) => {
	const host = useHost(start);
	const sandbox = useSandbox(host, CREDENTIAL, { durations: { image: 0 } });
	const [sender, patient] = [createSender(), createSender({ pauses: PAUSES_WITH_KILLS })];
	afterAll(() => [sender, patient].forEach((each) => each.close()));

	const trigger = async (parameters: object = {}) =>
		await activeTrigger(host(), CREDENTIAL, parameters);

	const executionsOf = async ({ id }: TriggerWorkflow) => await startedBy(host(), id);

	/** A task that has ended, and what the service says of it. */
	async function ended(given: object = {}) {
		const taskId = await buy(sandbox(), given);
		return { taskId, record: await recordOf(sandbox(), taskId) };
	}

	describe('a callback', () => {
		let workflow: TriggerWorkflow;
		let mark: number;
		beforeEach(async () => {
			workflow = await trigger();
			mark = host().log.mark;
		});

		const logged = () => host().log.since(mark).join('\n');

		test('for a task that the service does not know starts nothing, and the log says why', async () => {
			const forged = 'task_000000000000000000000000';
			for (const [status, code, outcome] of [
				['completed', 503, 'is refused'],
				['in_progress', 200, 'starts nothing'],
			] as const) {
				expect((await post(workflow.url, { id: forged, status })).status).toBe(code);
				expect(logged()).toContain(
					`callback for task ${forged} ${outcome}: the service does not know the task`,
				);
			}
			expect(await executionsOf(workflow)).toEqual([]);
		});

		test('for a task that still runs starts nothing and says why; once it has ended, it starts one', async () => {
			sandbox().durations.set({ image: null });
			const taskId = await buy(sandbox());
			const claim = { id: taskId, status: 'completed' };
			expect(await post(workflow.url, claim)).toMatchObject({ status: 503 });
			expect(logged()).toContain(
				`callback for task ${taskId} is refused: the service says that the task is still running`,
			);
			expect(await executionsOf(workflow)).toEqual([]);

			sandbox().tasks.finish(taskId);
			expect(await post(workflow.url, claim)).toMatchObject({ status: 200 });
			expect(await executionsOf(workflow)).toHaveLength(1);
		});

		test.each([
			['is not JSON', 'completed', 'text/plain'],
			['is broken JSON', '{"id": "task_', 'application/json'],
			['names no task', '{"status": "completed"}', 'application/json'],
		])('whose body %s is refused, so that it is not repeated', async (_, body, type) => {
			const { status, data } = await post(workflow.url, body, type);
			expect([400, 422]).toContain(status);
			expect(data.message).toBeTruthy();
			expect(await executionsOf(workflow)).toEqual([]);
		});

		test.each<[string, object]>([
			['a megabyte of digits', { progress: digits, cost: digits }],
			['a megabyte of blanks', { progress: blanks, completed: blanks }],
			['80,000 links', { result: { images: [{ url: links }] } }],
		])('with %s does not hold n8n up, whether the task is known or not', async (_, parts) => {
			const taskId = await buy(sandbox());
			// A reader that takes the square of the time would need hours: the time limit of the test is enough.
			for (const [id, status] of [
				['task_of_nobody', 503],
				[taskId, 200],
			])
				expect(await post(workflow.url, { ...parts, id, status: 'completed' })).toMatchObject({
					status,
				});
			expect(await executionsOf(workflow)).toMatchObject([{ status: 'success' }]);
		});

		test('is asked for again while the service cannot be reached, and then starts one execution', async () => {
			const { record } = await ended();
			sandbox().faults.add({ match: READ, effect: { type: 'status', status: 502 } });
			sandbox().faults.add({ match: READ, effect: { type: 'reset' } });
			for (const _ of ['502', 'reset'])
				expect(await post(workflow.url, record)).toMatchObject({ status: 503 });
			expect(await executionsOf(workflow)).toEqual([]);
			expect(await post(workflow.url, record)).toMatchObject({ status: 200 });
			expect(await executionsOf(workflow)).toHaveLength(1);
		});

		test('starts nothing a second time after n8n has been restarted', async () => {
			const { record } = await ended();
			await post(workflow.url, record);
			await executionsOf(workflow);
			await host().restart();
			expect(await post(workflow.url, record)).toMatchObject({
				status: 200,
				data: { message: expect.stringContaining('before') },
			});
			expect(await executionsOf(workflow)).toHaveLength(1);
		});
	});

	test('"Trigger on Status" lets through only what it names', async () => {
		const callBack = async (events: string[], { record }: { record: unknown }) => {
			const workflow = await trigger({ events });
			await post(workflow.url, record);
			return await executionsOf(workflow);
		};
		const [completed, failed] = [await ended(), await ended({ prompt: 'sandbox:fail' })];
		expect(await callBack(['failed'], completed)).toEqual([]);
		const [execution] = await callBack(['failed'], failed);
		expect(execution?.json('End')).toMatchObject([
			{ taskId: failed.taskId, status: 'failed', error: { message: expect.any(String) } },
		]);
		expect(await callBack(['completed'], failed)).toEqual([]);
	});

	test('"De-Duplication Window" is how long a task starts nothing again', async () => {
		const workflow = await trigger({ options: { dedupeWindow: 3 } });
		const [recent, old] = [await ended(), await ended()];
		await remember(host(), workflow.id, [
			{ taskId: recent.taskId, hours: 2 },
			{ taskId: old.taskId, hours: 5 },
		]);
		for (const { record } of [recent, old]) await post(workflow.url, record);
		const started = await executionsOf(workflow);
		expect(started.map((execution) => execution.json('End')[0]?.taskId)).toEqual([old.taskId]);
	});

	test('"Listen for test event" takes the next callback, and each one again', async () => {
		const workflow = await importTrigger(host(), CREDENTIAL);
		const { taskId, record } = await ended();
		for (const expected of [1, 2]) {
			expect(await host().start(workflow.id)).toBeUndefined();
			expect(await post(workflow.testUrl, record)).toMatchObject({ status: 200 });
			const executions = await until(
				async () => await executionsOf(workflow),
				({ length }) => length >= expected,
			);
			expect(executions).toHaveLength(expected);
			for (const execution of executions)
				expect(execution.json('End')).toMatchObject([{ taskId, status: 'completed' }]);
		}
	});

	/** Floods a trigger of this host, and kills n8n on the way where the options say by which address it is called then. */
	async function flood(how: string, address?: (url: string) => string) {
		const by = address === undefined ? sender : patient;
		const flooded = { host: host(), sandbox: sandbox(), sender: by, credential: CREDENTIAL };
		const kill = async () => {
			await host().kill();
			await host().restart();
		};
		return await floodTrigger(
			`Trigger, n8n ${version}, ${how}`,
			{ ...flooded, tasks: TASKS },
			address && { kill, address, patienceMs: PATIENCE_MS },
		);
	}

	test(`${TASKS} tasks, called back one to three times each: one execution for each`, async () => {
		const { sent, missing, doubled } = await flood('no kill');
		expect({ missing, doubled }).toEqual({ missing: [], doubled: [] });
		expect(sent.filter(({ accepted }) => !accepted)).toEqual([]);
	});

	test(`${TASKS} tasks with n8n killed in the middle, behind a proxy: none is lost, and hardly any runs to its end twice`, async () => {
		const gate = await openGate(host().url);
		const { sent, missing, endedTwice } = await flood(
			'killed in the middle, behind a proxy',
			gate.through,
		).finally(() => gate.close());
		expect(missing).toEqual([]);
		expect(endedTwice.length).toBeLessThanOrEqual(AT_MOST_TWICE);
		expect(sent.filter(({ accepted }) => !accepted)).toEqual([]);
	});

	test(`${TASKS} tasks with n8n killed in the middle, without a proxy: none is lost but those that n8n itself turned away`, async () => {
		const { sent, missing, turnedAway, endedTwice } = await flood(
			'killed in the middle, without a proxy',
			(url) => url,
		);
		expect(missing.filter((taskId) => !turnedAway.has(taskId))).toEqual([]);
		expect(endedTwice.length).toBeLessThanOrEqual(AT_MOST_TWICE);
		expect(sent.filter((each) => !each.accepted && !answeredWhileStarting(each))).toEqual([]);
	});
});
