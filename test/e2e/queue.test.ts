import { randomUUID } from 'node:crypto';
import { z } from 'zod/v3';
import { type Balance, startQueueHost, terminalProgress } from '../../sandbox/host';
import { type FloodedTrigger, floodTrigger } from './callbacks/floodTrigger';
import { openGate } from './callbacks/gate';
import { pausing } from './callbacks/pausing';
import { READ_EVERY_MS, recordedExecutions } from './callbacks/recorded';
import { report } from './callbacks/report';
import { createSender, PAUSES_WITH_KILLS } from './callbacks/sender';
import { callWebhook, listenWith } from './support/executions';
import { expectPictures } from './support/files';
import { packedTarball, useHost, versionsOfLong } from './support/hosts';
import { chain, end, pictureNode, promptsOf, startByWebhook } from './support/nodes';
import { until } from './support/poll';
import { pictureSubmissions, useSandbox } from './support/sandbox';

/** `npm run test:callbacks` takes 2 000. */
const TASKS = Number(process.env.MEDIAGEN_FLOOD ?? 150);
const PAUSED = 20;
const BUYING = 40;

/** A worker's hold on a job ends after 60 s by default; n8n looks for such jobs every 30 s. */
const STALLED_MS = 110_000;

const CREDENTIAL = 'Sandbox';

jest.setTimeout(600_000 + TASKS * 200);

/** Main, two workers, and two webhook processors behind a proxy. */
describe.each(versionsOfLong('2.41'))('Queue mode of n8n %s', (version) => {
	let balance: Balance = 'byPath';
	const [sender, patient] = [createSender(), createSender({ pauses: PAUSES_WITH_KILLS })];
	const host = useHost(async () => {
		const tarball = await packedTarball();
		const progress = terminalProgress();
		return await startQueueHost({ version, balance: () => balance, tarball, progress });
	});
	const sandbox = useSandbox(host, CREDENTIAL, { durations: { image: 0 } });
	afterAll(async () => {
		[sender, patient].forEach((each) => each.close());
		await host().stop();
	});
	const stage = (): FloodedTrigger => ({
		host: host(),
		sandbox: sandbox(),
		sender,
		credential: CREDENTIAL,
		tasks: TASKS,
		parameters: { downloadFiles: true },
	});

	describe('each address at one webhook processor', () => {
		const name = `Queue mode, n8n ${version}, each address at one webhook processor`;

		test(`${TASKS} tasks, called back one to three times each: one execution for each`, async () => {
			const { missing, doubled, executions } = await floodTrigger(`${name}, no kill`, stage());
			expect({ missing, doubled }).toEqual({ missing: [], doubled: [] });
			for (const { id, status } of executions) {
				expect(status).toBe('success');
				const files = (await host().execution(id)).files('End');
				expect(files).toHaveLength(1);
				await expectPictures(host(), files);
			}
		});

		test(`${TASKS} tasks with all processes killed in the middle: none is lost`, async () => {
			const gate = await openGate(host().url);
			const kill = async () => {
				await host().kill();
				await host().restart();
			};
			const killed = { ...stage(), sender: patient };
			const { missing } = await floodTrigger(`${name}, killed in the middle`, killed, {
				kill,
				address: gate.through,
				patienceMs: 20_000,
			}).finally(() => gate.close());
			expect(missing).toEqual([]);
		});

		test(`${BUYING} executions that buy, with one of two workers killed: nothing is bought twice`, async () => {
			sandbox().durations.set({ image: 5_000 });
			const path = randomUUID();
			const pictures = pictureNode('Pictures', CREDENTIAL, { prompt: '={{ $json.body.prompt }}' });
			const nodes = [startByWebhook(path), pictures, end];
			const { id, url } = await listenWith(host(), chain(`Buying ${path}`, nodes));
			await Promise.all(
				promptsOf(BUYING).map(async (prompt) => await callWebhook(url, { prompt })),
			);

			// Each worker has ten executions at a time, each of which waits for its task.
			await until(
				() => pictureSubmissions(sandbox()).length,
				(count) => count >= 15,
				60_000,
			);
			const killed = host().companions.find(({ name }) => name === 'worker-1');
			if (!killed) throw new Error('There is no worker.');
			await killed.process.kill();
			const recorded = async () => await recordedExecutions(host(), id);
			expect((await recorded()).map(({ status }) => status)).toContain('running');

			// Within that time n8n gives the jobs of a worker that is gone to another one, where it is allowed to.
			await until(
				recorded,
				(all) => !all.some(({ status }) => status === 'running' || status === 'new'),
				STALLED_MS,
				READ_EVERY_MS,
			);
			killed.process.spawn();
			await host().untilReady(killed);

			const submitted = pictureSubmissions(sandbox()).map(
				({ body }) => z.object({ prompt: z.string() }).parse(body).prompt,
			);
			report(`${name}, a worker killed while ${BUYING} executions buy`, {
				bought: submitted.length,
				twice: submitted.length - new Set(submitted).size,
			});
			expect(submitted.filter((prompt, at) => submitted.indexOf(prompt) !== at)).toEqual([]);
		}, 300_000);

		test(`${PAUSED} paused executions, called back twice each: every one resumes with its own result`, async () => {
			sandbox().durations.set({ image: null });
			const twice = { type: 'duplicateCallback', copies: 2, spacing: 'simultaneous' } as const;
			sandbox().faults.add({ count: null, effect: twice });
			const { bought, finishAll, pauseEach, resumed } = pausing(host, sandbox, CREDENTIAL);
			const workflow = await pauseEach(promptsOf(PAUSED), { downloadFiles: true });
			expect(bought()).toHaveLength(PAUSED);
			finishAll();
			const right = await resumed(workflow, bought(), async (execution) => {
				expect(execution.files('End')).toHaveLength(1);
				await expectPictures(host(), execution.files('End'));
			});
			expect(right).toBe(PAUSED);
		}, 300_000);
	});

	describe('calls to the webhook processors in turn', () => {
		const name = `Queue mode, n8n ${version}, calls to the webhook processors in turn`;
		beforeAll(() => (balance = 'inTurn'));

		test(`${TASKS} tasks, called back one to three times each: none is lost, and hardly any but copies of the same moment start another`, async () => {
			const { missing, doubledInSequence } = await floodTrigger(`${name}, no kill`, stage());
			expect(missing).toEqual([]);
			// Processes that write n8n's row over one another correct it with their next call, and a callback may come in between.
			expect(doubledInSequence.length).toBeLessThanOrEqual(Math.max(2, 0.02 * TASKS));
		});
	});
});
