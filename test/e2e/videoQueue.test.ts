import { setTimeout as delay } from 'node:timers/promises';

import { z } from 'zod/v3';

import type { Host } from '../../sandbox/host';
import { createSandbox, type Sandbox } from '../../sandbox/service';
import { untilRecovered } from './callbacks/recovered';
import { report } from './callbacks/report';
import { emptyCell, rowsOf } from './support/dataTables';
import { describeWithOwnHosts } from './support/hosts';
import { readUntil } from './support/poll';
import { credentialFor, EXAMPLE_CREDENTIAL, readExample } from './support/workflows';

const TABLE = 'Video Queue';

/** The rows of the example that are bought, of a hundred. */
const CLIPS = Number(process.env.MEDIAGEN_QUEUE ?? 100);

/** n8n is killed when the service has accepted so many. */
const KILLED_AT = Math.floor(CLIPS * 0.45);

const SUBMISSION = { method: 'POST' as const, path: '/v1/videos/generations' };

const rowSchema = z.object({
	id: z.number(),
	sent: z.string().nullish(),
	task: z.string().nullish(),
	problem: z.string().nullish(),
	clip: z.string().nullish(),
});

type Row = z.infer<typeof rowSchema>;

/** The note of the example says so: such a row may have been bought. */
const isUncertain = ({ sent, task, problem, clip }: Row) =>
	Boolean(sent) && !task && !problem && !clip;

describeWithOwnHosts('The example of a video queue', (version, start) => {
	let host: Host;
	let sandbox: Sandbox;
	beforeAll(async () => {
		sandbox = await createSandbox({ allowPrivateCallbacks: true });
		host = await start();
		await host.createCredential(credentialFor(sandbox, EXAMPLE_CREDENTIAL));
	}, 20 * 60_000);
	afterAll(async () => await sandbox.close());

	if (version === '1.123') {
		test('needs n8n 2: here the Data Table node has no operations on tables', async () => {
			const [type] = await host.nodeTypes('n8n-nodes-base.dataTable');
			expect(JSON.stringify(type)).toContain('"value":"row"');
			expect(JSON.stringify(type)).not.toContain('"value":"table"');
		});
		return;
	}

	const rows = async () => (await rowsOf(host, TABLE)).map((row) => rowSchema.parse(row));

	const withClip = async () => (await rows()).filter(({ clip }) => clip).length;

	function definition(): object {
		const example = readExample('video-queue') as { pinData: { Rows: unknown[] } };
		return { ...example, pinData: { Rows: example.pinData.Rows.slice(0, CLIPS) } };
	}

	test(`${CLIPS} clips, n8n killed at ${KILLED_AT}, callbacks lost: run again, each row has its clip, and none is bought twice`, async () => {
		// The tasks of the first ten end while n8n is down; of three of them the service never calls back.
		sandbox.durations.set({ video: 40_000 });
		sandbox.faults.add({ match: SUBMISSION, count: 10, effect: { type: 'duration', ms: 3_000 } });
		sandbox.faults.add({ count: 3, effect: { type: 'missingCallback' } });
		sandbox.faults.add({ match: SUBMISSION, count: null, effect: { type: 'slow', ms: 200 } });

		const { id } = await host.importWorkflow(definition());
		await host.activate(id);
		await host.start(id);
		while (sandbox.ledger().accepted < KILLED_AT) await delay(5);
		const mark = host.log.mark;
		await host.kill();
		const before = sandbox.ledger().accepted;
		await host.restart();
		await untilRecovered(host, mark);
		const doubtful = (await rows()).filter(isUncertain);

		const again = await host.run(id, { timeout: 120_000 });
		expect(again.status).toBe('success');
		const over = async () =>
			Promise.resolve(
				sandbox.tasks.list().every(({ stage }) => stage === 'completed') &&
					sandbox.deliveries
						.list()
						.every(({ state }) => state !== 'waiting' && state !== 'sending'),
			);
		expect(await readUntil(over, true, 150_000)).toBe(true);
		const settled = async () => (await rows()).every((row) => row.clip || isUncertain(row));
		expect(await readUntil(settled, true, 30_000)).toBe(true);

		// What was bought without n8n having learnt of it has called back by now, with its row; the rest was never sent.
		const unsent = (await rows()).filter(isUncertain);
		expect(sandbox.ledger().accepted).toBe(CLIPS - unsent.length);
		for (const row of unsent) await emptyCell(host, TABLE, row.id, 'sent');
		expect((await host.run(id, { timeout: 120_000 })).status).toBe('success');
		const clips = await readUntil(withClip, CLIPS, 90_000);

		report(`Video queue, n8n ${version}, killed in the middle`, {
			rows: CLIPS,
			'bought before the kill': before,
			'uncertain after it': doubtful.length,
			'of these never sent': unsent.length,
			'bought in the end': sandbox.ledger().accepted,
			'rows with a clip': clips,
		});
		expect({ clips, bought: sandbox.ledger().accepted }).toEqual({ clips: CLIPS, bought: CLIPS });
		expect(doubtful.length).toBeLessThanOrEqual(10);
		expect(new Set((await rows()).map(({ task }) => task)).size).toBe(CLIPS);
	}, 400_000);
});
