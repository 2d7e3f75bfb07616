import { randomUUID } from 'node:crypto';
import type { Execution } from '../../sandbox/host';
import { report } from './callbacks/report';
import { callWebhook, killAndRestart, listenWith, retry } from './support/executions';
import { describeLongWithOwnHosts, useHost } from './support/hosts';
import { chain, end, pictureNode, startByWebhook } from './support/nodes';
import { eventually, readUntil } from './support/poll';
import { pictureSubmissions, READ, useSandbox } from './support/sandbox';

const CREDENTIAL = 'Sandbox';

const picture = (name: string, parameters: object = {}) =>
	pictureNode(name, CREDENTIAL, parameters);

/** What an end of an execution keeps of its task: the table of docs/money.md. */
interface Kept {
	/** Whether the execution, as the editor and the API show it, names the task. */
	named: boolean;
	/** Purchases in all after a retry by the API. */
	boughtAfterRetry: number;
	/** Whether the retry has the first task. */
	continued: boolean;
}

describeLongWithOwnHosts('What an end of an execution keeps', '1.123', (version, start) => {
	const host = useHost(start);
	const sandbox = useSandbox(host, CREDENTIAL, { durations: { image: null } });

	/** Tasks in the order in which they were bought. */
	const bought = () => pictureSubmissions(sandbox()).map(({ taskId }) => taskId);

	const untilBought = async (count: number) =>
		expect(await readUntil(() => bought().length, count, 60_000)).toBe(count);

	/** Starts a workflow of these nodes, and waits for the first purchase. Returns the execution's id. */
	async function begin(nodes = [picture('Picture')], settings: object = {}): Promise<string> {
		const path = randomUUID();
		const all = [startByWebhook(path), ...nodes, end];
		const { id, url } = await listenWith(host(), chain(`Ends ${path}`, all, settings));
		await callWebhook(url);
		await untilBought(1);
		return (await host().executions({ workflowId: id }))[0]?.id ?? '';
	}

	const ended = async (id: string): Promise<Execution> =>
		await eventually('the end of the execution', async () => {
			const execution = await host().execution(id);
			return ['success', 'error', 'canceled', 'crashed'].includes(execution.status) && execution;
		});

	/** Retries an execution as n8n's API does, with tasks that end at once, and tells what there is then. */
	async function keptOf(title: string, execution: Execution, loadWorkflow = false): Promise<Kept> {
		const [first = 'no task'] = bought();
		const named = JSON.stringify([execution.runs, execution.error]).includes(first);
		for (const taskId of bought()) sandbox().tasks.finish(taskId);
		sandbox().durations.set({ image: 0 });
		await retry(host(), execution, loadWorkflow);
		const [latest] = await host().executions({ workflowId: execution.workflowId });
		expect(latest?.id).not.toBe(execution.id);
		const again = await ended(latest?.id ?? '');
		const continued = JSON.stringify(again.runs).includes(first);
		report(`${title}, n8n ${version}`, {
			status: execution.status,
			named: String(named),
			'bought after a retry': bought().length,
			continued: String(continued),
			'the retry': `${again.status} ${again.error?.message ?? ''}`,
		});
		return { named, boughtAfterRetry: bought().length, continued };
	}

	test('error: it names the task, and a retry continues it and buys nothing', async () => {
		const execution = await ended(await begin([picture('Picture', { options: { timeout: 2 } })]));
		expect(execution.status).toBe('error');
		const kept = { named: true, boughtAfterRetry: 1, continued: true };
		expect(await keptOf('Error', execution)).toEqual(kept);
	});

	test('Stop', async () => {
		const id = await begin();
		const reads = () => sandbox().requests.list({ method: 'GET', path: '/v1/tasks' }).length;
		await eventually('a read of the task', () => reads() > 0);
		await host().stopExecution(id);
		const execution = await ended(id);
		expect(execution.status).toBe('canceled');
		const kept = await keptOf('Stop', execution);
		expect(kept.named).toBe(false);
		// n8n 1.123 calls such a retry a success and runs nothing, unless the node's own end came
		// first into what n8n stored: then it buys again.
		expect(version === '1.123' ? [1, 2] : [2]).toContain(kept.boughtAfterRetry);
	});

	test.each([
		['between two looks at the task', undefined],
		['during a look at the task', { type: 'hang' } as const],
	])(
		"the workflow's timeout %s: the log names the task, and a retry buys nothing",
		async (when, effect) => {
			if (effect) sandbox().faults.add({ match: READ, effect });
			const { mark } = host().log;
			const execution = await ended(await begin(undefined, { executionTimeout: 3 }));
			expect(host().log.since(mark).join('\n')).toContain(bought()[0]);
			expect(await keptOf(`Timeout ${when}`, execution)).toEqual({
				named: version !== '1.123',
				boughtAfterRetry: 1,
				continued: version !== '1.123',
			});
		},
	);

	test('a kill while the node polls', async () => {
		const id = await begin();
		await killAndRestart(host());
		const execution = await ended(id);
		expect(execution.status).toBe('crashed');
		const kept = { named: false, boughtAfterRetry: 2, continued: false };
		expect(await keptOf('Kill', execution)).toEqual(kept);
	});

	test('a kill in a node behind a pause: a retry with the workflow of now buys nothing of the paused node', async () => {
		// The retry runs the node on its own output, which has no body.
		const prompt = '={{ $json.body ? "A pier" : "Nothing" }}';
		const nodes = [picture('First', { waitMode: 'callback', prompt }), picture('Second')];
		const id = await begin(nodes);
		await eventually('the pause', async () => (await host().execution(id)).status === 'waiting');
		sandbox().tasks.finish(bought()[0] ?? '');
		await untilBought(2);
		await killAndRestart(host());
		const { boughtAfterRetry, continued } = await keptOf(
			'Kill behind a pause',
			await ended(id),
			true,
		);
		expect({ boughtAfterRetry, continued }).toEqual({ boughtAfterRetry: 3, continued: true });
		expect(JSON.stringify(pictureSubmissions(sandbox()))).not.toContain('Nothing');
	});

	test.each([
		['saved', true, { named: true, boughtAfterRetry: 3, continued: true }],
		['not saved', false, { named: false, boughtAfterRetry: 4, continued: false }],
	])(
		'a kill after a node has ended and while the next one polls, with the progress %s',
		async (what, saveExecutionProgress, kept) => {
			const id = await begin([picture('First'), picture('Second')], { saveExecutionProgress });
			sandbox().tasks.finish(bought()[0] ?? '');
			await untilBought(2);
			await killAndRestart(host());
			expect(await keptOf(`Kill, progress ${what}`, await ended(id))).toEqual(kept);
		},
	);
});
