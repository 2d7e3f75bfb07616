import { setTimeout as delay } from 'node:timers/promises';

import { z } from 'zod/v3';

import { report } from './callbacks/report';
import { emptyCell, rowsOf } from './support/dataTables';
import { restart } from './support/executions';
import { describeWithOwnHosts, useHost } from './support/hosts';
import { readUntil } from './support/poll';
import { callbacksAreOver, useSandbox } from './support/sandbox';
import { EXAMPLE_CREDENTIAL, readExample } from './support/workflows';

const TABLE = 'Video Queue';

/** The rows of the example that are bought, of a hundred. */
const CLIPS = Number(process.env.MEDIAGEN_QUEUE ?? 100);

/** n8n is killed when the service has accepted so many. */
const KILLED_AT = Math.floor(CLIPS * 0.45);

const CLIP = { method: 'POST', path: '/v1/videos/generations' };

const rowSchema = z.object({
	id: z.number(),
	sent: z.string().nullish(),
	task: z.string().nullish(),
	clip: z.string().nullish(),
});

type Row = z.infer<typeof rowSchema>;

/** The note of the example says so: such a row may have been bought. */
const isUncertain = ({ sent, task, clip }: Row) => Boolean(sent) && !task && !clip;

describeWithOwnHosts('The example of a video queue', (version, start) => {
	const host = useHost(start);
	const sandbox = useSandbox(host, EXAMPLE_CREDENTIAL);

	if (version === '1.123') {
		test('needs n8n 2: here the Data Table node has no operations on tables', async () => {
			const [type] = await host().nodeTypes('n8n-nodes-base.dataTable');
			expect(JSON.stringify(type)).toContain('"value":"row"');
			expect(JSON.stringify(type)).not.toContain('"value":"table"');
		});
		return;
	}

	const rows = async () => (await rowsOf(host(), TABLE)).map((row) => rowSchema.parse(row));

	const accepted = () => sandbox().ledger().accepted;

	function definition(): object {
		const example = readExample('video-queue') as { pinData: { Rows: unknown[] } };
		return { ...example, pinData: { Rows: example.pinData.Rows.slice(0, CLIPS) } };
	}

	test(`${CLIPS} clips, n8n killed at ${KILLED_AT}, callbacks lost: run again, each row has its clip, and none is bought twice`, async () => {
		// The tasks of the first ten end while n8n is down; of three of them the service never calls back.
		sandbox().durations.set({ video: 40_000 });
		sandbox().faults.add({ match: CLIP, count: 10, effect: { type: 'duration', ms: 3_000 } });
		sandbox().faults.add({ count: 3, effect: { type: 'missingCallback' } });
		sandbox().faults.add({ match: CLIP, count: null, effect: { type: 'slow', ms: 200 } });

		const { id } = await host().importWorkflow(definition());
		await host().activate(id);
		await host().start(id);
		while (accepted() < KILLED_AT) await delay(5);
		await host().kill();
		const before = accepted();
		await restart(host());
		const doubtful = (await rows()).filter(isUncertain);

		const runAgain = async () =>
			expect((await host().run(id, { timeout: 300_000 })).status).toBe('success');
		await runAgain();
		const completed = () =>
			sandbox()
				.tasks.list()
				.every(({ stage }) => stage === 'completed');
		expect(await readUntil(completed, true, 150_000)).toBe(true);
		await callbacksAreOver(sandbox(), 150_000);
		const settled = async () => (await rows()).every((row) => row.clip || isUncertain(row));
		expect(await readUntil(settled, true, 120_000)).toBe(true);

		// What was bought without n8n having learnt of it has called back by now, with its row; the rest was never sent.
		const unsent = (await rows()).filter(isUncertain);
		expect(accepted()).toBe(CLIPS - unsent.length);
		for (const row of unsent) await emptyCell(host(), TABLE, row.id, 'sent');
		await runAgain();
		const withClip = async () => (await rows()).filter(({ clip }) => clip).length;
		const clips = await readUntil(withClip, CLIPS, 90_000);

		report(`Video queue, n8n ${version}, killed in the middle`, {
			rows: CLIPS,
			'bought before the kill': before,
			'uncertain after it': doubtful.length,
			'of these never sent': unsent.length,
			'bought in the end': accepted(),
			'rows with a clip': clips,
		});
		expect({ clips, bought: accepted() }).toEqual({ clips: CLIPS, bought: CLIPS });
		expect(doubtful.length).toBeLessThanOrEqual(10);
		expect(new Set((await rows()).map(({ task }) => task)).size).toBe(CLIPS);
	}, 900_000);
});
