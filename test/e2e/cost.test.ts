import axios from 'axios';
import { z } from 'zod/v3';

import type { Execution, Host, WorkflowDefinition } from '../../sandbox/host';
import { createSandbox, type Sandbox } from '../../sandbox/service';
import { describeOnHosts } from './support/hosts';
import {
	mediaGenApi,
	type NodeJson,
	pictureNode,
	promptItems,
	startByHand,
	workflow,
} from './support/nodes';
import { until } from './support/poll';
import { credentialFor, imageWorkflow, readExample } from './support/workflows';

const CREDENTIAL = 'Cost';

const publicExecution = z.object({
	customData: z.record(z.string()),
	data: z.object({
		resultData: z.object({
			runData: z.record(
				z.array(
					z.object({
						metadata: z.object({ tracing: z.record(z.unknown()).optional() }).optional(),
					}),
				),
			),
		}),
	}),
});

/** What n8n's public API tells of an execution. It wants a key of its own. */
async function fromApi(host: Host, { id }: Execution) {
	const key = {
		label: `Cost ${id} ${Date.now()}`,
		scopes: ['execution:read'],
		expiresAt: Math.floor(Date.now() / 1_000) + 3_600,
	};
	const { rawApiKey } = await host.api.call(z.object({ rawApiKey: z.string() }), {
		method: 'POST',
		url: '/rest/api-keys',
		data: key,
	});
	const request = {
		params: { includeData: true },
		headers: { 'X-N8N-API-KEY': rawApiKey },
		proxy: false,
	} as const;
	const answer = await axios.get<unknown>(`${host.url}/api/v1/executions/${id}`, request);
	const { customData, data } = publicExecution.parse(answer.data);
	return { customData, runs: data.resultData.runData };
}

const total = (values: readonly number[]) =>
	Number(values.reduce((sum, value) => sum + value, 0).toFixed(6));

/** Every task that any run of any node put out, as it was known last. */
function tasksOf({ runs }: Execution) {
	const items = Object.values(runs).flatMap((all) =>
		all.flatMap(({ data }) => data?.main?.flat() ?? []),
	);
	const task = z.object({
		taskId: z.string(),
		status: z.string(),
		cost: z.number().nullable(),
		family: z.string(),
	});
	return new Map(
		items.flatMap((item) => {
			const read = task.safeParse(item?.json);
			return read.success ? [[read.data.taskId, read.data] as const] : [];
		}),
	);
}

/** Gives the items of the input one at a time on output 1, and goes on on output 0 when none is left. */
const oneByOne: NodeJson = {
	name: 'One by One',
	type: 'n8n-nodes-base.splitInBatches',
	typeVersion: 3,
	parameters: { batchSize: 1, options: {} },
};

const firstItem = (name: string): NodeJson => ({
	name,
	type: 'n8n-nodes-base.limit',
	typeVersion: 1,
	parameters: { maxItems: 1 },
});

const paidNode = (name: string, type: string, parameters: object): NodeJson => ({
	name,
	type: `n8n-nodes-mediagen.${type}`,
	parameters: { downloadFiles: false, options: { pollInterval: 1 }, ...parameters },
	credentials: mediaGenApi(CREDENTIAL),
});

/** Three pictures in a loop, then a video, a picture that pauses, a grid, a sound, and a picture that is not waited for. */
function everyFamily(): WorkflowDefinition {
	const imagine = {
		resource: 'task',
		operation: 'submit',
		path: '/v1/gridart/generations/imagine',
		body: '{"prompt":"A harbour"}',
	};
	const nodes = [
		startByHand,
		promptItems(3),
		oneByOne,
		pictureNode(
			'Pictures',
			CREDENTIAL,
			{ options: { pollInterval: 1 } },
			{ onError: 'continueRegularOutput' },
		),
		firstItem('Once'),
		paidNode('Video', 'mediaGenVideo', {
			resource: 'video',
			operation: 'generate',
			prompt: 'The tide comes in',
		}),
		pictureNode('Paused', CREDENTIAL, { waitMode: 'callback', options: {} }),
		paidNode('Grid', 'mediaGenGrid', imagine),
		paidNode('Sound', 'mediaGenMusic', { resource: 'music', operation: 'sounds', prompt: 'Waves' }),
		pictureNode('Later', CREDENTIAL, { waitMode: 'none', options: {} }),
	];
	return workflow(`Every family ${Date.now()}`, nodes, {
		...{
			Go: 'Items',
			Items: 'One by One',
			'One by One': ['Once', 'Pictures'],
			Pictures: 'One by One',
		},
		...{ Once: 'Video', Video: 'Paused', Paused: 'Grid', Grid: 'Sound', Sound: 'Later' },
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
	let sandbox: Sandbox;
	beforeAll(async () => {
		sandbox = await createSandbox({ allowPrivateCallbacks: true });
		await host().createCredential(credentialFor(sandbox, CREDENTIAL));
	});
	beforeEach(() => {
		sandbox.reset();
		sandbox.durations.set({ image: 300, video: 300, grid: 300, music: 300 });
	});
	afterAll(async () => await sandbox.close());

	const waiting = async (id: string) =>
		await host().waitFor(id, { timeout: 60_000, orWaiting: true });

	async function start(definition: WorkflowDefinition): Promise<string> {
		const { id } = await host().importWorkflow(definition);
		return (await host().start(id)) ?? '';
	}

	async function run(definition: WorkflowDefinition): Promise<Execution> {
		const { id } = await host().importWorkflow(definition);
		return await host().run(id, { timeout: 120_000 });
	}

	test("four families, a loop, a failed and a paused task: custom data, outputs and the service's bill agree", async () => {
		sandbox.faults.add({
			match: { family: 'image' },
			nth: 2,
			effect: { type: 'failTask', message: 'The canvas tore' },
		});
		sandbox.faults.add({
			match: { family: 'image' },
			nth: 4,
			effect: { type: 'duration', ms: null },
		});
		const id = await start(everyFamily());
		expect((await waiting(id)).status).toBe('waiting');
		sandbox.tasks.finishAll('image');
		const execution = await host().waitFor(id, { timeout: 60_000 });
		expect(execution.error).toBeUndefined();
		expect(execution.status).toBe('success');

		const bill = sandbox.ledger();
		const tasks = [...tasksOf(execution).values()];
		expect(tasks.map(({ taskId }) => taskId).sort()).toEqual(Object.keys(bill.tasks).sort());
		const charged = (chosen: typeof tasks) =>
			total(
				chosen.map(
					({ taskId }) => (bill.tasks[taskId]?.charged ?? 0) - (bill.tasks[taskId]?.refunded ?? 0),
				),
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
	}, 120_000);

	test('n8n keeps cost and tokens of each run in its tracing metadata', async () => {
		const execution = await run(imageWorkflow(CREDENTIAL, { options: { pollInterval: 1 } }, 2));
		const [pictures] = (await fromApi(host(), execution)).runs.Pictures ?? [];
		const { netCredits } = sandbox.ledger();
		const usages = execution
			.json('Pictures')
			.map(({ usage }) =>
				z.object({ input_tokens: z.number(), output_tokens: z.number() }).parse(usage),
			);
		const input = total(usages.map((usage) => usage.input_tokens));
		const output = total(usages.map((usage) => usage.output_tokens));
		expect(pictures?.metadata?.tracing).toEqual({
			...{
				'llm.cost.total': netCredits / 1_000,
				'mediagen.credits': netCredits,
				'mediagen.tasks': 2,
				'mediagen.unpriced': 0,
			},
			...{
				'llm.tokens.in': input,
				'llm.tokens.out': output,
				'llm.tokens.total': input + output,
				'llm.tokens.estimated': false,
			},
		});
	}, 60_000);

	const goOn = { onError: 'continueRegularOutput' };

	test('the hint has cost per task, total, and the balance that was read anyway', async () => {
		sandbox.setBalance(5_000);
		const options = { pollInterval: 1, keepBalance: 1, keepBalanceUnit: 'credits', concurrency: 1 };
		const execution = await run(imageWorkflow(CREDENTIAL, { options }, 2));
		expect(execution.hints('Pictures')[0]).toBe(
			'2 tasks, cost 0.08 (0.04 per task), 80 credits, 4960 credits remained before the last purchase',
		);
	}, 60_000);

	test('Check Only lists the three mistakes of 200 rows, and sends nothing but reads', async () => {
		const mistakes = { 17: 'Number of Images', 80: 'Prompt', 199: 'Prompt' };
		const rows: NodeJson = {
			...promptItems(200),
			parameters: {
				jsCode: `return [...Array(200).keys()].map((row) => ({ json: { prompt: [80, 199].includes(row) ? '' : 'Picture ' + row, n: row === 17 ? 99 : 1 } }));`,
			},
		};
		const pictures = pictureNode('Pictures', CREDENTIAL, {
			prompt: '={{ $json.prompt }}',
			n: '={{ $json.n }}',
			options: { checkOnly: true },
		});
		const execution = await run(
			workflow(`Check ${Date.now()}`, [startByHand, rows, pictures], {
				Go: 'Items',
				Items: 'Pictures',
			}),
		);
		expect(execution.status).toBe('success');
		const checked = execution
			.json('Pictures')
			.map((json) => z.object({ problems: z.array(z.string()), tasks: z.number() }).parse(json));
		expect(checked).toHaveLength(200);
		expect(checked[0]?.tasks).toBe(197);
		expect(checked.flatMap(({ problems }) => problems)).toEqual(
			Object.entries(mistakes).map(
				([row, field]) =>
					expect.stringMatching(
						`^"${field}" .*\\[row ${Number(row) + 1} \\(item ${row}\\)\\]$`,
					) as string,
			),
		);
		expect(sandbox.requests.list().filter(({ method }) => method !== 'GET')).toEqual([]);
	}, 60_000);

	describe('Keep Balance', () => {
		const PRICE = 40;
		const keep = (concurrency: number) =>
			imageWorkflow(
				CREDENTIAL,
				{ options: { pollInterval: 1, keepBalance: 800, keepBalanceUnit: 'credits', concurrency } },
				30,
				goOn,
			);

		test.each([1, 5])(
			'with Concurrency %d is overrun by at most the purchases in flight',
			async (concurrency) => {
				sandbox.setBalance(1_000);
				await run(keep(concurrency));
				const left = 1_000 - sandbox.ledger().chargedCredits;
				expect(left).toBeLessThan(800);
				expect(left).toBeGreaterThanOrEqual(800 - concurrency * PRICE);
			},
			60_000,
		);

		test('buys nothing while the balance cannot be read', async () => {
			sandbox.faults.add({
				match: { path: '/v1/balance' },
				count: null,
				effect: { type: 'status', status: 403, message: 'No balance for you' },
			});
			const execution = await run(keep(5));
			expect(sandbox.ledger().accepted).toBe(0);
			expect(execution.json('Pictures')).toHaveLength(30);
			for (const { error } of execution.json('Pictures')) {
				expect(error).toMatchObject({
					message: expect.stringMatching(
						/the balance could not be read .*No balance for you.*, and "Keep Balance" is set/,
					),
				});
			}
		}, 60_000);
	});

	describe('200 rows with Max Tasks 20 buy 20', () => {
		const limited = (parameters: object, settings: object) =>
			imageWorkflow(
				CREDENTIAL,
				{ ...parameters, options: { pollInterval: 1, maxTasks: 20, concurrency: 20 } },
				200,
				settings,
			);

		const statuses = (execution: Execution, node = 'Pictures') =>
			(execution.runs[node] ?? [])
				.flatMap(({ data }) => data?.main?.flat() ?? [])
				.map((item) => item?.json.status);

		const ofEach = (values: unknown[]) =>
			Object.fromEntries(
				[...new Set(values)].map((value) => [
					String(value),
					values.filter((each) => each === value).length,
				]),
			);

		test('and say for each other row that it was not sent', async () => {
			const execution = await run(limited({}, goOn));
			expect(sandbox.ledger().accepted).toBe(20);
			expect(ofEach(statuses(execution))).toEqual({ completed: 20, 'not submitted': 180 });
			expect((await fromApi(host(), execution)).customData).toMatchObject({ mediagen_tasks: '20' });
		}, 120_000);

		test('with On Error: Stop Workflow and Retry On Fail: what was bought comes out', async () => {
			const execution = await run(
				limited({}, { retryOnFail: true, maxTries: 3, waitBetweenTries: 100 }),
			);
			expect(execution.status).toBe('success');
			expect(sandbox.ledger().accepted).toBe(20);
			expect(ofEach(statuses(execution))).toEqual({ completed: 20 });
			const [first] = execution.json('Pictures');
			expect(first?.notes).toEqual([
				expect.stringContaining(
					'Rows 21 to 200 (items 20 to 199): not submitted, because "Max Tasks" is 20.',
				),
			]);
			expect((await fromApi(host(), execution)).customData).toMatchObject({
				mediagen_tasks: '20',
				mediagen_left_out: '180',
			});
		}, 120_000);

		test('across pauses, in a loop of 15 rows each', async () => {
			sandbox.durations.set({ image: null });
			const batches = { ...oneByOne, parameters: { batchSize: 15, options: {} } };
			const pictures = pictureNode(
				'Pictures',
				CREDENTIAL,
				{ waitMode: 'callback', options: { maxTasks: 20, concurrency: 20 } },
				goOn,
			);
			const links = {
				Go: 'Items',
				Items: 'One by One',
				'One by One': ['Done', 'Pictures'],
				Pictures: 'One by One',
			};
			const id = await start(
				workflow(
					`Batches ${Date.now()}`,
					[startByHand, promptItems(200), batches, pictures, firstItem('Done')],
					links,
				),
			);
			for (const boughtSoFar of [15, 20]) {
				expect(
					await until(
						() => sandbox.ledger().accepted,
						(accepted) => accepted >= boughtSoFar,
					),
				).toBe(boughtSoFar);
				expect((await waiting(id)).status).toBe('waiting');
				sandbox.tasks.finishAll('image');
			}
			const execution = await host().waitFor(id, { timeout: 60_000 });
			expect(execution.status).toBe('success');
			expect(sandbox.ledger().accepted).toBe(20);
			expect(ofEach(statuses(execution))).toEqual({ completed: 20, 'not submitted': 180 });
		}, 180_000);
	});

	describe('The templates, activated', () => {
		/** Imports a template with a schedule of one second, activates it, and deactivates it when `during` has ended. */
		async function activated(name: string, during: (id: string) => Promise<void>): Promise<void> {
			const template = templateSchema.parse(readExample(name));
			const rule = { interval: [{ field: 'seconds', secondsInterval: 1 }] };
			const nodes = template.nodes.map((node) => ({
				...node,
				...(node.type.endsWith('scheduleTrigger') ? { parameters: { rule } } : {}),
				...(node.credentials ? { credentials: mediaGenApi(CREDENTIAL) } : {}),
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
		async function outputs(id: string, node: string): Promise<Array<Record<string, unknown>>> {
			const ended = (
				await host().executions({ workflowId: id, status: ['success', 'error'] })
			).reverse();
			return (
				await Promise.all(ended.map(async (each) => await host().execution(each.id)))
			).flatMap((execution) => execution.json(node));
		}

		test('a report tells what was spent since the last one, over all reports as much as was charged', async () => {
			await activated('daily-spending-report', async (id) => {
				const reports = async () => await outputs(id, 'Spent Since Yesterday');
				const [first] = await until(reports, ({ length }) => length > 0);
				expect(first).toMatchObject({ firstRun: true, spent: null });
				await run(imageWorkflow(CREDENTIAL, { options: { pollInterval: 1 } }, 3));
				const { netCredits } = sandbox.ledger();
				const spent = (all: Array<Record<string, unknown>>) =>
					total(all.map(({ spentCredits }) => Number(spentCredits ?? 0)));
				const all = await until(reports, (found) => spent(found) >= netCredits);
				expect(spent(all)).toBe(netCredits);
				const texts = (await outputs(id, 'Message')).map(({ text }) => text);
				expect(texts).toContainEqual(
					expect.stringMatching(/^Since \d+ \w+, \d\d:\d\d: 0\.\d+ \(\d+ credits\)\. Remaining: /),
				);
			});
		}, 90_000);

		test('an alert comes once per crossing', async () => {
			await activated('low-balance-alert', async (id) => {
				const runs = async () =>
					(await host().executions({ workflowId: id, status: ['success', 'error'] })).length;
				const seen = async () => [
					(await outputs(id, 'Enough Again')).length,
					(await outputs(id, 'Alert')).length,
				];
				const afterThreeRuns = async () => {
					const before = await runs();
					await until(runs, (count) => count >= before + 3);
					return await seen();
				};
				const crossings: number[][] = [];
				for (const credits of [20_000, 4_000, 3_000, 5_000]) {
					sandbox.setBalance(credits);
					crossings.push(await afterThreeRuns());
				}
				expect(crossings).toEqual([
					[1, 0],
					[1, 1],
					[1, 1],
					[2, 1],
				]);
			});
		}, 120_000);
	});
});
