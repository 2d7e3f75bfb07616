import { setTimeout as delay } from 'node:timers/promises';
import pLimit from 'p-limit';
import { MomentService } from './callbacks/momentService';
import { pausingWorkflow } from './callbacks/pausing';
import { whenOver } from './callbacks/recorded';
import { report } from './callbacks/report';
import { answersOf } from './callbacks/sender';
import { callWebhook } from './support/executions';
import { describeWithOwnHosts, useHost } from './support/hosts';
import { httpRequest } from './support/nodes';
import { credentialAt } from './support/sandbox';

/** `npm run test:callbacks` takes 300: an end every 5 ms. */
const ENDS = Number(process.env.MEDIAGEN_ENDS ?? 40);
const FIRST_MS = -1_000;
const LAST_MS = 500;
/** The node looks 1, 3, 7, 15 and 31 s after the pause. */
const WITHIN_MS = 40_000;
const CREDENTIAL = 'Moments';

jest.setTimeout(120_000 + ENDS * 20_000);

/** Tells the service that the execution goes on. */
const arrive = (service: MomentService) => ({
	...httpRequest('Arrive', {
		url: `=${service.url}/arrived/{{ $json.taskId }}?completed={{ $input.all().filter(({ json }) => json.status === 'completed').length }}`,
	}),
	executeOnce: true,
});

describeWithOwnHosts('Tasks that end around the moment of the pause', (version, start) => {
	const host = useHost(start);
	let service: MomentService;
	beforeAll(async () => {
		service = await MomentService.open();
		await host().createCredential(credentialAt(CREDENTIAL, service.url, 'moments'));
	});
	beforeEach(() => service.reset());
	afterAll(async () => await service.close());

	test.each([
		[1, 10],
		[40, 3],
	])(
		`${ENDS} executions with %d rows each: all go on within ${WITHIN_MS / 1_000} s of the last end, once`,
		async (rows, atOnce) => {
			const options = { timeout: 3_600 };
			const workflow = await pausingWorkflow(host(), CREDENTIAL, { options }, {}, arrive(service));
			const limit = pLimit(atOnce);

			async function execute(run: number): Promise<void> {
				const offset = Math.round(FIRST_MS + (run * (LAST_MS - FIRST_MS)) / ENDS);
				const prompts = Array.from({ length: rows }, (_, row) =>
					JSON.stringify({ run, row, offset }),
				);
				await callWebhook(workflow.url, { prompts });
				for (const began = Date.now(); !service.arrivals.has(run); await delay(50)) {
					if (Date.now() > (service.endOf(run) ?? began + 60_000) + WITHIN_MS) return;
				}
			}

			const runs = Array.from({ length: ENDS }, (_, run) => run);
			await Promise.all(runs.map(async (run) => await limit(() => execute(run))));
			const recorded = await whenOver(host(), workflow.id, 60_000);
			// A second resumption would come within moments of the first.
			await delay(2_000);

			const arrivalsOf = (run: number) => service.arrivals.get(run) ?? [];
			/** Milliseconds from the end of the last task to the moment at which the execution went on. */
			const lagOf = (run: number) =>
				(arrivalsOf(run)[0]?.at ?? Infinity) - (service.endOf(run) ?? 0);
			const late = runs.filter((run) => lagOf(run) > WITHIN_MS);
			const doubled = runs.filter((run) => arrivalsOf(run).length > 1);
			const incomplete = runs.filter((run) =>
				arrivalsOf(run).some(({ completed }) => completed !== rows),
			);
			report(`Ends around the pause, ${rows} rows, n8n ${version}`, {
				executions: ENDS,
				late: late.length,
				twice: doubled.length,
				'slowest (s)': (Math.max(...runs.map(lagOf)) / 1_000).toFixed(1),
				...answersOf(await Promise.all(service.callbacks)),
			});
			expect({ late, doubled, incomplete }).toEqual({ late: [], doubled: [], incomplete: [] });
			expect(recorded.map(({ status }) => status)).toStrictEqual(runs.map(() => 'success'));
		},
	);
});
