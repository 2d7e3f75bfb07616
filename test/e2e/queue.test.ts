import { randomUUID } from 'node:crypto';
import axios from 'axios';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod/v3';
import {
	type Host,
	type QueueHostOptions,
	startQueueHost,
	terminalProgress,
} from '../../sandbox/host';
import { createSandbox, type Sandbox } from '../../sandbox/service';
import { type FloodedTrigger, floodTrigger } from './callbacks/floodTrigger';
import { openGate } from './callbacks/gate';
import { pausingWorkflow } from './callbacks/pausingWorkflow';
import { recordedExecutions } from './callbacks/recorded';
import { report } from './callbacks/report';
import { createSender } from './callbacks/sender';
import { expectPictures } from './support/files';
import { chosenVersions, packedTarball } from './support/hosts';
import { end, pictureNode, startByWebhook, workflow } from './support/nodes';
import { credentialFor } from './support/workflows';

/** `npm run test:callbacks` takes 2 000. */
const TASKS = Number(process.env.MEDIAGEN_FLOOD ?? 150);
const PAUSED = 20;
const BUYING = 40;

/** A worker's hold on a job ends after 60 s by default; n8n looks for such jobs every 30 s. */
const STALLED_MS = 110_000;

const FLOOD_MS = 240_000 + TASKS * 200;
const CREDENTIAL = 'Sandbox';

/** Describes a suite on an n8n in queue mode: main, two workers, and two webhook processors behind a proxy. */
function describeQueueMode(
	title: string,
	balance: QueueHostOptions['balance'],
	define: (stage: () => FloodedTrigger, name: string) => void,
) {
	describe.each(chosenVersions)(`Queue mode of n8n %s, ${title}`, (version) => {
		let host: Host;
		let sandbox: Sandbox;
		const sender = createSender();
		beforeAll(async () => {
			sandbox = await createSandbox({ allowPrivateCallbacks: true, durations: { image: 0 } });
			sandbox.setUnlimited(true);
			host = await startQueueHost({
				version,
				balance,
				tarball: await packedTarball(),
				progress: terminalProgress(),
			});
			await host.createCredential(credentialFor(sandbox, CREDENTIAL));
		}, 20 * 60_000);
		afterAll(async () => {
			sender.close();
			await host.stop();
			await sandbox.close();
		}, 60_000);
		define(
			() => ({
				host,
				sandbox,
				sender,
				credential: CREDENTIAL,
				tasks: TASKS,
				parameters: { downloadFiles: true },
			}),
			`Queue mode, n8n ${version}, ${title}`,
		);
	});
}

describeQueueMode('each address at one webhook processor', 'byPath', (stage, name) => {
	test(
		`${TASKS} tasks, called back one to three times each: one execution for each`,
		async () => {
			const { missing, doubled, executions } = await floodTrigger(`${name}, no kill`, stage());
			expect({ missing, doubled }).toEqual({ missing: [], doubled: [] });
			const { host } = stage();
			for (const { id, status } of executions) {
				expect(status).toBe('success');
				const files = (await host.execution(id)).files('End');
				expect(files).toHaveLength(1);
				await expectPictures(host, files);
			}
		},
		FLOOD_MS,
	);

	test(
		`${TASKS} tasks with all processes killed in the middle: none is lost`,
		async () => {
			const { host } = stage();
			const gate = await openGate(host.url);
			const kill = async () => {
				await host.kill();
				await host.restart();
			};
			const { missing } = await floodTrigger(`${name}, killed in the middle`, stage(), {
				kill,
				address: gate.through,
				patienceMs: 20_000,
			}).finally(() => gate.close());
			expect(missing).toEqual([]);
		},
		FLOOD_MS,
	);

	test(`${BUYING} executions that buy, with one of two workers killed: nothing is bought twice`, async () => {
		const { host, sandbox } = stage();
		sandbox.durations.set({ image: 5_000 });
		sandbox.requests.clear();
		const path = randomUUID();
		const pictures = pictureNode('Pictures', CREDENTIAL, { prompt: '={{ $json.body.prompt }}' });
		const { id } = await host.importWorkflow(
			workflow(`Buying ${path}`, [startByWebhook(path), pictures, end], {
				Go: 'Pictures',
				Pictures: 'End',
			}),
		);
		await host.activate(id);
		const prompts = Array.from({ length: BUYING }, (_, index) => `Picture ${index}`);
		await Promise.all(
			prompts.map(
				async (prompt) =>
					await axios.post(`${host.url}/webhook/${path}`, { prompt }, { proxy: false }),
			),
		);

		const bought = () =>
			sandbox.requests
				.list({ method: 'POST', path: '/v1/images' })
				.filter(({ task }) => task !== null);
		const until = async (done: () => Promise<boolean> | boolean, deadline: number) => {
			while (!(await done()) && Date.now() < deadline) await delay(200);
		};
		// Each worker has ten executions at a time, each of which waits for its task.
		await until(() => bought().length >= 15, Date.now() + 60_000);
		const killed = host.companions.find(({ name }) => name === 'worker-1');
		if (!killed) throw new Error('There is no worker.');
		await killed.process.kill();
		const cutOff = (await recordedExecutions(host, id)).filter(
			({ status }) => status === 'running',
		).length;
		expect(cutOff).toBeGreaterThan(0);

		// Within that time n8n gives the jobs of a worker that is gone to another one, where it is allowed to.
		const over = async () =>
			(await recordedExecutions(host, id)).every(
				({ status }) => status !== 'running' && status !== 'new',
			);
		await until(over, Date.now() + STALLED_MS);
		killed.process.spawn();
		await host.untilReady(killed);

		const submitted = bought().map(
			({ body }) => z.object({ prompt: z.string() }).parse(body).prompt,
		);
		report(`${name}, a worker killed while ${BUYING} executions buy`, {
			bought: submitted.length,
			twice: submitted.length - new Set(submitted).size,
		});
		expect(submitted.filter((prompt, at) => submitted.indexOf(prompt) !== at)).toEqual([]);
	}, 300_000);

	test(`${PAUSED} paused executions, called back twice each: every one resumes with its own result`, async () => {
		const { host, sandbox } = stage();
		sandbox.durations.set({ image: null });
		sandbox.requests.clear();
		sandbox.faults.add({
			count: null,
			effect: { type: 'duplicateCallback', copies: 2, spacing: 'simultaneous' },
		});
		const paused = await pausingWorkflow(host, CREDENTIAL, {
			downloadFiles: true,
			options: { timeout: 3_600 },
		});
		const prompts = Array.from({ length: PAUSED }, (_, index) => `Picture ${index}`);
		await Promise.all(
			prompts.map(
				async (prompt) => await axios.post(paused.url, { prompts: [prompt] }, { proxy: false }),
			),
		);

		const allAre = async (status: string) => {
			const deadline = Date.now() + 120_000;
			for (;;) {
				const recorded = await recordedExecutions(host, paused.id);
				if (recorded.length === PAUSED && recorded.every((each) => each.status === status))
					return recorded;
				if (Date.now() > deadline)
					throw new Error(
						`Not all are "${status}": ${recorded.map((each) => each.status).join(', ')}`,
					);
				await delay(500);
			}
		};
		await allAre('waiting');
		const bought = sandbox.requests
			.list({ method: 'POST', path: '/v1/images' })
			.map(({ task }) => String(task));
		expect(bought).toHaveLength(PAUSED);
		for (const taskId of bought) sandbox.tasks.finish(taskId);

		const results: unknown[] = [];
		for (const { id } of await allAre('success')) {
			const execution = await host.execution(id);
			const [result] = execution.json('End');
			expect(execution.files('End')).toHaveLength(1);
			await expectPictures(host, execution.files('End'));
			expect(result).toMatchObject({
				status: 'completed',
				results: [{ url: expect.stringContaining(String(result?.taskId)) }],
			});
			results.push(result?.taskId);
		}
		expect(results.sort()).toEqual(bought.sort());
	}, 300_000);
});

describeQueueMode('calls to the webhook processors in turn', 'inTurn', (stage, name) => {
	test(
		`${TASKS} tasks, called back one to three times each: none is lost, and hardly any but copies of the same moment start another`,
		async () => {
			const { missing, doubledInSequence } = await floodTrigger(`${name}, no kill`, stage());
			expect(missing).toEqual([]);
			// Processes that write n8n's row over one another correct it with their next call, and a callback may come in between.
			expect(doubledInSequence.length).toBeLessThanOrEqual(0.02 * TASKS);
		},
		FLOOD_MS,
	);
});
