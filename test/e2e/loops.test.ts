import type { Execution, WorkflowDefinition } from '../../sandbox/host';
import { createSandbox, type FaultRuleInput, type Sandbox } from '../../sandbox/service';
import { describeOnHosts } from './support/hosts';
import { end, type NodeJson, pictureNode, startByHand, workflow } from './support/nodes';
import { credentialFor } from './support/workflows';

const CREDENTIAL = 'Loops';

const TASK_MS = 1_000;

const submission = { method: 'POST', path: '/v1/images/generations' };

/** Items that buy the same: a loop with them sends equal requests. */
const equalRows = (count: number): NodeJson => ({
	name: 'Items',
	type: 'n8n-nodes-base.code',
	typeVersion: 2,
	parameters: {
		jsCode: `return [...Array(${count}).keys()].map(() => ({ json: { prompt: 'A lighthouse' } }));`,
	},
});

const oneByOne: NodeJson = {
	name: 'Loop',
	type: 'n8n-nodes-base.splitInBatches',
	typeVersion: 3,
	parameters: { batchSize: 1, options: {} },
};

const aSecond: NodeJson = {
	name: 'Wait',
	type: 'n8n-nodes-base.wait',
	typeVersion: 1.1,
	webhookId: 'loops-wait',
	parameters: { resume: 'timeInterval', amount: 1, unit: 'seconds' },
};

/** Passes the items of its first run on, and no others. */
const once: NodeJson = {
	name: 'Once',
	type: 'n8n-nodes-base.code',
	typeVersion: 2,
	parameters: { jsCode: 'return $runIndex === 0 ? $input.all() : [];' },
};

const loop = (parameters: object, settings: object): WorkflowDefinition =>
	workflow(
		'Rounds',
		[
			startByHand,
			equalRows(3),
			oneByOne,
			pictureNode('Pictures', CREDENTIAL, parameters, settings),
			end,
		],
		{
			Go: 'Items',
			Items: 'Loop',
			Loop: ['End', 'Pictures'],
			Pictures: 'Loop',
		},
	);

const ledBack = (parameters: object): WorkflowDefinition => {
	const pictures = pictureNode('Pictures', CREDENTIAL, parameters, {
		onError: 'continueErrorOutput',
	});
	return workflow('Led back', [startByHand, equalRows(2), pictures, once, aSecond, end], {
		Go: 'Items',
		Items: 'Pictures',
		Pictures: ['End', 'Once'],
		Once: 'Wait',
		Wait: 'Pictures',
	});
};

describeOnHosts('Rounds of a node', (host) => {
	let sandbox: Sandbox;
	beforeAll(async () => {
		sandbox = await createSandbox();
		await host().createCredential(credentialFor(sandbox, CREDENTIAL));
	});
	beforeEach(() => {
		sandbox.reset();
		sandbox.durations.set({ image: TASK_MS });
	});
	afterAll(async () => await sandbox.close());

	const run = async (definition: WorkflowDefinition): Promise<Execution> => {
		const { id } = await host().importWorkflow(definition);
		const execution = await host().run(id, { timeout: 90_000 });
		expect(execution.status).toBe('success');
		return execution;
	};

	const charges = () =>
		sandbox
			.ledger()
			.entries.filter(({ type }) => type === 'charge')
			.map(({ taskId }) => taskId);

	/** The tasks that the node gave out with a result, in all of its runs. */
	const completed = ({ runs }: Execution) =>
		(runs.Pictures ?? [])
			.flatMap(({ data }) => data?.main?.[0] ?? [])
			.flatMap(({ json }) =>
				json.status === 'completed' && json.error === undefined ? [String(json.taskId)] : [],
			);

	test.each<[string, FaultRuleInput, object]>([
		[
			'one dead link',
			{ match: { method: 'GET', path: '/files/*' }, effect: { type: 'status', status: 404 } },
			{ downloadFiles: true, options: { pollInterval: 1 } },
		],
		[
			'a task that outlasts "Timeout"',
			{ match: submission, effect: { type: 'duration', ms: null } },
			{ options: { pollInterval: 1, timeout: 4 } },
		],
		[
			'a 500 after the purchase',
			{ match: submission, effect: { type: 'status', status: 500, when: 'after' } },
			{ options: { pollInterval: 1 } },
		],
	])(
		'a loop of three equal rows, which goes on after %s in the first: three purchases, two results',
		async (_, fault, parameters) => {
			sandbox.faults.add(fault);
			const execution = await run(loop(parameters, { onError: 'continueRegularOutput' }));
			expect(charges()).toHaveLength(3);
			expect(completed(execution)).toEqual(charges().slice(1));
		},
		120_000,
	);

	test('tasks that outlast "Timeout" are taken up by the items that come back from the error output', async () => {
		sandbox.durations.set({ image: 6_000 });
		const execution = await run(ledBack({ options: { pollInterval: 1, timeout: 4 } }));
		expect(charges()).toHaveLength(2);
		expect(completed(execution).sort()).toEqual(charges().sort());
	}, 120_000);

	test('an item that may have been bought is refused when it comes back', async () => {
		sandbox.faults.add({ match: submission, effect: { type: 'reset', when: 'after' } });
		const execution = await run(ledBack({ options: { pollInterval: 1, concurrency: 1 } }));
		expect(charges()).toHaveLength(2);
		expect(completed(execution)).toEqual(charges().slice(1));
		expect(execution.json('Pictures', 1)).toEqual([
			expect.objectContaining({
				message: expect.stringContaining('may have been bought by an earlier attempt'),
			}),
		]);
	}, 120_000);
});
