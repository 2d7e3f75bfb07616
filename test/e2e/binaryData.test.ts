import type { Execution } from '../../sandbox/host';
import { pausing } from './callbacks/pausing';
import { post, startedBy } from './callbacks/recorded';
import { report } from './callbacks/report';
import { buy, recordOf } from './callbacks/tasks';
import { activeTrigger } from './callbacks/triggerWorkflow';
import { runWorkflow } from './support/executions';
import { expectPictures } from './support/files';
import { describeWithOwnHosts, useHost } from './support/hosts';
import { chain, mediaGen, type NodeJson, pictureNode, startByHand } from './support/nodes';
import { useSandbox } from './support/sandbox';

const CREDENTIAL = 'Sandbox';

/** Where n8n can keep binary data: 1.123 does so in memory by default, 2.x on disk, and 2.x in queue mode in its database. */
const PLACES: Array<[place: string, mode: string]> = [
	['in memory', 'default'],
	['in the database', 'database'],
	['on disk', 'filesystem'],
];

const CLIP_BYTES = 60_000_000;

/** A download that hangs takes five minutes. */
const LIMIT_MS = 60_000;

jest.setTimeout(4 * LIMIT_MS);

const fromInput = {
	resource: 'image',
	operation: 'edit',
	prompt: 'With fog',
	imageSource: 'binary',
	imageBinaryProperty: 'data',
};

const picture = pictureNode('Picture', CREDENTIAL, { downloadFiles: true });
const upload = mediaGen('Upload', 'mediaGenUpload', CREDENTIAL, {
	source: 'binary',
	binaryPropertyName: 'data',
});
const edit = mediaGen('Edit', 'mediaGenImage', CREDENTIAL, fromInput);
const clip = mediaGen('Clip', 'mediaGenVideo', CREDENTIAL, { prompt: 'Waves' });

describeWithOwnHosts('Files', (version, start) => {
	describe.each(PLACES)('kept %s', (place, mode) => {
		const host = useHost(start, () => ({
			env: {
				N8N_DEFAULT_BINARY_DATA_MODE: mode,
				// 1.123 takes only a mode that is listed as available.
				...(mode === 'database' && { N8N_AVAILABLE_BINARY_DATA_MODES: 'filesystem,database' }),
			},
		}));
		const sandbox = useSandbox(host, CREDENTIAL, { durations: { image: 500, video: 500 } });
		const seconds: Record<string, string> = {};
		afterAll(async () => {
			report(`Files kept ${place}, n8n ${version}: seconds`, seconds);
			await host().stop();
		});

		const timed = async (what: string, work: () => Promise<Execution>): Promise<Execution> => {
			const began = Date.now();
			const execution = await work();
			seconds[what] = ((Date.now() - began) / 1_000).toFixed(1);
			expect(execution.error).toBeUndefined();
			expect(execution.status).toBe('success');
			return execution;
		};

		/** Runs nodes one behind the other, and gives the execution. */
		const run = async (what: string, ...nodes: NodeJson[]) =>
			await timed(what, async () => {
				const definition = chain(what, [startByHand, ...nodes]);
				return await runWorkflow(host(), definition, { timeout: LIMIT_MS });
			});

		async function expectOnePicture(execution: Execution, node: string): Promise<void> {
			expect(execution.files(node)).toHaveLength(1);
			await expectPictures(host(), execution.files(node));
		}

		test('a picture that is polled for comes out as a file', async () => {
			await expectOnePicture(await run('poll', picture), 'Picture');
		});

		test('a picture of an input item goes into an upload and an edit', async () => {
			expect((await run('upload', picture, upload)).json('Upload')).toMatchObject([
				{ url: expect.stringMatching(/^http/), contentType: 'image/png' },
			]);
			await expectOnePicture(await run('edit', picture, edit), 'Edit');
		});

		test('a paused execution resumes with its files', async () => {
			const { pause, execution, finishAll } = pausing(host, sandbox, CREDENTIAL);
			sandbox().durations.set({ image: null });
			const { workflow } = await pause(['Picture'], { downloadFiles: true });
			finishAll();
			const resumed = await timed('pause', async () => await execution(workflow, 'success'));
			await expectOnePicture(resumed, 'End');
		});

		test('a trigger starts an execution with the files of the task', async () => {
			const trigger = await activeTrigger(host(), CREDENTIAL, { downloadFiles: true });
			sandbox().durations.set({ image: 0 });
			const taskId = await buy(sandbox());
			const started = await timed('trigger', async () => {
				const { status } = await post(trigger.url, await recordOf(sandbox(), taskId));
				expect(status).toBe(200);
				const [execution, ...more] = await startedBy(host(), trigger.id);
				expect(more).toEqual([]);
				if (!execution) throw new Error('The callback started nothing.');
				return execution;
			});
			expect(started.json('End')).toMatchObject([{ taskId, status: 'completed' }]);
			await expectOnePicture(started, 'End');
		});

		test('Task: Get gets the files of a task that was bought before', async () => {
			sandbox().durations.set({ image: 0 });
			const given = { resource: 'task', operation: 'get', taskId: await buy(sandbox()) };
			const get = mediaGen('Get', 'mediaGenImage', CREDENTIAL, given);
			await expectOnePicture(await run('get', get), 'Get');
		});

		test('a clip of 60 MB arrives whole', async () => {
			sandbox().faults.add({ effect: { type: 'resultBytes', bytes: CLIP_BYTES } });
			const [file] = (await run('60 MB', clip)).files('Clip');
			if (!file) throw new Error('There is no file.');
			expect((await host().binary(file)).data).toHaveLength(CLIP_BYTES);
		});
	});
});
