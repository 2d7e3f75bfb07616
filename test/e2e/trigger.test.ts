import type { Host } from '../../sandbox/host';
import { createSandbox, type Sandbox } from '../../sandbox/service';
import { answeredWhileStarting, floodTrigger } from './callbacks/floodTrigger';
import { openGate } from './callbacks/gate';
import { post, startedBy } from './callbacks/received';
import { remember } from './callbacks/remembered';
import { createSender } from './callbacks/sender';
import { buy, recordOf } from './callbacks/tasks';
import { activeTrigger, importTrigger, type TriggerWorkflow } from './callbacks/triggerWorkflow';
import { expectDeletedWith, expectPictures } from './support/files';
import { describeWithOwnHosts } from './support/hosts';
import { credentialFor } from './support/workflows';

/** `npm run test:callbacks` takes 2 000. */
const TASKS = Number(process.env.MEDIAGEN_FLOOD ?? 150);
const FLOOD_MS = 60_000 + TASKS * 200;

/** An execution that a kill cut off can stay "running" for n8n: what is lost or doubled is known without its end. */
const PATIENCE_MS = 30_000;
const CREDENTIAL = 'Sandbox';

/** Runs to the end of which n8n had not yet kept a record when it was killed, and which therefore come again. */
const AT_MOST_TWICE = 1;

describeWithOwnHosts('MediaGen Trigger', (version, start) => {
	let host: Host;
	let sandbox: Sandbox;
	const sender = createSender();

	beforeAll(async () => {
		sandbox = await createSandbox({
			allowPrivateCallbacks: true,
			durations: { image: 0, music: 0 },
		});
		sandbox.setUnlimited(true);
		host = await start();
		await host.createCredential(credentialFor(sandbox, CREDENTIAL));
	}, 20 * 60_000);
	afterEach(() => sandbox.faults.clear());
	afterAll(async () => {
		sender.close();
		await sandbox.close();
	});

	const trigger = async (parameters: Record<string, unknown> = {}) =>
		await activeTrigger(host, CREDENTIAL, parameters);

	const executionsOf = async ({ id }: TriggerWorkflow) => await startedBy(host, id);

	describe('a callback', () => {
		let workflow: TriggerWorkflow;
		let mark: number;
		beforeAll(async () => {
			workflow = await trigger();
		});
		beforeEach(() => {
			mark = host.log.mark;
		});

		const logged = () => host.log.since(mark).join('\n');

		test('for a task that the service does not know starts nothing, and the log says why', async () => {
			const forged = 'task_000000000000000000000000';
			const { status } = await post(workflow.url, { id: forged, status: 'completed' });
			expect(status).toBe(503);
			expect(logged()).toContain(
				`callback for task ${forged} is not taken: the service does not know the task`,
			);
			expect((await post(workflow.url, { id: forged, status: 'in_progress' })).status).toBe(200);
			expect(logged()).toContain(
				`callback for task ${forged} starts nothing: the service does not know the task`,
			);
			expect(await executionsOf(workflow)).toEqual([]);
		});

		test('for a task that still runs starts nothing and says why; once it has ended, it starts one', async () => {
			sandbox.faults.add({ match: { family: 'image' }, effect: { type: 'duration', ms: null } });
			const taskId = await buy(sandbox);
			const claim = { id: taskId, status: 'completed' };
			expect(await post(workflow.url, claim)).toMatchObject({ status: 503 });
			expect(logged()).toContain(
				`callback for task ${taskId} is not taken: the service says that the task is still running`,
			);
			expect(await executionsOf(workflow)).toEqual([]);

			sandbox.tasks.finish(taskId);
			expect(await post(workflow.url, claim)).toMatchObject({ status: 200 });
			expect(await executionsOf(workflow)).toHaveLength(1);
		});

		test.each([
			['is not JSON', 'completed', 'text/plain'],
			['is broken JSON', '{"id": "task_', 'application/json'],
			['names no task', '{"status": "completed"}', 'application/json'],
		])('whose body %s is refused, so that it is not repeated', async (_, body, type) => {
			const own = await trigger();
			const { status, data } = await post(own.url, body, type);
			expect([400, 422]).toContain(status);
			expect(data.message).toBeTruthy();
			expect(await executionsOf(own)).toEqual([]);
		});

		test('with ids that lead to the record of another task start nothing', async () => {
			const own = await trigger();
			const taskId = await buy(sandbox);
			const ids = [
				`./${taskId}`,
				`a/../${taskId}`,
				`a\\..\\${taskId}`,
				`${taskId}/`,
				`${taskId}?`,
				`${taskId}#`,
				` ${taskId}`,
				`${taskId} `,
				`%2e/${taskId}`,
				`${taskId}\n`,
			];
			for (const id of ids)
				expect(await post(own.url, { id, status: 'completed' })).toMatchObject({ status: 400 });
			expect(await post(own.url, await recordOf(sandbox, taskId))).toMatchObject({ status: 200 });
			expect(await executionsOf(own)).toHaveLength(1);
		});

		test.each<[string, object]>([
			[
				'a megabyte of digits',
				{ progress: `${'1'.repeat(1_000_000)}x`, cost: `${'1'.repeat(1_000_000)}x` },
			],
			[
				'a megabyte of blanks',
				{ progress: `1${' '.repeat(1_000_000)}x`, completed: `1${' '.repeat(1_000_000)}x` },
			],
			[
				'80,000 links',
				{
					result: {
						images: [
							{
								url: Array.from(
									{ length: 80_000 },
									(_, at) => `https://files.example.com/${at}.png`,
								),
							},
						],
					},
				},
			],
		])('with %s does not hold n8n up, whether the task is known or not', async (_, parts) => {
			const own = await trigger();
			const taskId = await buy(sandbox);
			// A reader that takes the square of the time would need hours: the time limit of the test is enough.
			expect(
				await post(own.url, { ...parts, id: 'task_of_nobody', status: 'completed' }),
			).toMatchObject({ status: 503 });
			expect(await post(own.url, { ...parts, id: taskId, status: 'completed' })).toMatchObject({
				status: 200,
			});
			expect(await executionsOf(own)).toMatchObject([{ status: 'success' }]);
		});

		test('is asked for again while the service cannot be reached, and then starts one execution', async () => {
			const own = await trigger();
			const taskId = await buy(sandbox);
			const body = await recordOf(sandbox, taskId);
			sandbox.faults.add({
				match: { method: 'GET', path: '/v1/tasks/*' },
				count: 1,
				effect: { type: 'status', status: 502 },
			});
			sandbox.faults.add({
				match: { method: 'GET', path: '/v1/tasks/*' },
				count: 1,
				effect: { type: 'reset' },
			});
			expect(await post(own.url, body)).toMatchObject({ status: 503 });
			expect(await post(own.url, body)).toMatchObject({ status: 503 });
			expect(await executionsOf(own)).toEqual([]);
			expect(await post(own.url, body)).toMatchObject({ status: 200 });
			expect(await executionsOf(own)).toHaveLength(1);
		});

		test('starts nothing a second time after n8n has been restarted', async () => {
			const own = await trigger();
			const taskId = await buy(sandbox);
			const body = await recordOf(sandbox, taskId);
			await post(own.url, body);
			await executionsOf(own);
			await host.restart();
			expect(await post(own.url, body)).toMatchObject({
				status: 200,
				data: { message: expect.stringContaining('before') },
			});
			expect(await executionsOf(own)).toHaveLength(1);
		}, 90_000);
	});

	describe('its options', () => {
		async function callBack(parameters: Record<string, unknown>, taskId: string) {
			const workflow = await trigger(parameters);
			await post(workflow.url, await recordOf(sandbox, taskId));
			return await executionsOf(workflow);
		}

		test('"Trigger on Status" lets through only what it names', async () => {
			const [completed, failed] = [
				await buy(sandbox),
				await buy(sandbox, { prompt: 'sandbox:fail' }),
			];
			expect(await callBack({ events: ['failed'] }, completed)).toEqual([]);
			const [execution] = await callBack({ events: ['failed'] }, failed);
			expect(execution?.json('End')).toMatchObject([
				{ taskId: failed, status: 'failed', error: { message: expect.any(String) } },
			]);
			expect(await callBack({ events: ['completed'] }, failed)).toEqual([]);
		});

		test('"Only From These Task Families" lets through only those', async () => {
			const taskId = await buy(sandbox);
			expect(await callBack({ options: { families: ['music', 'video'] } }, taskId)).toEqual([]);
			expect(await callBack({ options: { families: ['image'] } }, taskId)).toHaveLength(1);
		});

		test('"De-Duplication Window" is how long a task starts nothing again', async () => {
			const workflow = await trigger({ options: { dedupeWindow: 3 } });
			const [recent, old] = [await buy(sandbox), await buy(sandbox)];
			await remember(host, workflow.id, [
				{ taskId: recent, hours: 2 },
				{ taskId: old, hours: 5 },
			]);
			for (const taskId of [recent, old]) await post(workflow.url, await recordOf(sandbox, taskId));
			const started = (await executionsOf(workflow)).map(
				(execution) => execution.json('End')[0]?.taskId,
			);
			expect(started).toEqual([old]);
		});

		test('"Output" gives an item per file, "Download Files" the files', async () => {
			const taskId = await buy(sandbox, { n: 2 });
			const [execution] = await callBack({ output: 'files', downloadFiles: true }, taskId);
			const items = execution?.items('End') ?? [];
			expect(items.map(({ json }) => json)).toMatchObject([
				{ taskId, index: 1, url: expect.stringMatching(/^http/) },
				{ taskId, index: 2, url: expect.stringMatching(/^http/) },
			]);
			const files = execution?.files('End') ?? [];
			expect(files).toHaveLength(2);
			await expectPictures(host, files);
			await expectDeletedWith(host, execution?.id ?? '', files);
		});

		test('without "Verify With Service" the callback is accepted as it comes', async () => {
			const workflow = await trigger({ verify: false });
			sandbox.requests.clear();
			await post(workflow.url, {
				id: 'of-another-key',
				status: 'completed',
				result: { images: [{ url: ['https://example.com/1.png'] }] },
			});
			const [execution] = await executionsOf(workflow);
			expect(execution?.json('End')).toMatchObject([
				{ taskId: 'of-another-key', results: [{ url: 'https://example.com/1.png' }] },
			]);
			expect(sandbox.requests.list()).toEqual([]);
		});
	});

	test('"Listen for test event" takes the next callback, and each one again', async () => {
		const workflow = await importTrigger(host, CREDENTIAL);
		const taskId = await buy(sandbox);
		for (const expected of [1, 2]) {
			expect(await host.start(workflow.id)).toBeUndefined();
			expect(await post(workflow.testUrl, await recordOf(sandbox, taskId))).toMatchObject({
				status: 200,
			});
			const executions = await executionsOf(workflow);
			expect(executions).toHaveLength(expected);
			for (const execution of executions)
				expect(execution.json('End')).toMatchObject([{ taskId, status: 'completed' }]);
		}
	});

	const flooded = () => ({ host, sandbox, sender, credential: CREDENTIAL, tasks: TASKS });

	test(
		`${TASKS} tasks, called back one to three times each: one execution for each`,
		async () => {
			const { sent, missing, doubled } = await floodTrigger(
				`Trigger, n8n ${version}, no kill`,
				flooded(),
			);
			expect({ missing, doubled }).toEqual({ missing: [], doubled: [] });
			expect(sent.filter(({ accepted }) => !accepted)).toEqual([]);
		},
		FLOOD_MS,
	);

	async function kill(): Promise<void> {
		await host.kill();
		await host.restart();
	}

	test(
		`${TASKS} tasks with n8n killed in the middle, behind a proxy: none is lost, and hardly any runs to its end twice`,
		async () => {
			const gate = await openGate(host.url);
			const title = `Trigger, n8n ${version}, killed in the middle, behind a proxy`;
			const { sent, missing, endedTwice } = await floodTrigger(title, flooded(), {
				kill,
				address: gate.through,
				patienceMs: PATIENCE_MS,
			}).finally(() => gate.close());
			expect(missing).toEqual([]);
			expect(endedTwice.length).toBeLessThanOrEqual(AT_MOST_TWICE);
			expect(sent.filter(({ accepted }) => !accepted)).toEqual([]);
		},
		FLOOD_MS + 60_000,
	);

	test(
		`${TASKS} tasks with n8n killed in the middle, without a proxy: none is lost but those that n8n itself turned away`,
		async () => {
			const title = `Trigger, n8n ${version}, killed in the middle, without a proxy`;
			const { sent, missing, turnedAway, endedTwice } = await floodTrigger(title, flooded(), {
				kill,
				patienceMs: PATIENCE_MS,
			});
			expect(missing.filter((taskId) => !turnedAway.has(taskId))).toEqual([]);
			expect(endedTwice.length).toBeLessThanOrEqual(AT_MOST_TWICE);
			expect(sent.filter((each) => !each.accepted && !answeredWhileStarting(each))).toEqual([]);
		},
		FLOOD_MS + 60_000,
	);
});
