import axios from 'axios';
import { setTimeout as delay } from 'node:timers/promises';
import type { Host } from '../../sandbox/host';
import { createSandbox, type Sandbox } from '../../sandbox/service';
import { untilRecovered } from './callbacks/recovered';
import { pausing } from './callbacks/pausing';
import { pausingWorkflow } from './callbacks/pausingWorkflow';
import { recordedExecutions } from './callbacks/recorded';
import { report } from './callbacks/report';
import { expectDeletedWith, expectPictures } from './support/files';
import { describeWithOwnHosts } from './support/hosts';
import { credentialFor } from './support/workflows';

const PAUSED = Number(process.env.MEDIAGEN_PAUSED ?? 100);
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

	const { begin, bought, call, callbacksAreOver, execution, pause, taskOf, until } = pausing(() => host, () => sandbox, CREDENTIAL);

	test(`${PAUSED} paused executions survive a kill: each resumes once, with its own result`, async () => {
		const workflow = await pausingWorkflow(host, CREDENTIAL, { options: { timeout: 3_600 } });
		const prompts = Array.from({ length: PAUSED }, (_, index) => `Picture ${index}`);
		for (let at = 0; at < prompts.length; at += 10) {
			await Promise.all(prompts.slice(at, at + 10).map(async (prompt) => await begin(workflow, [prompt])));
		}
		await until('all paused', async () => {
			const waiting = (await recordedExecutions(host, workflow.id)).filter(({ status }) => status === 'waiting');
			return waiting.length === PAUSED ? true : undefined;
		}, 120_000);

		// As at the end: a kill between the two writes would leave n8n an execution that it cannot resume.
		await delay(2_000);
		const mark = host.log.mark;
		await host.kill();
		await host.restart();
		await untilRecovered(host, mark);
		const began = Date.now();
		for (const { taskId } of bought()) sandbox.tasks.finish(taskId);
		const all = await until('all resumed', async () => {
			const recorded = await recordedExecutions(host, workflow.id);
			return recorded.every(({ status }) => status === 'success') ? recorded : undefined;
		}, 120_000);
		const seconds = (Date.now() - began) / 1_000;
		// n8n writes an execution's state a moment before its data.
		await delay(2_000);

		const promptOf = new Map(bought().map(({ taskId, prompt }) => [taskId, prompt]));
		const right = new Set<string>();
		for (const { id } of all) {
			const resumed = await host.execution(id);
			const [asked] = resumed.json('Prompts');
			const { taskId } = resumed.json('End')[0] ?? {};
			expect(resumed.json('End')).toMatchObject([
				{ taskId, status: 'completed', results: [{ url: expect.stringContaining(String(taskId)) }] },
			]);
			expect(promptOf.get(String(taskId))).toBe(asked?.prompt);
			if (resumed.runs.End?.length === 1) right.add(String(taskId));
		}
		report(`Paused executions, n8n ${version}, killed and restarted`, {
			paused: PAUSED,
			executions: all.length,
			'resumed once with their own result': right.size,
			seconds: seconds.toFixed(1),
		});
		expect({ executions: all.length, right: right.size }).toEqual({ executions: PAUSED, right: PAUSED });
	}, 400_000);

	test('20 items, called back shuffled, doubled and some at once: one resume, in item order, at most 3 reads per item', async () => {
		sandbox.faults.add({ match: { family: 'image' }, nth: 4, count: 3, effect: { type: 'duration', ms: 0 } });
		sandbox.faults.add({ count: null, effect: { type: 'duplicateCallback', copies: 2, spacing: 'simultaneous' } });
		const prompts = Array.from({ length: 20 }, (_, index) => `Picture ${index}`);
		const { workflow } = await pause(prompts);
		const open = prompts.map(taskOf).filter((taskId) => sandbox.tasks.get(taskId)?.stage !== 'completed');
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
		expect(resumed.items('End').map(({ pairedItem }) => pairedItem)).toEqual(prompts.map((_, item) => ({ item })));
		const reads = sandbox.requests.list({ method: 'GET', path: '/v1/tasks/' }).length;
		report(`One execution with 20 items, n8n ${version}`, { callbacks: sandbox.deliveries.list().length, reads, 'reads per item': reads / 20 });
		expect(reads).toBeLessThanOrEqual(3 * 20);
		expect(reads).toBeGreaterThanOrEqual(20);
	}, 120_000);

	test('a callback that comes before the execution has paused is turned away by n8n, and no task is lost by it', async () => {
		sandbox.faults.add({ match: { family: 'image' }, nth: 1, effect: { type: 'duration', ms: 0 } });
		sandbox.faults.add({ match: { method: 'GET', path: '/v1/tasks/*' }, nth: 1, effect: { type: 'slow', ms: 1_500 } });
		const workflow = await pausingWorkflow(host, CREDENTIAL);
		await begin(workflow, ['Early']);
		const done = await execution(workflow, 'success');
		expect(done.json('End')).toMatchObject([{ taskId: taskOf('Early'), status: 'completed' }]);
		expect(sandbox.deliveries.list().map(({ attempts }) => attempts.map(({ status }) => status))).toEqual([[409]]);
	}, 60_000);

	test('while the service cannot be reached, a callback is asked for again, and the execution goes on later', async () => {
		const { workflow, webhook } = await pause(['Picture']);
		sandbox.faults.add({ match: { method: 'GET', path: '/v1/tasks/*' }, count: null, effect: { type: 'status', status: 502 } });
		const taskId = taskOf('Picture');
		sandbox.faults.add({ count: 1, effect: { type: 'missingCallback' } });
		sandbox.tasks.finish(taskId);
		const first = await axios.post(`${webhook}/callback`, { id: taskId }, { proxy: false, validateStatus: () => true });
		expect(first.status).toBe(503);
		await execution(workflow, 'waiting');
		sandbox.faults.clear();
		// 409 if the node, which asks by itself too, was first.
		expect([200, 409]).toContain(await call(webhook, { id: taskId }));
		expect((await execution(workflow, 'success')).json('End')).toMatchObject([{ taskId, status: 'completed' }]);
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
		const note = expect.stringContaining(`The node polled instead of pausing: ${sandbox.url} does not lead back to this execution`);
		expect((await elsewhere.execution(id)).json('End')).toMatchObject([{ status: 'completed', notes: [note] }]);
	}, 180_000);

	test('an address that the service would never call is refused before anything is bought, with how to correct it', async () => {
		const strict = credentialFor(sandbox, 'Public');
		await host.createCredential({ ...strict, data: { ...strict.data, allowPrivateCallbacks: false } });
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
		const { workflow } = await pause(['One', 'Two', 'Three'], {}, { onError: 'continueRegularOutput' });
		sandbox.tasks.finish(taskOf('Three'));
		sandbox.tasks.finish(taskOf('Two'), { message: 'The canvas tore' });
		sandbox.tasks.finish(taskOf('One'));
		const resumed = await execution(workflow, 'success');
		expect(resumed.json('End')).toMatchObject([
			{ taskId: taskOf('One'), status: 'completed' },
			{ taskId: taskOf('Two'), status: 'failed', error: { message: expect.stringContaining('The canvas tore') } },
			{ taskId: taskOf('Three'), status: 'completed' },
		]);
	}, 60_000);
});
