import type { FaultRuleInput } from '../../sandbox/service';
import { runWorkflow } from './support/executions';
import { describeOnHosts } from './support/hosts';
import { READ, SUBMISSION, useSandbox } from './support/sandbox';
import { imageWorkflow } from './support/workflows';

const CREDENTIAL = 'Pipeline';

const TASK_MS = 20_000;

const FAULTS: FaultRuleInput[] = [
	{ match: SUBMISSION, nth: 2, effect: { type: 'status', status: 429, retryAfter: 1 } },
	{ match: SUBMISSION, nth: 4, effect: { type: 'status', status: 429 } },
	{ match: SUBMISSION, nth: 3, effect: { type: 'failTask', message: 'The canvas tore' } },
	{ match: SUBMISSION, nth: 5, effect: { type: 'duration', ms: null } },
	{ match: READ, nth: 2, count: 2, effect: { type: 'status', status: 500 } },
	{ match: READ, nth: 6, count: 2, effect: { type: 'reset' } },
];

describeOnHosts('A pipeline of pictures', (host) => {
	const sandbox = useSandbox(host, CREDENTIAL, { durations: { image: TASK_MS } });

	const run = async (options: object, items: number) =>
		await runWorkflow(host(), imageWorkflow(CREDENTIAL, { options }, items), { timeout: 180_000 });

	test('20 items are 20 purchases and 20 results in order, in less than one and a half tasks', async () => {
		const execution = await run({ concurrency: 10, pollInterval: 2 }, 20);
		expect(execution.status).toBe('success');
		expect(sandbox().ledger().accepted).toBe(20);

		const bodies = new Map(
			sandbox()
				.requests.list()
				.map(({ task, body }) => [task, body]),
		);
		const results = execution.json('Pictures');
		expect(results).toHaveLength(20);
		results.forEach(({ taskId, status }, index) => {
			expect(status).toBe('completed');
			expect(bodies.get(String(taskId))).toMatchObject({ prompt: `Picture ${index}` });
		});
		const [polled] = execution.runs.Pictures ?? [];
		console.log(`20 items of ${TASK_MS} ms each took ${polled?.executionTime} ms`);
		expect(polled?.executionTime).toBeLessThan(1.5 * TASK_MS);
	}, 240_000);

	test('with every fault at once, what is charged is what was accepted, and every task is named', async () => {
		sandbox().durations.set({ image: 4_000 });
		for (const fault of FAULTS) sandbox().faults.add(fault);
		const execution = await run({ timeout: 15, pollInterval: 1 }, 8);
		expect(execution.status).toBe('error');
		const { accepted, entries } = sandbox().ledger();
		const charges = entries.filter(({ type }) => type === 'charge');
		expect({ accepted, charged: charges.length }).toEqual({ accepted: 8, charged: 8 });
		const told = execution.error?.description ?? '';
		for (const { taskId } of charges) expect(told).toContain(taskId);
		expect(told).toContain('The canvas tore');
		expect(told).toContain('after 15 seconds');
	});
});
