import { setTimeout as delay } from 'node:timers/promises';
import { type Listening, listenWith } from '../e2e/support/executions';
import { eventually } from '../e2e/support/poll';
import { type Arrivals, openArrivals } from './support/arrivals';
import { minimalPicture } from './support/minimalNodes';
import { ALTERNATIVE, singlePicture, type Way, WAY_TITLES } from './support/singlePicture';
import { clearService, type Measurement, type Stage } from './support/stage';
import { median, quantile } from './support/statistics';
import { millis, ratio, table, metOrMissed } from './support/table';

const SAMPLES = 24;
const INTERVAL_S = 4;
const CALLBACK_GOAL_MS = 150;
/** Between the starts of two executions. */
const PAUSE_MS = 300;
const LIMIT_MS = 60_000;

/** `minimal` is the least that a pause costs on n8n if the task is read from the service. */
type FreshWay = Way | 'minimal';

const TITLES: Record<FreshWay, string> = {
	...WAY_TITLES,
	minimal: 'HTTP Request + a minimal wait that reads the task',
};

interface Pass {
	/** They take turns, so that none of them has the colder n8n or the busier machine. */
	ways: readonly FreshWay[];
	/** Milliseconds that the picture of a round takes. */
	taskMs: (round: number) => number;
	/** Whether each execution must have gone on before the next one starts. */
	oneByOne: boolean;
}

const PASSES: Pass[] = [
	{ ways: ['callback', 'resume', 'minimal'], taskMs: () => 1_500, oneByOne: true },
	// Durations are spread evenly over one interval, so that no rhythm of polling is favoured.
	{
		ways: ['poll', 'loop'],
		taskMs: (round) => 6_000 + (round / SAMPLES) * INTERVAL_S * 1_000,
		oneByOne: false,
	},
];

/** Milliseconds from the end of each task at the service to the call of the node behind. The first round only warms n8n up. */
async function lags(
	{ host, sandbox, note }: Stage,
	arrivals: Arrivals,
	{ ways, taskMs, oneByOne }: Pass,
): Promise<Partial<Record<FreshWay, number[]>>> {
	clearService(sandbox);
	arrivals.at.clear();
	const workflows = {
		...singlePicture(sandbox.url, arrivals.url, INTERVAL_S),
		minimal: minimalPicture(sandbox.url, arrivals.url),
	};
	const active: Listening[] = [];
	for (const way of ways) active.push(await listenWith(host, workflows[way]));
	let started = 0;
	for (let round = 0; round <= SAMPLES; round++) {
		note(`${ways.join(' and ')}, ${round} of ${SAMPLES}`);
		sandbox.durations.set({ image: taskMs(round) });
		for (const { url } of active) {
			await host.api.raw.post(url, {});
			started += 1;
			const begun = () => (oneByOne ? arrivals.at.size : sandbox.tasks.list().length);
			await eventually('a workflow', () => begun() >= started, LIMIT_MS);
			await delay(PAUSE_MS);
		}
	}
	await eventually('all workflows', () => arrivals.at.size >= started, LIMIT_MS);
	for (const { id } of active) await host.deactivate(id);
	const all = sandbox.tasks
		.list()
		.map(({ id, endedAt }) => (arrivals.at.get(id) ?? NaN) - (endedAt ?? NaN));
	return Object.fromEntries(
		ways.map((way, turn) => [
			way,
			all.filter((_, index) => index >= ways.length && index % ways.length === turn),
		]),
	);
}

/** How long a finished picture lies at the service before the workflow goes on with it. */
export const freshResults: Measurement = {
	name: 'fresh',
	title: 'Fresh results',
	about: `From "completed at the service" to the next node: ${SAMPLES} executions each, a look every ${INTERVAL_S} s.`,
	usually: '3 min',
	async run(stage) {
		const found: Record<FreshWay, number[]> = {
			...{ callback: [], resume: [], minimal: [], poll: [], loop: [] },
		};
		const arrivals = await openArrivals();
		try {
			for (const pass of PASSES) Object.assign(found, await lags(stage, arrivals, pass));
		} finally {
			await arrivals.close();
		}
		const { callback, resume, poll, loop } = found;
		const row = (way: FreshWay, alternative?: Way) => [
			TITLES[way],
			millis(median(found[way])),
			millis(quantile(found[way], 0.9)),
			millis(Math.max(...found[way])),
			alternative ? ratio(median(found[way]), median(found[alternative])) : '1',
		];
		const half = (INTERVAL_S * 1_000) / 2;
		return {
			tables: [
				table(
					['way to wait', 'median', '90 %', 'longest', 'ours ÷ alternative'],
					[
						row('callback', ALTERNATIVE.callback),
						row('resume'),
						row('minimal', 'resume'),
						row('poll', ALTERNATIVE.poll),
						row('loop'),
					],
				),
			],
			remarks: [
				`callback: median ${millis(median(callback))}, goal ${CALLBACK_GOAL_MS} ms: ${metOrMissed(median(callback) < CALLBACK_GOAL_MS)}; ${ratio(median(callback), median(loop))} of the loop's.`,
				`poll: median ${millis(median(poll))}, goal ${half} ms: ${metOrMissed(median(poll) < half)}.`,
				`Behind "On Webhook Call" (${millis(median(resume))}) nobody has asked the service whether the call is true.`,
			],
		};
	},
};
