import type { Execution, Host } from '../../sandbox/host';
import { createSandbox, type Sandbox } from '../../sandbox/service';
import { pausing } from './callbacks/pausing';
import { report } from './callbacks/report';
import { post, startedBy } from './callbacks/received';
import { buy, recordOf } from './callbacks/tasks';
import { activeTrigger } from './callbacks/triggerWorkflow';
import { expectPictures } from './support/files';
import { describeWithOwnHosts } from './support/hosts';
import { mediaGenApi, type NodeJson, pictureNode, startByHand, workflow } from './support/nodes';
import { credentialFor } from './support/workflows';

const CREDENTIAL = 'Sandbox';

/** Where n8n can keep binary data: 1.123 does so in memory by default, 2.x on disk, and 2.x in queue mode in its database. */
const PLACES: Array<[place: string, env: Record<string, string>]> = [
	['in memory', { N8N_DEFAULT_BINARY_DATA_MODE: 'default' }],
	// 1.123 takes only a mode that is listed as available.
	[
		'in the database',
		{
			N8N_DEFAULT_BINARY_DATA_MODE: 'database',
			N8N_AVAILABLE_BINARY_DATA_MODES: 'filesystem,database',
		},
	],
	['on disk', { N8N_DEFAULT_BINARY_DATA_MODE: 'filesystem' }],
];

const CLIP_BYTES = 60_000_000;

/** A download that hangs takes five minutes. */
const LIMIT_MS = 60_000;

const mediaGen = (name: string, type: string, parameters: object): NodeJson => ({
	name,
	type: `n8n-nodes-mediagen.${type}`,
	parameters,
	credentials: mediaGenApi(CREDENTIAL),
});

describeWithOwnHosts('Files', (version, start) => {
	describe.each(PLACES)('kept %s', (place, env) => {
		let host: Host;
		let sandbox: Sandbox;
		const seconds: Record<string, string> = {};

		beforeAll(async () => {
			sandbox = await createSandbox({ allowPrivateCallbacks: true });
			host = await start({ env });
			await host.createCredential(credentialFor(sandbox, CREDENTIAL));
		}, 300_000);
		beforeEach(() => {
			sandbox.reset();
			sandbox.setUnlimited(true);
			sandbox.settings.set({ allowPrivateCallbacks: true });
			sandbox.durations.set({ image: 500, video: 500 });
		});
		afterAll(async () => {
			report(`Files kept ${place}, n8n ${version}: seconds`, seconds);
			await host.stop();
			await sandbox.close();
		}, 60_000);

		const timed = async (what: string, work: () => Promise<Execution>): Promise<Execution> => {
			const began = Date.now();
			const execution = await work();
			seconds[what] = ((Date.now() - began) / 1_000).toFixed(1);
			expect(execution.error).toBeUndefined();
			expect(execution.status).toBe('success');
			return execution;
		};

		/** Runs nodes one behind the other, and gives the execution. */
		const run = async (what: string, ...nodes: NodeJson[]): Promise<Execution> => {
			const chain = [startByHand, ...nodes];
			const links = Object.fromEntries(nodes.map(({ name }, at) => [chain[at]?.name ?? '', name]));
			const { id } = await host.importWorkflow(workflow(what, chain, links));
			return await timed(what, async () => await host.run(id, { timeout: LIMIT_MS }));
		};

		const picture = pictureNode('Picture', CREDENTIAL, { downloadFiles: true });

		const fromInput = {
			resource: 'image',
			operation: 'edit',
			prompt: 'With fog',
			imageSource: 'binary',
			imageBinaryProperty: 'data',
		};

		test(
			'a picture that is polled for comes out as a file',
			async () => {
				const execution = await run('poll', picture);
				expect(execution.files('Picture')).toHaveLength(1);
				await expectPictures(host, execution.files('Picture'));
			},
			2 * LIMIT_MS,
		);

		test(
			'a picture of an input item goes into an upload and an edit',
			async () => {
				const upload = mediaGen('Upload', 'mediaGenUpload', {
					source: 'binary',
					binaryPropertyName: 'data',
				});
				const uploaded = await run('upload', picture, upload);
				expect(uploaded.json('Upload')).toMatchObject([
					{ url: expect.stringMatching(/^http/), contentType: 'image/png' },
				]);
				const edited = await run('edit', picture, mediaGen('Edit', 'mediaGenImage', fromInput));
				expect(edited.files('Edit')).toHaveLength(1);
				await expectPictures(host, edited.files('Edit'));
			},
			4 * LIMIT_MS,
		);

		test(
			'a paused execution resumes with its files',
			async () => {
				const { pause, execution, taskOf } = pausing(
					() => host,
					() => sandbox,
					CREDENTIAL,
				);
				sandbox.durations.set({ image: null });
				const { workflow: paused } = await pause(['Picture'], { downloadFiles: true });
				sandbox.tasks.finish(taskOf('Picture'));
				const resumed = await timed('pause', async () => await execution(paused, 'success'));
				expect(resumed.files('End')).toHaveLength(1);
				await expectPictures(host, resumed.files('End'));
			},
			2 * LIMIT_MS,
		);

		test(
			'a trigger starts an execution with the files of the task',
			async () => {
				const trigger = await activeTrigger(host, CREDENTIAL, { downloadFiles: true });
				sandbox.durations.set({ image: 0 });
				const taskId = await buy(sandbox);
				const started = await timed('trigger', async () => {
					expect((await post(trigger.url, await recordOf(sandbox, taskId))).status).toBe(200);
					const [execution, ...more] = await startedBy(host, trigger.id);
					expect(more).toEqual([]);
					if (!execution) throw new Error('The callback started nothing.');
					return execution;
				});
				expect(started.json('End')).toMatchObject([{ taskId, status: 'completed' }]);
				expect(started.files('End')).toHaveLength(1);
				await expectPictures(host, started.files('End'));
			},
			2 * LIMIT_MS,
		);

		test(
			'Task: Get gets the files of a task that was bought before',
			async () => {
				sandbox.durations.set({ image: 0 });
				const taskId = await buy(sandbox);
				const execution = await run(
					'get',
					mediaGen('Get', 'mediaGenImage', { resource: 'task', operation: 'get', taskId }),
				);
				expect(execution.files('Get')).toHaveLength(1);
				await expectPictures(host, execution.files('Get'));
			},
			2 * LIMIT_MS,
		);

		test(
			'a clip of 60 MB arrives whole',
			async () => {
				sandbox.faults.add({ effect: { type: 'resultBytes', bytes: CLIP_BYTES } });
				const execution = await run(
					'60 MB',
					mediaGen('Clip', 'mediaGenVideo', { prompt: 'Waves' }),
				);
				const [file] = execution.files('Clip');
				if (!file) throw new Error('There is no file.');
				expect((await host.binary(file)).data).toHaveLength(CLIP_BYTES);
			},
			4 * LIMIT_MS,
		);
	});
});
