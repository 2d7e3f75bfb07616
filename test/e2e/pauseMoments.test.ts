import { setTimeout as delay } from 'node:timers/promises';
import axios from 'axios';
import pLimit from 'p-limit';
import type { Host } from '../../sandbox/host';
import { MomentService } from './callbacks/momentService';
import { pausingWorkflow } from './callbacks/pausingWorkflow';
import { whenOver } from './callbacks/recorded';
import { report } from './callbacks/report';
import { answersOf } from './callbacks/sender';
import { describeWithOwnHosts } from './support/hosts';

/** `npm run test:callbacks` takes 300: an end every 5 ms. */
const ENDS = Number(process.env.MEDIAGEN_ENDS ?? 40);
const FIRST_MS = -1_000;
const LAST_MS = 500;
const WITHIN_MS = 15_000;
const CREDENTIAL = 'Moments';

/** Tells the service that the execution goes on. */
const arrive = (service: MomentService) => ({
	name: 'Arrive',
	type: 'n8n-nodes-base.httpRequest',
	typeVersion: 4.2,
	executeOnce: true,
	parameters: {
		url: `=${service.url}/arrived/{{ $json.taskId }}?completed={{ $input.all().filter(({ json }) => json.status === 'completed').length }}`,
		options: {},
	},
});

describeWithOwnHosts('Tasks that end around the moment of the pause', (version, start) => {
	let host: Host;
	let service: MomentService;

	beforeAll(async () => {
		service = await MomentService.open();
		host = await start();
		const data = {
			baseUrl: service.url,
			apiKey: 'moments',
			allowPrivateCallbacks: true,
			brandWords: '{}',
		};
		await host.createCredential({ name: CREDENTIAL, type: 'mediaGenApi', data });
	}, 20 * 60_000);
	beforeEach(() => service.reset());
	afterAll(async () => await service.close());

	test.each([
		[1, 10],
		[40, 3],
	])(
		`${ENDS} executions with %d rows each: all go on within 15 s of the last end, once`,
		async (rows, atOnce) => {
			const workflow = await pausingWorkflow(
				host,
				CREDENTIAL,
				{ options: { timeout: 3_600 } },
				{},
				arrive(service),
			);
			const limit = pLimit(atOnce);

			async function execute(run: number): Promise<void> {
				const offset = Math.round(FIRST_MS + (run * (LAST_MS - FIRST_MS)) / ENDS);
				const prompts = Array.from({ length: rows }, (_, row) =>
					JSON.stringify({ run, row, rows, offset }),
				);
				await axios.post(workflow.url, { prompts }, { proxy: false });
				for (const began = Date.now(); !service.arrivals.has(run); await delay(50)) {
					if (Date.now() > (service.endOf(run) ?? began + 60_000) + WITHIN_MS) return;
				}
			}

			const runs = Array.from({ length: ENDS }, (_, run) => run);
			await Promise.all(runs.map(async (run) => await limit(() => execute(run))));
			const recorded = await whenOver(host, workflow.id, 10_000);
			// A second resumption would come within moments of the first.
			await delay(2_000);

			const late = runs.filter(
				(run) =>
					(service.arrivals.get(run)?.[0]?.at ?? Infinity) - (service.endOf(run) ?? 0) > WITHIN_MS,
			);
			const doubled = runs.filter((run) => (service.arrivals.get(run)?.length ?? 0) > 1);
			const incomplete = runs.filter((run) =>
				service.arrivals.get(run)?.some(({ completed }) => completed !== rows),
			);
			const seconds = runs.map(
				(run) => ((service.arrivals.get(run)?.[0]?.at ?? 0) - (service.endOf(run) ?? 0)) / 1_000,
			);
			const answers = answersOf(await Promise.all(service.callbacks));
			report(`Ends around the pause, ${rows} rows, n8n ${version}`, {
				executions: ENDS,
				late: late.length,
				twice: doubled.length,
				'slowest (s)': Math.max(...seconds).toFixed(1),
				...answers,
			});
			expect({ late, doubled, incomplete }).toEqual({ late: [], doubled: [], incomplete: [] });
			expect(recorded.map(({ status }) => status)).toStrictEqual(runs.map(() => 'success'));
		},
		120_000 + ENDS * 20_000,
	);
});
