import type { Execution, WorkflowDefinition } from '../../sandbox/host';
import { runWorkflow } from './support/executions';
import { describeOnHosts } from './support/hosts';
import {
	code,
	end,
	itemsOf,
	loopOver,
	type NodeJson,
	pictureNode,
	startByHand,
	workflow,
} from './support/nodes';
import { useSandbox } from './support/sandbox';

const CREDENTIAL = 'Loops';

/** Items that buy the same: a loop with them sends equal requests. */
const equalRows = (count: number) =>
	itemsOf(`[...Array(${count}).keys()].map(() => ({ prompt: 'A lighthouse' }))`);

const aSecond: NodeJson = {
	name: 'Wait',
	type: 'n8n-nodes-base.wait',
	typeVersion: 1.1,
	webhookId: 'loops-wait',
	parameters: { resume: 'timeInterval', amount: 1, unit: 'seconds' },
};

/** Passes the items of its first run on, and no others. */
const once = code('Once', 'return $runIndex === 0 ? $input.all() : [];');

const loop = (parameters: object): WorkflowDefinition => {
	const settings = { onError: 'continueRegularOutput' };
	const pictures = pictureNode('Pictures', CREDENTIAL, parameters, settings);
	return workflow('Rounds', [startByHand, equalRows(3), loopOver('Loop'), pictures, end], {
		Go: 'Items',
		Items: 'Loop',
		Loop: ['End', 'Pictures'],
		Pictures: 'Loop',
	});
};

const ledBack = (parameters: object): WorkflowDefinition => {
	const settings = { onError: 'continueErrorOutput' };
	const pictures = pictureNode('Pictures', CREDENTIAL, parameters, settings);
	return workflow('Led back', [startByHand, equalRows(2), pictures, once, aSecond, end], {
		Go: 'Items',
		Items: 'Pictures',
		Pictures: ['End', 'Once'],
		Once: 'Wait',
		Wait: 'Pictures',
	});
};

describeOnHosts('Rounds of a node', (host) => {
	const sandbox = useSandbox(host, CREDENTIAL, { durations: { image: 1_000 } });

	const run = async (definition: WorkflowDefinition): Promise<Execution> => {
		const execution = await runWorkflow(host(), definition, { timeout: 90_000 });
		expect(execution.status).toBe('success');
		return execution;
	};

	const charges = () =>
		sandbox()
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

	test('a loop of three equal rows, which goes on after one dead link in the first: three purchases, two results', async () => {
		// A dead link is tried a second time.
		sandbox().faults.add({
			count: 2,
			match: { method: 'GET', path: '/files/*' },
			effect: { type: 'status', status: 404 },
		});
		const execution = await run(loop({ downloadFiles: true, options: { pollInterval: 1 } }));
		expect(charges()).toHaveLength(3);
		expect(completed(execution)).toEqual(charges().slice(1));
	});

	test('tasks that outlast "Timeout" are taken up by the items that come back from the error output', async () => {
		sandbox().durations.set({ image: 6_000 });
		const execution = await run(ledBack({ options: { pollInterval: 1, timeout: 4 } }));
		expect(charges()).toHaveLength(2);
		expect(completed(execution).sort()).toEqual(charges().sort());
	});
});
