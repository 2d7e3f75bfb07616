import { randomUUID } from 'node:crypto';

import { z } from 'zod/v3';

import type { ExecutionStatus, Host } from '../../sandbox/host';
import { post } from './callbacks/recorded';
import { buy, recordOf } from './callbacks/tasks';
import { triggerNode } from './callbacks/triggerWorkflow';
import { callWebhook, listenWith, onlyExecution, retry, runWorkflow } from './support/executions';
import { type FileReceiver, openFileReceiver } from './support/fileReceiver';
import { describeOnHosts, describeWithOwnHosts, useHost } from './support/hosts';
import {
	chain,
	end,
	type NodeJson,
	pictureNode,
	startByHand,
	startByWebhook,
} from './support/nodes';
import { until } from './support/poll';
import { READ, SUBMISSION, useSandbox } from './support/sandbox';

const CREDENTIAL = 'Settings';

const PATIENCE_MS = 120_000;

/** Room for an essential pipeline on a busy machine; the suite waits this long once. */
const LIMIT_OF_ALL_S = 25;

/** Only executions over this limit have it. */
const LIMIT_OF_WORKFLOW_S = 10;

/** Makes a picture and has its file. */
const pictures = (parameters: object = {}): NodeJson =>
	pictureNode('Pictures', CREDENTIAL, {
		prompt: 'A lighthouse',
		downloadFiles: true,
		options: { pollInterval: 1 },
		...parameters,
	});

const calledByWorkflow: NodeJson = {
	name: 'Called',
	type: 'n8n-nodes-base.executeWorkflowTrigger',
	typeVersion: 1.1,
	parameters: { inputSource: 'passthrough' },
};

/** Calls the workflow and goes on with what its last node puts out. */
const callWorkflow = (workflowId: string): NodeJson => ({
	name: 'Sub-workflow',
	type: 'n8n-nodes-base.executeWorkflow',
	typeVersion: 1.2,
	parameters: { workflowId: { __rl: true, mode: 'id', value: workflowId }, options: {} },
});

/** A service, a server of the user's that takes the results, and what tests do with workflows between them. */
function createStage(host: () => Host) {
	const sandbox = useSandbox(host, CREDENTIAL, { durations: { image: 1_000 } });
	let receiver: FileReceiver;
	beforeAll(async () => {
		receiver = await openFileReceiver();
	});
	beforeEach(() => void receiver.files.splice(0));
	afterAll(async () => await receiver.close());

	const chainOf = (nodes: NodeJson[], settings: object = {}) =>
		chain(`Settings ${randomUUID()}`, nodes, settings);

	/** Imports and activates such a workflow: a sub-workflow of n8n 2 must be. */
	async function importActive(...nodes: NodeJson[]): Promise<string> {
		const { id } = await host().importWorkflow(chainOf(nodes));
		await host().activate(id);
		return id;
	}

	/** Starts such a workflow as another program does. Returns the workflow's id. */
	async function start(nodes: NodeJson[], settings: object = {}): Promise<string> {
		const definition = chainOf([startByWebhook(randomUUID()), ...nodes], settings);
		const { id, url } = await listenWith(host(), definition);
		await callWebhook(url);
		return id;
	}

	const startPictures = async (parameters: object = {}, settings: object = {}) =>
		await start([pictures(parameters), receiver.node], settings);

	/** The only execution of a workflow, once it is in that state. */
	const execution = async (workflowId: string, status: ExecutionStatus) =>
		await onlyExecution(host(), workflowId, status, PATIENCE_MS);

	const bought = () =>
		sandbox()
			.tasks.list()
			.map(({ id }) => id);

	/** Expects that the server gets this task's picture, once. Without a task: that of the only one bought. */
	async function expectFile(taskId?: string, purchases = 1): Promise<void> {
		await until(
			() => receiver.files.length,
			(count) => count > 0,
			PATIENCE_MS,
		);
		expect(receiver.files).toMatchObject([{ taskId: taskId ?? bought()[0], type: 'image/png' }]);
		expect(receiver.files[0]?.content.subarray(1, 4).toString()).toBe('PNG');
		expect(sandbox().ledger().accepted).toBe(purchases);
	}

	return {
		host,
		sandbox,
		receiver: () => receiver,
		chainOf,
		importActive,
		start,
		startPictures,
		execution,
		bought,
		expectFile,
	};
}

type Stage = ReturnType<typeof createStage>;

/**
 * What n8n must do, however it is set: poll, pause and be called back, with the file for the next node.
 *
 * @param expectKept expects of the workflow's executions what the settings let n8n keep
 * @param settings the workflows' own
 */
function testEssentials(
	{ host, chainOf, startPictures, execution, expectFile, sandbox, receiver }: Stage,
	expectKept: (workflowId: string) => Promise<unknown>,
	settings: object = {},
): void {
	test('Poll Here: the next node has the file', async () => {
		const id = await startPictures({}, settings);
		await expectFile();
		await expectKept(id);
	});

	test('Pause Until Callback: the next node has the file', async () => {
		sandbox().durations.set({ image: null });
		const id = await startPictures({ waitMode: 'callback' }, settings);
		await execution(id, 'waiting');
		sandbox().tasks.finishAll();
		await expectFile();
		await expectKept(id);
	});

	test('Trigger: the next node has the file, and a second callback starts nothing', async () => {
		sandbox().durations.set({ image: 0 });
		const nodes = [triggerNode(CREDENTIAL), receiver().node];
		const { id, url: base } = await listenWith(host(), chainOf(nodes, settings));
		const url = `${base}/callback`;
		const record = await recordOf(sandbox(), await buy(sandbox()));
		expect(await post(url, record)).toMatchObject({ status: 200, data: { message: 'Received' } });
		await expectFile();
		const message = expect.stringContaining('before');
		expect(await post(url, record)).toMatchObject({ status: 200, data: { message } });
		await expectKept(id);
	});
}

/**
 * Expects that a time limit cancels an execution that polls longer, and that n8n's log names its task: the execution does not
 * always. One that has paused goes on, whatever has passed.
 *
 * @param settings the workflows' own
 */
async function expectTimeLimit(
	{ host, startPictures, execution, bought, expectFile, sandbox }: Stage,
	expectKept: (workflowId: string) => Promise<unknown>,
	settings: object = {},
): Promise<void> {
	sandbox().durations.set({ image: null });
	const pausing = await startPictures({ waitMode: 'callback' }, settings);
	await execution(pausing, 'waiting');
	const [paused = ''] = bought();

	const polling = await startPictures({}, settings);
	await execution(polling, 'canceled');
	const polled = bought().find((taskId) => taskId !== paused);
	expect(host().log.text()).toContain(`MediaGen: task ${polled} submitted (`);

	// Its execution began before the other one, so that its limit has passed as well.
	sandbox().tasks.finish(paused);
	await expectFile(paused, 2);
	await expectKept(pausing);
}

describeWithOwnHosts(
	'Successful executions are not saved, and all have a time limit',
	(version, start) => {
		const host = useHost(start, () => ({
			env: {
				EXECUTIONS_DATA_SAVE_ON_SUCCESS: 'none',
				EXECUTIONS_TIMEOUT: String(LIMIT_OF_ALL_S),
			},
			// The other suites run n8n 1.123 on the machine's own Node.js.
			...(version === '1.123' && { node: 22 }),
		}));
		const stage = createStage(host);
		const { chainOf, importActive, startPictures, execution, expectFile, sandbox, receiver } =
			stage;

		if (version === '1.123') {
			test('n8n runs on Node.js 22', async () => {
				const schema = z.object({ nodeJsVersion: z.string() });
				const settings = await host().api.call(schema, { url: '/rest/settings' });
				expect(settings.nodeJsVersion).toMatch(/^22\./);
			});
		}

		const expectNothingSaved = async (workflowId: string) => {
			const saved = async () => await host().executions({ workflowId });
			expect(await until(saved, ({ length }) => length === 0, PATIENCE_MS)).toEqual([]);
		};

		testEssentials(stage, expectNothingSaved);

		test('an execution that is started by hand is saved, with its file', async () => {
			const nodes = [startByHand, pictures(), receiver().node];
			const execution = await runWorkflow(host(), chainOf(nodes));
			await expectFile();
			expect(execution.items('Pictures')).toMatchObject([
				{ json: { status: 'completed' }, binary: { data: { mimeType: 'image/png' } } },
			]);
		});

		test('an execution that fails is saved, and Retry takes up its task', async () => {
			sandbox().faults.add({ match: READ, effect: { type: 'status', status: 403 } });
			await retry(host(), await execution(await startPictures(), 'error'));
			await expectFile();
		});

		test('a sub-workflow leaves the file at the service, and its caller downloads it', async () => {
			const called = await importActive(calledByWorkflow, pictures({ downloadFiles: false }));
			const get = {
				...pictures({ resource: 'task', operation: 'get', taskId: '={{ $json.taskId }}' }),
				name: 'Get',
			};
			await stage.start([callWorkflow(called), get, receiver().node]);
			await expectFile();
		});

		test('the limit cancels an execution that polls too long, but not one that has paused', async () => {
			await expectTimeLimit(stage, expectNothingSaved);
		});
	},
);

describeWithOwnHosts('PostgreSQL, and executions are saved with their progress', (_, start) => {
	const stage = createStage(
		useHost(start, () => ({
			database: 'postgres',
			env: { EXECUTIONS_DATA_SAVE_ON_PROGRESS: 'true' },
		})),
	);

	testEssentials(stage, async (workflowId) => await stage.execution(workflowId, 'success'));
});

describeOnHosts("A workflow's own settings", (host, version) => {
	const stage = createStage(host);
	const { chainOf, importActive, start, startPictures, execution, bought } = stage;
	const { expectFile, sandbox, receiver } = stage;

	const expectSuccess = async (workflowId: string) => await execution(workflowId, 'success');

	describe('Execution Order v0', () =>
		testEssentials(stage, expectSuccess, { executionOrder: 'v0' }));

	test('Timeout cancels an execution that polls too long, but not one that has paused', async () => {
		await expectTimeLimit(stage, expectSuccess, { executionTimeout: LIMIT_OF_WORKFLOW_S });
	});

	test('an error workflow learns what failed, and which tasks were bought', async () => {
		const error = { name: 'Error', type: 'n8n-nodes-base.errorTrigger', parameters: {} };
		const { id: errorWorkflow } = await host().importWorkflow(chainOf([error, end]));
		// n8n 2 starts none but published workflows.
		if (version !== '1.123') await host().activate(errorWorkflow);
		const effect = { type: 'failTask', message: 'The canvas tore' } as const;
		sandbox().faults.add({ match: SUBMISSION, effect });
		await startPictures({}, { errorWorkflow });
		const [told] = (await execution(errorWorkflow, 'success')).json('Error');
		const [taskId] = bought();
		expect(told).toMatchObject({
			execution: {
				lastNodeExecuted: 'Pictures',
				error: {
					message: `Task ${taskId} failed: The canvas tore [row 1 (item 0)]`,
					description: expect.stringContaining(`Row 1 (item 0): task ${taskId}, failed`) as string,
				},
			},
		});
	});

	test('a sub-workflow that polls gives its caller the file', async () => {
		const called = await importActive(calledByWorkflow, pictures());
		await start([callWorkflow(called), receiver().node]);
		await expectFile();
	});

	test('a sub-workflow that is to pause goes on with the file, and its caller after it; on n8n 1.123 it polls', async () => {
		sandbox().durations.set({ image: null });
		const paused = pictures({ waitMode: 'callback' });
		const called = await importActive(calledByWorkflow, paused, receiver().node);
		const caller = await start([callWorkflow(called), end]);
		if (version === '1.123') await until(bought, (tasks) => tasks.length > 0, PATIENCE_MS);
		else for (const each of [called, caller]) await execution(each, 'waiting');
		sandbox().tasks.finishAll();
		await expectFile();
		expect((await execution(caller, 'success')).json('End')).toMatchObject([
			{ taskId: bought()[0] },
		]);
	});
});
