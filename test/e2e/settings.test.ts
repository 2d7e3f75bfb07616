import { randomUUID } from 'node:crypto';

import axios from 'axios';
import { z } from 'zod/v3';

import type { Execution, ExecutionStatus, Host, WorkflowDefinition } from '../../sandbox/host';
import { createSandbox, type Sandbox } from '../../sandbox/service';
import { post } from './callbacks/received';
import { buy, recordOf } from './callbacks/tasks';
import { type FileReceiver, openFileReceiver } from './support/fileReceiver';
import { describeOnHosts, describeWithOwnHosts } from './support/hosts';
import {
	end,
	mediaGenApi,
	type NodeJson,
	pictureNode,
	startByHand,
	startByWebhook,
	workflow,
} from './support/nodes';
import { until } from './support/poll';
import { credentialFor } from './support/workflows';

const CREDENTIAL = 'Settings';

const PATIENCE_MS = 60_000;

const START_MS = 20 * 60_000;

/** Room for an essential pipeline on a busy machine; the suite waits this long once. */
const LIMIT_OF_ALL_S = 15;

/** Only executions over this limit have it. */
const LIMIT_OF_WORKFLOW_S = 5;

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
	let sandbox: Sandbox;
	let receiver: FileReceiver;
	beforeAll(async () => {
		sandbox = await createSandbox({ allowPrivateCallbacks: true });
		receiver = await openFileReceiver();
	});
	beforeEach(() => {
		sandbox.reset();
		sandbox.settings.set({ allowPrivateCallbacks: true });
		sandbox.durations.set({ image: 1_000 });
		receiver.files.splice(0);
	});
	afterAll(async () => {
		await sandbox.close();
		await receiver.close();
	});

	/** Imports nodes, one after the other, as a workflow. */
	async function importChain(nodes: NodeJson[], settings: object = {}): Promise<string> {
		const links = Object.fromEntries(
			nodes.slice(1).map(({ name }, index) => [nodes[index]?.name ?? '', name]),
		);
		const chain = workflow(`Settings ${randomUUID()}`, nodes, links);
		const definition: WorkflowDefinition = {
			...chain,
			settings: { ...chain.settings, ...settings },
		};
		return (await host().importWorkflow(definition)).id;
	}

	/** Starts such a workflow as another program does. Returns the workflow's id. */
	async function start(nodes: NodeJson[], settings: object = {}): Promise<string> {
		const path = randomUUID();
		const id = await importChain([startByWebhook(path), ...nodes], settings);
		await host().activate(id);
		await axios.post(`${host().url}/webhook/${path}`, {}, { proxy: false });
		return id;
	}

	const startPictures = async (parameters: object = {}, settings: object = {}) =>
		await start([pictures(parameters), receiver.node], settings);

	/** The only execution of a workflow, once it is in that state. */
	async function execution(workflowId: string, status: ExecutionStatus): Promise<Execution> {
		const found = await until(
			async () => await host().executions({ workflowId }),
			([one, ...more]) => one?.status === status && more.length === 0,
			PATIENCE_MS,
		);
		expect(found.map((each) => each.status)).toStrictEqual([status]);
		return await host().execution(found[0]?.id ?? '');
	}

	const bought = () => sandbox.tasks.list().map(({ id }) => id);

	/** Expects that the server gets this task's picture, once. Without a task: that of the only one bought. */
	async function expectFile(taskId?: string, purchases = 1): Promise<void> {
		await until(
			() => receiver.files.length,
			(count) => count > 0,
			PATIENCE_MS,
		);
		expect(receiver.files).toMatchObject([{ taskId: taskId ?? bought()[0], type: 'image/png' }]);
		expect(receiver.files[0]?.content.subarray(1, 4).toString()).toBe('PNG');
		expect(sandbox.ledger().accepted).toBe(purchases);
	}

	return {
		host,
		importChain,
		start,
		startPictures,
		execution,
		bought,
		expectFile,
		sandbox: () => sandbox,
		receiver: () => receiver,
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
	stage: Stage,
	expectKept: (workflowId: string) => Promise<unknown>,
	settings: object = {},
): void {
	const { host, importChain, startPictures, execution, expectFile, sandbox, receiver } = stage;

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
		const webhookId = randomUUID();
		const type = 'n8n-nodes-mediagen.mediaGenTrigger';
		const trigger = {
			name: 'Trigger',
			type,
			typeVersion: 2,
			webhookId,
			parameters: {},
			credentials: mediaGenApi(CREDENTIAL),
		};
		const id = await importChain([trigger, receiver().node], settings);
		await host().activate(id);
		const record = await recordOf(sandbox(), await buy(sandbox()));
		const callback = async () => await post(`${host().url}/webhook/${webhookId}/callback`, record);
		expect(await callback()).toMatchObject({ status: 200, data: { message: 'Received' } });
		await expectFile();
		expect(await callback()).toMatchObject({
			status: 200,
			data: { message: expect.stringContaining('before') as string },
		});
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
		let host: Host;
		const stage = createStage(() => host);
		const {
			importChain,
			start: startChain,
			startPictures,
			execution,
			expectFile,
			sandbox,
			receiver,
		} = stage;
		beforeAll(async () => {
			const env = {
				EXECUTIONS_DATA_SAVE_ON_SUCCESS: 'none',
				EXECUTIONS_TIMEOUT: String(LIMIT_OF_ALL_S),
			};
			// The other suites run n8n 1.123 on the machine's own Node.js.
			host = await start({ env, ...(version === '1.123' && { node: 22 }) });
			await host.createCredential(credentialFor(sandbox(), CREDENTIAL));
		}, START_MS);

		if (version === '1.123') {
			test('n8n runs on Node.js 22', async () => {
				const settings = await host.api.call(z.object({ nodeJsVersion: z.string() }), {
					url: '/rest/settings',
				});
				expect(settings.nodeJsVersion).toMatch(/^22\./);
			});
		}

		const expectNothingSaved = async (workflowId: string) => {
			expect(
				await until(
					async () => await host.executions({ workflowId }),
					({ length }) => length === 0,
					PATIENCE_MS,
				),
			).toEqual([]);
		};

		testEssentials(stage, expectNothingSaved);

		test('an execution that is started by hand is saved, with its file', async () => {
			const id = await importChain([startByHand, pictures(), receiver().node]);
			const run = await host.run(id);
			await expectFile();
			expect(run.items('Pictures')).toMatchObject([
				{ json: { status: 'completed' }, binary: { data: { mimeType: 'image/png' } } },
			]);
		});

		test('an execution that fails is saved, and Retry takes up its task', async () => {
			sandbox().faults.add({
				match: { method: 'GET', path: '/v1/tasks/*' },
				count: 1,
				effect: { type: 'status', status: 403 },
			});
			const failed = await execution(await startPictures(), 'error');
			await host.api.call(z.unknown(), {
				method: 'POST',
				url: `/rest/executions/${failed.id}/retry`,
				data: { loadWorkflow: false },
			});
			await expectFile();
		});

		test('a sub-workflow leaves the file at the service, and its caller downloads it', async () => {
			const called = await importChain([calledByWorkflow, pictures({ downloadFiles: false })]);
			await host.activate(called);
			const get = {
				...pictures({ resource: 'task', operation: 'get', taskId: '={{ $json.taskId }}' }),
				name: 'Get',
			};
			await startChain([callWorkflow(called), get, receiver().node]);
			await expectFile();
		});

		test('the limit cancels an execution that polls too long, but not one that has paused', async () => {
			await expectTimeLimit(stage, expectNothingSaved);
		});
	},
);

describeWithOwnHosts('PostgreSQL, and executions are saved with their progress', (_, start) => {
	let host: Host;
	const stage = createStage(() => host);
	beforeAll(async () => {
		host = await start({ database: 'postgres', env: { EXECUTIONS_DATA_SAVE_ON_PROGRESS: 'true' } });
		await host.createCredential(credentialFor(stage.sandbox(), CREDENTIAL));
	}, START_MS);

	testEssentials(stage, async (workflowId) => await stage.execution(workflowId, 'success'));
});

describeOnHosts("A workflow's own settings", (host, version) => {
	const stage = createStage(host);
	const { importChain, start, startPictures, execution, bought, expectFile, sandbox, receiver } =
		stage;
	beforeAll(async () => {
		await host().createCredential(credentialFor(sandbox(), CREDENTIAL));
	}, START_MS);

	const expectSuccess = async (workflowId: string) => await execution(workflowId, 'success');

	describe('Execution Order v0', () =>
		testEssentials(stage, expectSuccess, { executionOrder: 'v0' }));

	test('Timeout cancels an execution that polls too long, but not one that has paused', async () => {
		await expectTimeLimit(stage, expectSuccess, { executionTimeout: LIMIT_OF_WORKFLOW_S });
	});

	test('an error workflow learns what failed, and which tasks were bought', async () => {
		const errorWorkflow = await importChain([
			{ name: 'Error', type: 'n8n-nodes-base.errorTrigger', parameters: {} },
			end,
		]);
		// n8n 2 starts none but published workflows.
		if (version !== '1.123') await host().activate(errorWorkflow);
		sandbox().faults.add({
			match: { method: 'POST' },
			effect: { type: 'failTask', message: 'The canvas tore' },
		});
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
		const called = await importChain([calledByWorkflow, pictures()]);
		await host().activate(called);
		await start([callWorkflow(called), receiver().node]);
		await expectFile();
	});

	test('a sub-workflow that pauses goes on with the file, and its caller after it; on n8n 1.123 with its own input', async () => {
		sandbox().durations.set({ image: null });
		const called = await importChain([
			calledByWorkflow,
			pictures({ waitMode: 'callback' }),
			receiver().node,
		]);
		await host().activate(called);
		const caller = await start([callWorkflow(called), end]);
		await execution(called, 'waiting');
		await execution(caller, 'waiting');
		sandbox().tasks.finishAll();
		await expectFile();
		const fromReceiver = { taskId: bought()[0] };
		const ownInput = { body: {}, executionMode: 'production' };
		expect((await execution(caller, 'success')).json('End')).toMatchObject([
			version === '1.123' ? ownInput : fromReceiver,
		]);
	});
});
