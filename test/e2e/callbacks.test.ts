import axios from 'axios';
import { setTimeout as delay } from 'node:timers/promises';
import type { Host } from '../../sandbox/host';
import { freePort } from '../../sandbox/host/n8n/ports';
import { createSandbox, type Sandbox } from '../../sandbox/service';
import { floodTrigger } from './callbacks/floodTrigger';
import { openGate } from './callbacks/gate';
import { untilRecovered } from './callbacks/recovered';
import { pausing } from './callbacks/pausing';
import { pausingWorkflow } from './callbacks/pausingWorkflow';
import { report } from './callbacks/report';
import { createSender } from './callbacks/sender';
import { expectDeletedWith, expectPictures } from './support/files';
import { describeWithOwnHosts } from './support/hosts';
import { credentialFor } from './support/workflows';

const PAUSED = Number(process.env.MEDIAGEN_PAUSED ?? 100);
const FLOOD = Number(process.env.MEDIAGEN_FLOOD ?? 150);
const PROMPTS = Array.from({ length: PAUSED }, (_, index) => `Picture ${index}`);

/** About as long as n8n takes to end and to start. */
const RESTART_MS = 15_000;
const CREDENTIAL = 'Sandbox';

describeWithOwnHosts('Pause until the service calls back', (version, start) => {
	let host: Host;
	let sandbox: Sandbox;

	beforeAll(async () => {
		sandbox = await createSandbox({ allowPrivateCallbacks: true, durations: { image: null } });
		sandbox.setUnlimited(true);
		host = await start();
		await host.createCredential(credentialFor(sandbox, CREDENTIAL));
	}, 20 * 60_000);
	beforeEach(() => {
		sandbox.reset();
		sandbox.setUnlimited(true);
		sandbox.settings.set({ allowPrivateCallbacks: true });
		sandbox.durations.set({ image: null });
	});
	afterAll(async () => await sandbox.close());

	const {
		begin,
		bought,
		call,
		callbacksAreOver,
		execution,
		pause,
		pauseEach,
		resumed,
		taskOf,
		until,
	} = pausing(
		() => host,
		() => sandbox,
		CREDENTIAL,
	);

	test(`${PAUSED} paused executions survive a kill: each resumes once, with its own result`, async () => {
		const workflow = await pauseEach(PROMPTS);
		const mark = host.log.mark;
		await host.kill();
		await host.restart();
		await untilRecovered(host, mark);
		const began = Date.now();
		for (const { taskId } of bought()) sandbox.tasks.finish(taskId);
		const { executions, right } = await resumed(workflow, bought());
		const seconds = (Date.now() - began) / 1_000;
		report(`Paused executions, n8n ${version}, killed and restarted`, {
			paused: PAUSED,
			executions,
			'resumed once with their own result': right,
			seconds: seconds.toFixed(1),
		});
		expect({ executions, right }).toEqual({ executions: PAUSED, right: PAUSED });
	}, 400_000);

	test(
		`${PAUSED} paused executions and ${FLOOD} tasks for a trigger, called back over a restart of n8n behind a proxy: none is lost`,
		async () => {
			const port = await freePort();
			const address = `http://127.0.0.1:${port}`;
			const gate = await openGate(address);
			const sender = createSender({ pace: RESTART_MS / FLOOD });
			try {
				const behind = await start({ port, env: { WEBHOOK_URL: gate.through(address) } });
				await behind.createCredential(credentialFor(sandbox, CREDENTIAL));
				const { callbacksAreOver, pauseEach, resumed, until } = pausing(
					() => behind,
					() => sandbox,
					CREDENTIAL,
				);
				const workflow = await pauseEach(PROMPTS);
				const paused = bought();
				for (const { webhook } of paused)
					expect(webhook.startsWith(gate.through(address))).toBe(true);
				sandbox.durations.set({ image: 0 });

				const callBack = async () => {
					for (const { taskId } of paused) {
						sandbox.tasks.finish(taskId);
						await delay(RESTART_MS / PAUSED);
					}
				};
				// As an operator does it: some calls come before, some while n8n stops, some while it is down, and some while it starts.
				const restart = async () => {
					const called = callBack();
					await delay(1_000);
					await gate.hold();
					await until(
						'the end of what runs',
						async () =>
							(await behind.executions({ status: ['running', 'new'] })).length === 0
								? true
								: undefined,
						180_000,
					);
					const mark = behind.log.mark;
					await behind.restart();
					await untilRecovered(behind, mark);
					await gate.letThrough();
					await called;
				};
				const {
					sent,
					executions: started,
					missing,
					endedTwice,
				} = await floodTrigger(
					`Trigger, n8n ${version}, restarted in the middle with ${PAUSED} pauses, behind a proxy`,
					{ host: behind, sandbox, sender, credential: CREDENTIAL, tasks: FLOOD },
					{ kill: restart, address: gate.through },
				);
				await callbacksAreOver(200_000);
				const { executions, right } = await resumed(workflow, paused);
				const answers = sandbox.deliveries
					.list()
					.map(({ attempts }) => attempts.map(({ status }) => status));
				const crashed = started.filter(({ status }) => status === 'crashed').length;
				report(`Paused executions, n8n ${version}, called back over the same restart`, {
					paused: PAUSED,
					executions,
					'resumed once with their own result': right,
					'called back more than once': answers.filter((tries) => tries.length > 1).length,
				});
				expect({ missing, endedTwice, crashed, executions, right }).toEqual({
					missing: [],
					endedTwice: [],
					crashed: 0,
					executions: PAUSED,
					right: PAUSED,
				});
				expect(sent.filter(({ accepted }) => !accepted)).toEqual([]);
				// 409: the node had asked by itself.
				expect(answers.filter((tries) => ![200, 409].includes(tries.at(-1) ?? 0))).toEqual([]);
			} finally {
				sender.close();
				await gate.close();
			}
		},
		600_000 + FLOOD * 500,
	);

	test('20 items, called back shuffled, doubled and some at once: one resume, in item order, at most 3 reads per item', async () => {
		sandbox.faults.add({
			match: { family: 'image' },
			nth: 4,
			count: 3,
			effect: { type: 'duration', ms: 0 },
		});
		sandbox.faults.add({
			count: null,
			effect: { type: 'duplicateCallback', copies: 2, spacing: 'simultaneous' },
		});
		const prompts = Array.from({ length: 20 }, (_, index) => `Picture ${index}`);
		const { workflow } = await pause(prompts);
		const open = prompts
			.map(taskOf)
			.filter((taskId) => sandbox.tasks.get(taskId)?.stage !== 'completed');
		expect(open).toHaveLength(17);
		open.sort((a, b) => a.slice(-6).localeCompare(b.slice(-6)));
		for (const taskId of open) {
			sandbox.tasks.finish(taskId);
			await delay(30);
		}
		const resumed = await execution(workflow, 'success');
		await callbacksAreOver();

		expect(resumed.runs.End).toHaveLength(1);
		expect(resumed.json('End').map(({ taskId, status }) => ({ taskId, status }))).toEqual(
			prompts.map((prompt) => ({ taskId: taskOf(prompt), status: 'completed' })),
		);
		expect(resumed.items('End').map(({ pairedItem }) => pairedItem)).toEqual(
			prompts.map((_, item) => ({ item })),
		);
		const reads = sandbox.requests.list({ method: 'GET', path: '/v1/tasks/' }).length;
		report(`One execution with 20 items, n8n ${version}`, {
			callbacks: sandbox.deliveries.list().length,
			reads,
			'reads per item': reads / 20,
		});
		expect(reads).toBeLessThanOrEqual(3 * 20);
		expect(reads).toBeGreaterThanOrEqual(20);
	}, 120_000);

	test('a callback that comes before the execution has paused is turned away by n8n, and no task is lost by it', async () => {
		sandbox.faults.add({ match: { family: 'image' }, nth: 1, effect: { type: 'duration', ms: 0 } });
		sandbox.faults.add({
			match: { method: 'GET', path: '/v1/tasks/*' },
			nth: 1,
			effect: { type: 'slow', ms: 1_500 },
		});
		const workflow = await pausingWorkflow(host, CREDENTIAL);
		await begin(workflow, ['Early']);
		const done = await execution(workflow, 'success');
		expect(done.json('End')).toMatchObject([{ taskId: taskOf('Early'), status: 'completed' }]);
		expect(
			sandbox.deliveries.list().map(({ attempts }) => attempts.map(({ status }) => status)),
		).toEqual([[409]]);
	}, 60_000);

	test('while the service cannot be reached, a callback is asked for again, and the execution goes on later', async () => {
		const { workflow, webhook } = await pause(['Picture']);
		sandbox.faults.add({
			match: { method: 'GET', path: '/v1/tasks/*' },
			count: null,
			effect: { type: 'status', status: 502 },
		});
		const taskId = taskOf('Picture');
		sandbox.faults.add({ count: 1, effect: { type: 'missingCallback' } });
		sandbox.tasks.finish(taskId);
		const first = await axios.post(
			`${webhook}/callback`,
			{ id: taskId },
			{ proxy: false, validateStatus: () => true },
		);
		expect(first.status).toBe(503);
		await execution(workflow, 'waiting');
		sandbox.faults.clear();
		// 409 if the node, which asks by itself too, was first.
		expect([200, 409]).toContain(await call(webhook, { id: taskId }));
		expect((await execution(workflow, 'success')).json('End')).toMatchObject([
			{ taskId, status: 'completed' },
		]);
	}, 60_000);

	test('after the timeout, and not a minute later, what has ended comes out, and the rest says "submitted" and names the task', async () => {
		const { workflow } = await pause(['Ended', 'Lost', 'Slow'], { options: { timeout: 20 } });
		const began = Date.now();
		sandbox.tasks.finish(taskOf('Ended'));
		sandbox.faults.add({ count: null, effect: { type: 'missingCallback' } });
		sandbox.tasks.finish(taskOf('Lost'));
		const woken = await execution(workflow, 'success');
		expect((Date.now() - began) / 1_000).toBeLessThan(35);
		expect(woken.json('End')).toMatchObject([
			{ taskId: taskOf('Ended'), status: 'completed' },
			{ taskId: taskOf('Lost'), status: 'completed' },
			{ taskId: taskOf('Slow'), status: 'submitted', results: [], input: { prompt: 'Slow' } },
		]);
	}, 180_000);

	test('an address that leads to another place is found before the pause: the node polls, and says so', async () => {
		const elsewhere = await start({ env: { WEBHOOK_URL: sandbox.url } });
		await elsewhere.createCredential(credentialFor(sandbox, CREDENTIAL));
		// Longer than the node would wait for without a pause.
		sandbox.durations.set({ image: 15_000 });
		const workflow = await pausingWorkflow(elsewhere, CREDENTIAL);
		await begin(workflow, ['Picture']);
		const [{ id } = { id: '' }] = await until('an execution', async () => {
			const all = await elsewhere.executions({ workflowId: workflow.id, status: ['success'] });
			return all.length > 0 ? all : undefined;
		});
		const note = expect.stringContaining(
			`The node polled instead of pausing: ${sandbox.url} does not lead back to this execution`,
		);
		expect((await elsewhere.execution(id)).json('End')).toMatchObject([
			{ status: 'completed', notes: [note] },
		]);
	}, 180_000);

	test('an address that the service would never call is refused before anything is bought, with how to correct it', async () => {
		const strict = credentialFor(sandbox, 'Public');
		await host.createCredential({
			...strict,
			data: { ...strict.data, allowPrivateCallbacks: false },
		});
		const workflow = await pausingWorkflow(host, 'Public');
		await begin(workflow, ['Picture']);
		const { error } = await execution(workflow, 'error');
		expect(error?.message).toContain('would not call back');
		expect(error?.description).toContain('WEBHOOK_URL');
		expect(sandbox.ledger().accepted).toBe(0);
	}, 60_000);

	test('files of a resumed execution can all be read, and go with it', async () => {
		const { workflow, id } = await pause(['One', 'Two', 'Three'], { downloadFiles: true });
		for (const { taskId } of bought()) sandbox.tasks.finish(taskId);
		const resumed = await execution(workflow, 'success');
		const files = resumed.files('End');
		expect(files).toHaveLength(3);
		await expectPictures(host, files);
		await expectDeletedWith(host, id, files);
	}, 60_000);

	test('a failed task comes out in its place, with the reason', async () => {
		const { workflow } = await pause(
			['One', 'Two', 'Three'],
			{},
			{ onError: 'continueRegularOutput' },
		);
		sandbox.tasks.finish(taskOf('Three'));
		sandbox.tasks.finish(taskOf('Two'), { message: 'The canvas tore' });
		sandbox.tasks.finish(taskOf('One'));
		const resumed = await execution(workflow, 'success');
		expect(resumed.json('End')).toMatchObject([
			{ taskId: taskOf('One'), status: 'completed' },
			{
				taskId: taskOf('Two'),
				status: 'failed',
				error: { message: expect.stringContaining('The canvas tore') },
			},
			{ taskId: taskOf('Three'), status: 'completed' },
		]);
	}, 60_000);
});
