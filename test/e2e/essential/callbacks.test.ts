import { pausing } from '../callbacks/pausing';
import { post, startedBy } from '../callbacks/recorded';
import { buy, recordOf } from '../callbacks/tasks';
import { activeTrigger } from '../callbacks/triggerWorkflow';
import { runWorkflow } from '../support/executions';
import { expectDeletedWith, expectPictures } from '../support/files';
import { describeOnHosts } from '../support/hosts';
import { until } from '../support/poll';
import { credentialAt, useSandbox } from '../support/sandbox';
import { imageWorkflow } from '../support/workflows';

const CREDENTIAL = 'Essential callbacks';

describeOnHosts('Callbacks', (host) => {
	const sandbox = useSandbox(host, CREDENTIAL, { durations: { image: null } });
	const { call, execution, pause, taskOf } = pausing(host, sandbox, CREDENTIAL);

	test('a forged callback leaves the execution paused; the true one resumes it; a late one is turned away; its file goes with it', async () => {
		const { workflow, id, webhook } = await pause(['Picture'], { downloadFiles: true });
		const taskId = taskOf('Picture');
		const claim = { id: taskId, status: 'completed' };
		const { mark } = host().log;
		// An end that the record does not show is answered 503, as the record may be behind; the service would repeat the call.
		expect((await post(`${webhook}/callback`, claim)).status).toBe(503);
		expect(await call(webhook, { id: 'task_of_somebody_else', status: 'completed' })).toBe(200);
		expect(await call(webhook, 'nonsense')).toBe(200);
		await execution(workflow, 'waiting');
		expect(host().log.since(mark).join('\n')).toContain(`task ${taskId} is still running`);

		sandbox().tasks.finish(taskId);
		const resumed = await execution(workflow, 'success');
		expect(resumed.json('End')).toMatchObject([{ taskId, status: 'completed' }]);
		expect(resumed.files('End')).toHaveLength(1);
		await expectPictures(host(), resumed.files('End'));
		expect(await call(webhook, claim)).toBe(409);
		expect((await execution(workflow, 'success')).runs.End).toHaveLength(1);
		await expectDeletedWith(host(), id, resumed.files('End'));
	});

	test('an API key that is refused for a while ends no pause: the callback is turned away, and a later one resumes', async () => {
		// Of a task whose end is far, the node reads nothing by itself for minutes: such a read would meet the fault.
		sandbox().durations.set({ image: 3_600_000 });
		const { workflow, webhook } = await pause(['Picture']);
		const taskId = taskOf('Picture');
		const claim = { id: taskId, status: 'completed' };
		const match = { method: 'GET', path: `/v1/tasks/${taskId}` } as const;
		const refusals = () =>
			sandbox()
				.requests.list(match)
				.filter(({ status }) => status === 401).length;
		const useKey = async (key: string) =>
			await host().putCredential(credentialAt(CREDENTIAL, sandbox().url, key));
		await useKey('sandbox-key-deleted');
		try {
			// The key with which the node paused, and then the one of now.
			sandbox().faults.add({ match, effect: { type: 'status', status: 401 } });
			expect((await post(`${webhook}/callback`, claim)).status).toBe(503);
			expect(refusals()).toBe(2);
			await execution(workflow, 'waiting');
		} finally {
			await useKey(sandbox().key);
		}
		sandbox().tasks.finish(taskId);
		expect((await execution(workflow, 'success')).json('End')).toMatchObject([
			{ taskId, status: 'completed' },
		]);
	});

	// The service may append "/callback" to the text of the address, or to its path.
	describe.each(['text', 'path'] as const)('at an address extended in its %s', (webhookQuery) => {
		beforeEach(() => void sandbox().settings.set({ webhookQuery }));

		test('a call that knows the number of an execution alone does not resume it', async () => {
			const { workflow, webhook } = await pause(['Picture']);
			const [address = ''] = webhook.split('?');
			expect(webhook.length).toBeGreaterThan(address.length + 20);
			const taskId = taskOf('Picture');
			const answerAt = async (url: string) =>
				(await post(url, { id: taskId, status: 'completed' })).status;
			expect(await answerAt(address)).toBe(401);
			expect(await answerAt(`${address}/callback`)).toBe(401);
			expect(await answerAt(`${webhook.slice(0, -1)}/callback`)).toBeGreaterThanOrEqual(401);
			await execution(workflow, 'waiting');
			sandbox().tasks.finish(taskId);
			expect((await execution(workflow, 'success')).json('End')).toMatchObject([
				{ taskId, status: 'completed' },
			]);
		});

		test('a reference that a node signed arrives as verified; "Only Signed Addresses" turns others away', async () => {
			const trigger = await activeTrigger(host(), CREDENTIAL, { options: { onlySigned: true } });
			const claim = { id: 'task_1', status: 'completed' };
			const forged = `${trigger.url}?reference=row&signature=forged`;
			const before = sandbox().requests.list({ method: 'GET' }).length;
			expect((await post(trigger.url, claim)).status).toBe(401);
			expect((await post(forged, claim)).status).toBe(503);
			expect(sandbox().requests.list({ method: 'GET' })).toHaveLength(before);
			sandbox().durations.set({ image: 200 });
			const options = { callbackBaseUrl: trigger.base, reference: 'row 7 & 8/callback' };
			await runWorkflow(host(), imageWorkflow(CREDENTIAL, { waitMode: 'none', options }, 1));
			const [execution] = await until(
				async () => await startedBy(host(), trigger.id),
				({ length }) => length > 0,
				120_000,
			);
			expect(execution?.json('End')).toMatchObject([
				{ status: 'completed', reference: options.reference, referenceVerified: true },
			]);
		});
	});

	test('a callback to the trigger starts one execution with the task in the shared shape, and with files that go with it', async () => {
		const trigger = await activeTrigger(host(), CREDENTIAL, { downloadFiles: true });
		sandbox().durations.set({ image: 0 });
		const taskId = await buy(sandbox(), { n: 2 });
		const { status } = await post(trigger.url, await recordOf(sandbox(), taskId));
		expect(status).toBe(200);
		const [execution, ...more] = await startedBy(host(), trigger.id);
		expect(more).toEqual([]);
		expect(execution?.json('End')).toMatchObject([
			{ taskId, family: 'image', status: 'completed', results: [{ index: 1 }, { index: 2 }] },
		]);
		const files = execution?.files('End') ?? [];
		expect(files).toHaveLength(2);
		await expectPictures(host(), files);
		await expectDeletedWith(host(), execution?.id ?? '', files);
	});
});
