import { randomUUID } from 'node:crypto';
import axios from 'axios';
import type { Execution, Host } from '../../sandbox/host';
import { createSandbox, type Sandbox } from '../../sandbox/service';
import { report } from './callbacks/report';
import { pausing } from './callbacks/pausing';
import { untilRecovered } from './callbacks/recovered';
import { describeWithOwnHosts } from './support/hosts';
import { end, type NodeJson, pictureNode, startByWebhook, workflow } from './support/nodes';
import { credentialFor } from './support/workflows';

const CREDENTIAL = 'Sandbox';

/** What an end of an execution keeps of its task: the table of docs/money.md. */
interface Kept {
	/** Whether the execution, as the editor and the API show it, names the task. */
	named: boolean;
	/** Purchases in all after a retry by the API. */
	boughtAfterRetry: number;
	/** Whether the retry has the first task. */
	continued: boolean;
}

describeWithOwnHosts('What an end of an execution keeps', (version, start) => {
	let host: Host;
	let sandbox: Sandbox;

	beforeAll(async () => {
		sandbox = await createSandbox({ allowPrivateCallbacks: true });
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

	const { until } = pausing(
		() => host,
		() => sandbox,
		CREDENTIAL,
	);

	/** Tasks in the order in which they were bought. */
	const bought = () =>
		sandbox.requests
			.list({ method: 'POST', path: '/v1/images' })
			.flatMap(({ task }) => (task === null ? [] : [String(task)]));

	const ENDED = ['success', 'error', 'canceled', 'crashed'];

	/** Starts a workflow of these nodes and waits for so many purchases. */
	async function begin(
		nodes: NodeJson[],
		purchases: number,
		settings: object = {},
	): Promise<{ workflowId: string; id: string }> {
		const path = randomUUID();
		const chain = [startByWebhook(path), ...nodes, end];
		const links = Object.fromEntries(
			chain.slice(1).map(({ name }, at) => [chain[at]?.name ?? '', name]),
		);
		const definition = workflow(`Ends ${path}`, chain, links);
		const { id: workflowId } = await host.importWorkflow({
			...definition,
			settings: { ...definition.settings, ...settings },
		});
		await host.activate(workflowId);
		await axios.post(`${host.url}/webhook/${path}`, {}, { proxy: false });
		await until('the purchase', () => (bought().length === purchases ? true : undefined));
		const [execution] = await host.executions({ workflowId });
		return { workflowId, id: execution?.id ?? '' };
	}

	async function ended(id: string): Promise<Execution> {
		return await until('the end of the execution', async () => {
			const execution = await host.execution(id);
			return ENDED.includes(execution.status) ? execution : undefined;
		});
	}

	/** Retries an execution as n8n's API does, with tasks that end at once, and tells what there is then. */
	async function keptOf(title: string, workflowId: string, execution: Execution): Promise<Kept> {
		const [first] = bought();
		const named = JSON.stringify([execution.runs, execution.error]).includes(first ?? 'no task');
		for (const taskId of bought()) sandbox.tasks.finish(taskId);
		sandbox.durations.set({ image: 0 });
		const { status } = await host.api.raw.post(`/rest/executions/${execution.id}/retry`, {
			loadWorkflow: false,
		});
		const [latest] = await host.executions({ workflowId });
		const retried = latest !== undefined && latest.id !== execution.id;
		expect([status, retried]).toEqual([200, true]);
		const again = await ended(latest?.id ?? '');
		const continued = JSON.stringify(again.runs).includes(first ?? 'no task');
		report(`${title}, n8n ${version}`, {
			status: execution.status,
			named: String(named),
			'bought after a retry': bought().length,
			continued: String(continued),
			'the retry': `${again.status} ${again.error?.message ?? ''}`,
		});
		return { named, boughtAfterRetry: bought().length, continued };
	}

	async function killAndRestart(): Promise<void> {
		const mark = host.log.mark;
		await host.kill();
		await host.restart();
		await untilRecovered(host, mark);
	}

	const picture = (name: string, parameters: object = {}) =>
		pictureNode(name, CREDENTIAL, parameters);

	test('error', async () => {
		const { id, workflowId } = await begin([picture('Picture', { options: { timeout: 2 } })], 1);
		const execution = await ended(id);
		expect(execution.status).toBe('error');
		expect(await keptOf('Error', workflowId, execution)).toEqual({
			named: true,
			boughtAfterRetry: 1,
			continued: true,
		});
	}, 60_000);

	test('Stop', async () => {
		const { id, workflowId } = await begin([picture('Picture')], 1);
		const looks = () => sandbox.requests.list({ method: 'GET', path: '/v1/tasks' }).length;
		await until('a look at the task', () => (looks() > 0 ? true : undefined));
		await host.stopExecution(id);
		const execution = await ended(id);
		expect(execution.status).toBe('canceled');
		const kept = await keptOf('Stop', workflowId, execution);
		expect(kept.named).toBe(false);
		// n8n 1.123 calls such a retry a success and runs nothing, unless the node's own end came
		// first into what n8n stored: then it buys again.
		expect(version === '1.123' ? [1, 2] : [2]).toContain(kept.boughtAfterRetry);
	}, 60_000);

	describe.each([
		['between two looks at the task', undefined],
		['during a look at the task', { type: 'hang' } as const],
	])("the workflow's timeout %s", (when, effect) => {
		test('the log names the task, and a retry buys nothing', async () => {
			if (effect) sandbox.faults.add({ match: { method: 'GET', path: '/v1/tasks/*' }, effect });
			const mark = host.log.mark;
			const { id, workflowId } = await begin([picture('Picture')], 1, { executionTimeout: 3 });
			const execution = await ended(id);
			expect(host.log.since(mark).join('\n')).toContain(bought()[0]);
			expect(await keptOf(`Timeout ${when}`, workflowId, execution)).toEqual({
				named: version !== '1.123',
				boughtAfterRetry: 1,
				continued: version !== '1.123',
			});
		}, 60_000);
	});

	test('a kill while the node polls', async () => {
		const { id, workflowId } = await begin([picture('Picture')], 1);
		await killAndRestart();
		const execution = await ended(id);
		expect(execution.status).toBe('crashed');
		expect(await keptOf('Kill', workflowId, execution)).toEqual({
			named: false,
			boughtAfterRetry: 2,
			continued: false,
		});
	}, 120_000);

	test.each([
		['saved', true, { named: true, boughtAfterRetry: 3, continued: true }],
		['not saved', false, { named: false, boughtAfterRetry: 4, continued: false }],
	])(
		'a kill after a node has ended and while the next one polls, with the progress %s',
		async (what, saveExecutionProgress, kept) => {
			const { id, workflowId } = await begin([picture('First'), picture('Second')], 1, {
				saveExecutionProgress,
			});
			sandbox.tasks.finish(bought()[0] ?? '');
			await until('the second purchase', () => (bought().length === 2 ? true : undefined));
			await killAndRestart();
			const execution = await ended(id);
			expect(await keptOf(`Kill, progress ${what}`, workflowId, execution)).toEqual(kept);
		},
		120_000,
	);
});
