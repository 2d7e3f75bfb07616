import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import sharp from 'sharp';
import { z } from 'zod/v3';

import { createSandbox, type Sandbox } from '../../sandbox/service';
import { describeOnHosts } from './support/hosts';
import { credentialFor, EXAMPLE_CREDENTIAL, imageWorkflow } from './support/workflows';

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
		const workflow = await host().importWorkflow(imageWorkflow('Pipeline', parameters, items, node));
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
		sandbox.faults.add({ match: submit, nth: 2, effect: { type: 'status', status: 429, retryAfter: 1 } });
		sandbox.faults.add({ match: submit, nth: 4, effect: { type: 'status', status: 429 } });
		sandbox.faults.add({ match: submit, nth: 3, effect: { type: 'failTask', message: 'The canvas tore' } });
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

	test('Retry On Fail buys nothing twice, and does not run a node again that went well', async () => {
		sandbox.durations.set({ image: 1_000 });
		sandbox.faults.add({ match: { method: 'POST' }, nth: 2, effect: { type: 'failTask', message: 'The canvas tore' } });
		const retry = { retryOnFail: true, maxTries: 3, waitBetweenTries: 100 };
		const execution = await run({ options: { concurrency: 1 } }, 3, retry);
		expect(execution.json('Pictures').map(({ status }) => status)).toEqual(['completed', 'completed', 'completed']);
		expect(sandbox.ledger().accepted).toBe(4);
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

	test('the example makes two pictures of an uploaded one and keeps them as files', async () => {
		sandbox.durations.set({ image: 1_000 });
		await host().putCredential(credentialFor(sandbox, EXAMPLE_CREDENTIAL));
		const example: unknown = JSON.parse(readFileSync(join(__dirname, '../../examples/first-pipeline.json'), 'utf8'));
		const workflow = await host().importWorkflow(example);
		const execution = await host().run(workflow.id, { timeout: 60_000 });
		expect(execution.status).toBe('success');
		const files = Object.values(execution.runs)
			.flatMap((runs) => runs.flatMap(({ data }) => data?.main?.[0] ?? []))
			.flatMap(({ json, binary }) => (json.kind === 'image' ? Object.values(binary ?? {}) : []));
		expect(files.length).toBeGreaterThanOrEqual(2);
		for (const { id } of files.slice(0, 2)) {
			const { data } = await host().binary(id ?? '');
			expect((await sharp(data).metadata()).width).toBeGreaterThan(0);
		}
	}, 120_000);
});
