import axios from 'axios';
import { z } from 'zod/v3';

import type { Execution, Host, NodeRun, WorkflowDefinition } from '../../sandbox/host';
import { tally } from '../support/tally';
import { runWorkflow } from './support/executions';
import { describeOnHosts } from './support/hosts';
import {
	loopOver,
	mediaGen,
	mediaGenApi,
	type NodeJson,
	pictureNode,
	promptItems,
	startByHand,
	workflow,
} from './support/nodes';
import { until } from './support/poll';
import { SUBMISSION, useSandbox } from './support/sandbox';
import { imageWorkflow, readExample } from './support/workflows';

const CREDENTIAL = 'Cost';

const goOn = { onError: 'continueRegularOutput' };

const publicRun = z.object({
	metadata: z.object({ tracing: z.record(z.unknown()).optional() }).optional(),
});

const publicExecution = z.object({
	customData: z.record(z.string()),
	data: z.object({ resultData: z.object({ runData: z.record(z.array(publicRun)) }) }),
});

/** What n8n's public API tells of an execution. It wants a key of its own. */
async function fromApi(host: Host, { id }: Execution) {
	const expiresAt = Math.floor(Date.now() / 1_000) + 3_600;
	const { rawApiKey } = await host.api.call(z.object({ rawApiKey: z.string() }), {
		method: 'POST',
		url: '/rest/api-keys',
		data: { label: `Cost ${id} ${Date.now()}`, scopes: ['execution:read'], expiresAt },
	});
	const answer = await axios.get<unknown>(`${host.url}/api/v1/executions/${id}`, {
		params: { includeData: true },
		headers: { 'X-N8N-API-KEY': rawApiKey },
		proxy: false,
	});
	const { customData, data } = publicExecution.parse(answer.data);
	return { customData, runs: data.resultData.runData };
}

const total = (values: readonly number[]) =>
	Number(values.reduce((sum, value) => sum + value, 0).toFixed(6));

const taskSchema = z.object({
	taskId: z.string(),
	status: z.string(),
	cost: z.number().nullable(),
	family: z.string(),
});

/** The items that all runs of a node put out, on all of its outputs. */
const itemsOfRuns = (runs: NodeRun[] = []): Array<Record<string, unknown>> =>
	runs.flatMap(({ data }) => data?.main?.flat() ?? []).flatMap((item) => (item ? [item.json] : []));

/** Every task that any run of any node put out, as it was known last. */
function tasksOf({ runs }: Execution) {
	const read = Object.values(runs)
		.flatMap((all) => itemsOfRuns(all))
		.flatMap((json) => taskSchema.safeParse(json).data ?? []);
	return [...new Map(read.map((task) => [task.taskId, task])).values()];
}

const firstItem = (name: string): NodeJson => ({
	name,
	type: 'n8n-nodes-base.limit',
	parameters: { maxItems: 1 },
});

const paidNode = (name: string, type: string, parameters: object) =>
	mediaGen(name, type, CREDENTIAL, {
		downloadFiles: false,
		options: { pollInterval: 1 },
		...parameters,
	});

/** Three pictures in a loop, then a video, a picture that pauses, a grid, a sound, and a picture that is not waited for. */
function everyFamily(): WorkflowDefinition {
	const video = { resource: 'video', operation: 'generate', prompt: 'The tide comes in' };
	const path = '/v1/gridart/generations/imagine';
	const imagine = {
		resource: 'task',
		operation: 'submit',
		path,
		bodyType: 'json',
		body: '{"prompt":"A harbour"}',
	};
	const sound = { resource: 'music', operation: 'sounds', prompt: 'Waves' };
	const nodes = [
		startByHand,
		promptItems(3),
		loopOver('One by One'),
		pictureNode('Pictures', CREDENTIAL, { options: { pollInterval: 1 } }, goOn),
		firstItem('Once'),
		paidNode('Video', 'mediaGenVideo', video),
		pictureNode('Paused', CREDENTIAL, { waitMode: 'callback', options: {} }),
		paidNode('Grid', 'mediaGenGrid', imagine),
		paidNode('Sound', 'mediaGenMusic', sound),
		pictureNode('Later', CREDENTIAL, { waitMode: 'none', options: {} }),
	];
	return workflow(`Every family ${Date.now()}`, nodes, {
		...{ Go: 'Items', Items: 'One by One', 'One by One': ['Once', 'Pictures'] },
		...{ Pictures: 'One by One', Once: 'Video', Video: 'Paused', Paused: 'Grid' },
		...{ Grid: 'Sound', Sound: 'Later' },
	});
}

const templateSchema = z.object({
	name: z.string(),
	nodes: z.array(
		z.object({ type: z.string(), name: z.string(), credentials: z.unknown() }).passthrough(),
	),
	connections: z.record(z.unknown()),
});

describeOnHosts('The cost of an execution', (host) => {
	const sandbox = useSandbox(host, CREDENTIAL, {
		durations: { image: 300, video: 300, grid: 300, music: 300 },
	});

	const waiting = async (id: string) =>
		await host().waitFor(id, { timeout: 60_000, orWaiting: true });

	async function start(definition: WorkflowDefinition): Promise<string> {
		const { id } = await host().importWorkflow(definition);
		return (await host().start(id)) ?? '';
	}

	const run = async (definition: WorkflowDefinition) => await runWorkflow(host(), definition);

	test("four families, a loop, a failed and a paused task: custom data, outputs and the service's bill agree", async () => {
		const [tears, lasts] = [
			{ type: 'failTask', message: 'The canvas tore' } as const,
			{ type: 'duration', ms: null } as const,
		];
		sandbox().faults.add({ match: SUBMISSION, nth: 2, effect: tears });
		sandbox().faults.add({ match: SUBMISSION, nth: 4, effect: lasts });
		const id = await start(everyFamily());
		expect((await waiting(id)).status).toBe('waiting');
		sandbox().tasks.finishAll('image');
		const execution = await host().waitFor(id, { timeout: 120_000 });
		expect(execution.error).toBeUndefined();
		expect(execution.status).toBe('success');

		const bill = sandbox().ledger();
		const tasks = tasksOf(execution);
		expect(tasks.map(({ taskId }) => taskId).sort()).toEqual(Object.keys(bill.tasks).sort());
		const charged = (chosen: typeof tasks) =>
			total(
				chosen.map(({ taskId }) => {
					const { charged: paid = 0, refunded = 0 } = bill.tasks[taskId] ?? {};
					return paid - refunded;
				}),
			);

		const priced = tasks.filter(({ cost }) => cost !== null);
		const failed = tasks.filter(({ status }) => status === 'failed');
		const open = tasks.filter(({ status }) => status === 'submitted');
		const unpriced = tasks.filter(({ status, cost }) => status === 'completed' && cost === null);
		expect(priced.map(({ family }) => family).sort()).toEqual(['image', 'image', 'image', 'video']);
		expect(unpriced.map(({ family }) => family).sort()).toEqual(['grid', 'music']);
		expect([failed.length, open.length]).toEqual([1, 1]);
		expect(charged(failed)).toBe(0);
		expect(charged(open)).toBeGreaterThan(0);

		const cost = total(priced.flatMap((task) => task.cost ?? []));
		expect(cost).toBe(charged(priced) / 1_000);
		expect(charged(priced)).toBe(bill.netCredits - charged(unpriced) - charged(open));
		expect((await fromApi(host(), execution)).customData).toEqual({
			mediagen_tasks: String(bill.accepted),
			mediagen_cost: String(cost),
			mediagen_credits: String(charged(priced)),
			mediagen_unpriced: '2',
		});
		expect(bill.accepted).toBe(8);
	});

	test('n8n keeps cost and tokens of each run in its tracing metadata', async () => {
		const execution = await run(imageWorkflow(CREDENTIAL, { options: { pollInterval: 1 } }, 2));
		const [pictures] = (await fromApi(host(), execution)).runs.Pictures ?? [];
		const { netCredits } = sandbox().ledger();
		const schema = z.object({ input_tokens: z.number(), output_tokens: z.number() });
		const usages = execution.json('Pictures').map(({ usage }) => schema.parse(usage));
		const input = total(usages.map((usage) => usage.input_tokens));
		const output = total(usages.map((usage) => usage.output_tokens));
		expect(pictures?.metadata?.tracing).toEqual({
			'llm.cost.total': netCredits / 1_000,
			'mediagen.credits': netCredits,
			'mediagen.tasks': 2,
			'mediagen.unpriced': 0,
			'llm.tokens.in': input,
			'llm.tokens.out': output,
			'llm.tokens.total': input + output,
			'llm.tokens.estimated': false,
		});
	});

	test('the hint has cost per task, total, and the balance that was read anyway', async () => {
		sandbox().setBalance(5_000);
		const options = { pollInterval: 1, keepBalance: 1, keepBalanceUnit: 'credits', concurrency: 1 };
		const execution = await run(imageWorkflow(CREDENTIAL, { options }, 2));
		expect(execution.hints('Pictures')[0]).toBe(
			'2 tasks, cost 0.08 (0.04 per task), 80 credits, 4960 credits remained before the last purchase',
		);
	});

	test('200 rows with Max Tasks 20 buy 20 across pauses, in a loop of 15 rows each', async () => {
		sandbox().durations.set({ image: null });
		const paused = { waitMode: 'callback', options: { maxTasks: 20, concurrency: 20 } };
		const nodes = [
			startByHand,
			promptItems(200),
			loopOver('Batches', 15),
			pictureNode('Pictures', CREDENTIAL, paused, goOn),
			firstItem('Done'),
		];
		const id = await start(
			workflow(`Batches ${Date.now()}`, nodes, {
				Go: 'Items',
				Items: 'Batches',
				Batches: ['Done', 'Pictures'],
				Pictures: 'Batches',
			}),
		);
		const accepted = () => sandbox().ledger().accepted;
		for (const boughtSoFar of [15, 20]) {
			expect(await until(accepted, (count) => count >= boughtSoFar, 120_000)).toBe(boughtSoFar);
			expect((await waiting(id)).status).toBe('waiting');
			sandbox().tasks.finishAll('image');
		}
		const execution = await host().waitFor(id, { timeout: 120_000 });
		expect(execution.status).toBe('success');
		expect(accepted()).toBe(20);
		const statuses = itemsOfRuns(execution.runs.Pictures).map(({ status }) => status);
		expect(tally(statuses)).toEqual({ completed: 20, 'not submitted': 180 });
	});

	describe('The templates, activated', () => {
		/** Imports a template with a schedule of a few seconds, activates it, and deactivates it when `during` has ended. */
		async function activated(name: string, during: (id: string) => Promise<void>): Promise<void> {
			const template = templateSchema.parse(readExample(name));
			// n8n reads what a node remembers when an execution begins: two at once would both report the same.
			const rule = { interval: [{ field: 'seconds', secondsInterval: 15 }] };
			const nodes = template.nodes.map((node) => ({
				...node,
				...(node.type.endsWith('scheduleTrigger') && { parameters: { rule } }),
				...(Boolean(node.credentials) && { credentials: mediaGenApi(CREDENTIAL) }),
			}));
			const { id } = await host().importWorkflow({ ...template, nodes });
			await host().activate(id);
			try {
				await during(id);
			} finally {
				await host().deactivate(id);
			}
		}

		/** What the node put out in all executions that have ended, the oldest first. */
		async function outputs(workflowId: string, node: string) {
			const ended = await host().executions({ workflowId, status: ['success', 'error'] });
			const whole = await Promise.all(ended.map(async ({ id }) => await host().execution(id)));
			return whole.reverse().flatMap((execution) => execution.json(node));
		}

		test('a report tells what was spent since the last one, over all reports as much as was charged', async () => {
			await activated('daily-spending-report', async (id) => {
				const reports = async () => await outputs(id, 'Spent Since Yesterday');
				// n8n begins its schedules late where the machine has other work.
				const [first] = await until(reports, ({ length }) => length > 0, 240_000);
				expect(first).toMatchObject({ firstRun: true, spent: null });
				await run(imageWorkflow(CREDENTIAL, { options: { pollInterval: 1 } }, 3));
				const { netCredits } = sandbox().ledger();
				const spent = (all: Array<Record<string, unknown>>) =>
					total(all.map(({ spentCredits }) => Number(spentCredits ?? 0)));
				const all = await until(reports, (found) => spent(found) >= netCredits, 240_000);
				expect(spent(all)).toBe(netCredits);
				const texts = (await outputs(id, 'Message')).map(({ text }) => text);
				expect(texts).toContainEqual(
					expect.stringMatching(/^Since \d+ \w+, \d\d:\d\d: 0\.\d+ \(\d+ credits\)\. Remaining: /),
				);
			});
		});

		test('an alert comes once per crossing', async () => {
			await activated('low-balance-alert', async (id) => {
				const runs = async () =>
					(await host().executions({ workflowId: id, status: ['success', 'error'] })).length;
				const seen = async () => [
					(await outputs(id, 'Enough Again')).length,
					(await outputs(id, 'Alert')).length,
				];
				const afterTwoRuns = async () => {
					const before = await runs();
					await until(runs, (count) => count >= before + 2, 240_000);
					return await seen();
				};
				const crossings: number[][] = [];
				for (const credits of [20_000, 4_000, 3_000, 5_000]) {
					sandbox().setBalance(credits);
					crossings.push(await afterTwoRuns());
				}
				expect(crossings).toEqual([
					[1, 0],
					[1, 1],
					[1, 1],
					[2, 1],
				]);
			});
		});
	});
});
