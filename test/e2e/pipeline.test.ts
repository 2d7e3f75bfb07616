import { z } from 'zod/v3';

import { createSandbox, type Sandbox } from '../../sandbox/service';
import { describeOnHosts } from './support/hosts';
import { credentialFor, imageWorkflow } from './support/workflows';

const TASK_MS = 20_000;

describeOnHosts('A pipeline of pictures', (host) => {
	let sandbox: Sandbox;
	beforeAll(async () => {
		sandbox = await createSandbox({ durations: { image: TASK_MS } });
		await host().createCredential(credentialFor(sandbox, 'Pipeline'));
	});
	beforeEach(() => sandbox.reset());
	afterAll(async () => await sandbox.close());

	const run = async (parameters: object, items: number, node: object = {}) => {
		const workflow = await host().importWorkflow(
			imageWorkflow('Pipeline', parameters, items, node),
		);
		return await host().run(workflow.id, { timeout: 180_000 });
	};

	test('20 items are 20 purchases and 20 results in order, in less than one and a half tasks', async () => {
		const execution = await run({ options: { concurrency: 10, pollInterval: 2 } }, 20);
		expect(execution.status).toBe('success');
		expect(sandbox.ledger().accepted).toBe(20);

		const prompts = new Map(sandbox.requests.list().map(({ task, body }) => [task, body]));
		const results = execution.json('Pictures');
		expect(results).toHaveLength(20);
		results.forEach(({ taskId, status }, index) => {
			expect(status).toBe('completed');
			expect(prompts.get(String(taskId))).toMatchObject({ prompt: `Picture ${index}` });
		});
		const [polled] = execution.runs.Pictures ?? [];
		console.log(`20 items of ${TASK_MS} ms each took ${polled?.executionTime} ms`);
		expect(polled?.executionTime).toBeLessThan(1.5 * TASK_MS);
	}, 240_000);

	test('with every fault at once, what is charged is what was accepted, and every task is named', async () => {
		sandbox.durations.set({ image: 4_000 });
		const submit = { method: 'POST', path: '/v1/images/generations' };
		const poll = { method: 'GET', path: '/v1/tasks/*' };
		sandbox.faults.add({
			match: submit,
			nth: 2,
			effect: { type: 'status', status: 429, retryAfter: 1 },
		});
		sandbox.faults.add({ match: submit, nth: 4, effect: { type: 'status', status: 429 } });
		sandbox.faults.add({
			match: submit,
			nth: 3,
			effect: { type: 'failTask', message: 'The canvas tore' },
		});
		sandbox.faults.add({ match: submit, nth: 5, effect: { type: 'duration', ms: null } });
		sandbox.faults.add({ match: poll, nth: 2, count: 2, effect: { type: 'status', status: 500 } });
		sandbox.faults.add({ match: poll, nth: 6, count: 2, effect: { type: 'reset' } });

		const execution = await run({ options: { timeout: 15, pollInterval: 1 } }, 8);
		expect(execution.status).toBe('error');
		const { accepted, entries } = sandbox.ledger();
		const charges = entries.filter(({ type }) => type === 'charge');
		expect({ accepted, charged: charges.length }).toEqual({ accepted: 8, charged: 8 });
		const told = execution.error?.description ?? '';
		for (const { taskId } of charges) expect(told).toContain(taskId);
		expect(told).toContain('The canvas tore');
		expect(told).toContain('after 15 seconds');
	}, 120_000);

	test('running a failed execution again from the list picks up what it has bought', async () => {
		sandbox.durations.set({ image: null });
		const failed = await run({ options: { timeout: 3, pollInterval: 1 } }, 2);
		expect(failed.status).toBe('error');
		for (const { id } of sandbox.tasks.list()) sandbox.tasks.finish(id);

		const { api } = host();
		await api.call(z.unknown(), {
			method: 'POST',
			url: `/rest/executions/${failed.id}/retry`,
			data: { loadWorkflow: false },
		});
		const again = (await host().executions({ workflowId: failed.workflowId }))[0];
		expect(again?.id).not.toBe(failed.id);
		const execution = await host().waitFor(again?.id ?? '', { timeout: 60_000 });
		expect(execution.status).toBe('success');
		expect(sandbox.ledger().accepted).toBe(2);
	}, 120_000);
});
