import { setTimeout as delay } from 'node:timers/promises';
import pLimit from 'p-limit';
import type { Host } from '../../sandbox/host';
import type { Sandbox } from '../../sandbox/service';
import { eventually } from '../e2e/support/poll';
import { type Arrivals, openArrivals } from './support/arrivals';
import { cpuSeconds } from './support/cpu';
import { ALTERNATIVE, singlePicture, type Way, WAY_TITLES, WAYS } from './support/singlePicture';
import { clearService, type Measurement } from './support/stage';
import { median } from './support/statistics';
import { megabytes, table } from './support/table';

const EXECUTIONS = Number(process.env.BENCH_WAITING ?? 100);
const RUNS = Number(process.env.BENCH_RUNS ?? 1);
const TASK_MS = 60_000;
const INTERVAL_S = 4;
/** After the last submission, and before the first end: what is between is nothing but waiting. */
const SETTLE_MS = 3_000;

interface Cost {
	requests: number;
	/** Seconds of processor time from the first start to the last result. */
	cpu: number;
	/** The same per second of nothing but waiting, for all executions together. */
	cpuPerSecond: number;
	addedBytes: number;
}

async function startAll(host: Host, url: string): Promise<void> {
	const limit = pLimit(10);
	await Promise.all(
		Array.from({ length: EXECUTIONS }, () => limit(() => host.api.raw.post(url, {}))),
	);
}

/** Processor seconds per second while every task is under way. */
async function waitingRate(host: Host, sandbox: Sandbox): Promise<number> {
	await eventually('all submissions', () => sandbox.tasks.list().length >= EXECUTIONS, TASK_MS);
	await delay(SETTLE_MS);
	const firstEnd = Math.min(...sandbox.tasks.list().map(({ createdAt }) => createdAt)) + TASK_MS;
	const [from, before] = [Date.now(), await cpuSeconds(host.pid)];
	if (firstEnd - from < 10_000)
		throw new Error('The submissions took so long that there is nothing left to measure.');
	await delay(firstEnd - from - 1_000);
	return ((await cpuSeconds(host.pid)) - before) / ((Date.now() - from) / 1_000);
}

async function measure(
	host: Host,
	sandbox: Sandbox,
	arrivals: Arrivals,
	url: string,
): Promise<Cost> {
	// Loads the code, so that no way pays for being the first.
	clearService(sandbox);
	arrivals.at.clear();
	sandbox.durations.set({ image: 1_500 });
	await host.api.raw.post(url, {});
	await eventually('the first result', () => arrivals.at.size === 1, 30_000);
	await delay(2_000);

	clearService(sandbox);
	arrivals.at.clear();
	sandbox.durations.set({ image: TASK_MS });
	await host.resetPeakRss();
	const [bytes, cpu] = [await host.rssBytes(), await cpuSeconds(host.pid)];
	await startAll(host, url);
	const cpuPerSecond = await waitingRate(host, sandbox);
	await eventually('all results', () => arrivals.at.size >= EXECUTIONS, 60_000);
	return {
		requests: sandbox.requests.list().length,
		cpu: (await cpuSeconds(host.pid)) - cpu,
		cpuPerSecond,
		addedBytes: (await host.peakRssBytes()) - bytes,
	};
}

async function idleRate(host: Host): Promise<number> {
	const [from, before] = [Date.now(), await cpuSeconds(host.pid)];
	await delay(15_000);
	return ((await cpuSeconds(host.pid)) - before) / ((Date.now() - from) / 1_000);
}

const perMinute = (rate: number) => `${(rate * 60).toFixed(1)} s`;

/** What is told of each way: its title, how it is taken from a turn, and how it is written. */
const FIGURES: ReadonlyArray<[string, (cost: Cost) => number, (value: number) => string]> = [
	['requests per task', ({ requests }) => requests / EXECUTIONS, (value) => value.toFixed(1)],
	['processor time in all', ({ cpu }) => cpu, (value) => `${value.toFixed(1)} s`],
	['per minute of waiting', ({ cpuPerSecond }) => cpuPerSecond, perMinute],
	['added memory', ({ addedBytes }) => addedBytes, megabytes],
];

const HEAD = ['way to wait', ...FIGURES.flatMap(([title]) => [title, 'ratio'])];

/** The median of the ratios of the turns: in each, ours and theirs were measured one after the other. */
const typicalRatio = (
	costs: readonly Cost[],
	alternative: readonly Cost[],
	pick: (cost: Cost) => number,
) => median(costs.map((cost, turn) => pick(cost) / pick(alternative[turn] ?? cost))).toFixed(2);

const row = (way: Way, costs: readonly Cost[], alternative: readonly Cost[]): string[] => [
	WAY_TITLES[way],
	...FIGURES.flatMap(([, pick, show]) => [
		show(median(costs.map(pick))),
		typicalRatio(costs, alternative, pick),
	]),
];

/** What n8n pays for executions that wait. */
export const waiting: Measurement = {
	name: 'waiting',
	title: 'Waiting cheaply',
	about: `${EXECUTIONS} executions at once, each waiting ${TASK_MS / 1_000} s for one picture, a request every ${INTERVAL_S} s; n8n started again for each way, median of ${RUNS}.`,
	usually: '6 min',
	async run({ host, sandbox, note }) {
		const arrivals = await openArrivals();
		try {
			const chosen = WAYS.filter((way) => process.env.BENCH_WAYS?.split(',').includes(way) ?? true);
			const measured = new Map<Way, Cost[]>(chosen.map((way) => [way, []]));
			let idle = 0;
			for (let turn = 0; turn < RUNS; turn++) {
				for (const way of chosen) {
					note(`${way}, run ${turn + 1} of ${RUNS}`);
					const { id } = await host.importWorkflow(
						singlePicture(sandbox.url, arrivals.url, INTERVAL_S)[way],
					);
					await host.restart();
					await host.activate(id);
					if (way === 'callback' && turn === 0) idle = await idleRate(host);
					measured
						.get(way)
						?.push(await measure(host, sandbox, arrivals, await host.webhookUrl(id)));
					await host.deactivate(id);
				}
			}
			const rows = (['callback', 'poll'] as const).flatMap((ours) => {
				const other = ALTERNATIVE[ours];
				const [mine, alternative] = [measured.get(ours) ?? [], measured.get(other) ?? []];
				if (mine.length === 0 || alternative.length === 0) return [];
				return [row(ours, mine, alternative), row(other, alternative, alternative)];
			});
			const remarks = [
				`An n8n that does nothing takes ${perMinute(idle)} of processor time a minute.`,
			];
			const [callback, loop] = [measured.get('callback'), measured.get('loop')];
			if (callback && loop) {
				const of = (pick: (cost: Cost) => number) => typicalRatio(callback, loop, pick);
				remarks.push(
					`callback against the loop: ${of(({ requests }) => requests)} of the requests, ${of(({ cpu }) => cpu)} of the processor time, ${of(({ cpuPerSecond }) => cpuPerSecond)} of it while waiting.`,
				);
			}
			return { tables: [table(HEAD, rows)], remarks };
		} finally {
			await arrivals.close();
		}
	},
};
