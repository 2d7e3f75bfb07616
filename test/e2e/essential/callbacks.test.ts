import axios from 'axios';
import { createSandbox, type Sandbox } from '../../../sandbox/service';
import { pausing } from '../callbacks/pausing';
import { post, startedBy } from '../callbacks/received';
import { buy, recordOf } from '../callbacks/tasks';
import { activeTrigger } from '../callbacks/triggerWorkflow';
import { expectPictures } from '../support/files';
import { describeOnHosts } from '../support/hosts';
import { credentialFor, imageWorkflow } from '../support/workflows';

const CREDENTIAL = 'Essential callbacks';

describeOnHosts('Callbacks', (host) => {
	let sandbox: Sandbox;
	beforeAll(async () => {
		sandbox = await createSandbox({ allowPrivateCallbacks: true });
		await host().createCredential(credentialFor(sandbox, CREDENTIAL));
	});
	beforeEach(() => {
		sandbox.reset();
		sandbox.setUnlimited(true);
		sandbox.settings.set({ allowPrivateCallbacks: true });
	});
	afterAll(async () => await sandbox.close());

	const { call, execution, pause, taskOf, until } = pausing(host, () => sandbox, CREDENTIAL);

	test('a forged callback leaves the execution paused; the true one resumes it; a late one is turned away', async () => {
		sandbox.durations.set({ image: null });
		const { workflow, webhook } = await pause(['Picture'], { downloadFiles: true });
		const taskId = taskOf('Picture');
		const mark = host().log.mark;
		// An end that the record does not show is answered 503, as the record may be behind; the service would repeat the call.
		const forged = await axios.post(
			`${webhook}/callback`,
			{ id: taskId, status: 'completed' },
			{ proxy: false, validateStatus: () => true },
		);
		expect(forged.status).toBe(503);
		expect(await call(webhook, { id: 'task_of_somebody_else', status: 'completed' })).toBe(200);
		expect(await call(webhook, 'nonsense')).toBe(200);
		await execution(workflow, 'waiting');
		expect(host().log.since(mark).join('\n')).toContain(`task ${taskId} is still running`);

		sandbox.tasks.finish(taskId);
		const resumed = await execution(workflow, 'success');
		expect(resumed.json('End')).toMatchObject([{ taskId, status: 'completed' }]);
		expect(resumed.files('End')).toHaveLength(1);
		await expectPictures(host(), resumed.files('End'));
		expect(await call(webhook, { id: taskId, status: 'completed' })).toBe(409);
		expect((await execution(workflow, 'success')).runs.End).toHaveLength(1);
	}, 60_000);

	// The service may append "/callback" to the text of the address, or to its path.
	test.each(['text', 'path'] as const)(
		'a call that knows the number of an execution alone does not resume it (%s)',
		async (webhookQuery) => {
			sandbox.settings.set({ allowPrivateCallbacks: true, webhookQuery });
			sandbox.durations.set({ image: null });
			const { workflow, webhook } = await pause(['Picture']);
			const [address = ''] = webhook.split('?');
			expect(webhook.length).toBeGreaterThan(address.length + 20);
			const taskId = taskOf('Picture');
			for (const path of ['', '/callback'])
				expect((await post(`${address}${path}`, { id: taskId, status: 'completed' })).status).toBe(
					401,
				);
			expect(
				(await post(`${webhook.slice(0, -1)}/callback`, { id: taskId, status: 'completed' }))
					.status,
			).toBeGreaterThanOrEqual(401);
			await execution(workflow, 'waiting');
			sandbox.tasks.finish(taskId);
			expect((await execution(workflow, 'success')).json('End')).toMatchObject([
				{ taskId, status: 'completed' },
			]);
		},
		60_000,
	);

	test.each(['text', 'path'] as const)(
		'a reference that a node signed arrives as verified; "Only Signed Addresses" turns others away (%s)',
		async (webhookQuery) => {
			sandbox.settings.set({ allowPrivateCallbacks: true, webhookQuery });
			const trigger = await activeTrigger(host(), CREDENTIAL, { options: { onlySigned: true } });
			const options = { callbackBaseUrl: trigger.base, reference: 'row 7 & 8/callback' };
			const { id } = await host().importWorkflow(
				imageWorkflow(CREDENTIAL, { waitMode: 'none', options }, 1),
			);
			const asked = () => sandbox.requests.list({ method: 'GET' }).length;
			const before = asked();
			expect((await post(trigger.url, { id: 'task_1', status: 'completed' })).status).toBe(401);
			expect(
				(
					await post(`${trigger.url}?reference=row&signature=forged`, {
						id: 'task_1',
						status: 'completed',
					})
				).status,
			).toBe(503);
			expect(asked()).toBe(before);
			sandbox.durations.set({ image: 200 });
			await host().run(id);
			const [execution] = await until('an execution of the trigger', async () => {
				const started = await startedBy(host(), trigger.id);
				return started.length > 0 ? started : undefined;
			});
			expect(execution?.json('End')).toMatchObject([
				{ status: 'completed', reference: options.reference, referenceVerified: true },
			]);
		},
		60_000,
	);

	test('a callback to the trigger starts one execution with the task in the shared shape', async () => {
		const own = await activeTrigger(host(), CREDENTIAL, { downloadFiles: true });
		sandbox.durations.set({ image: 0 });
		const taskId = await buy(sandbox, { n: 2 });
		const { status } = await post(own.url, await recordOf(sandbox, taskId));
		expect(status).toBe(200);
		const [execution, ...more] = await startedBy(host(), own.id);
		expect(more).toEqual([]);
		expect(execution?.json('End')).toMatchObject([
			{ taskId, family: 'image', status: 'completed', results: [{ index: 1 }, { index: 2 }] },
		]);
		expect(execution?.files('End')).toHaveLength(2);
		await expectPictures(host(), execution?.files('End') ?? []);
	});
});
