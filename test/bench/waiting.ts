import { setTimeout as delay } from 'node:timers/promises';
import pLimit from 'p-limit';
import type { Host } from '../../sandbox/host';
import type { Sandbox } from '../../sandbox/service';
import { Arrivals } from './support/arrivals';
import { cpuSeconds } from './support/cpu';
import { ALTERNATIVE, singlePicture, type Way, WAY_TITLES, WAYS } from './support/singlePicture';
import { clearService, type Measurement } from './support/stage';
import { megabytes, ratio, table } from './support/table';
import { until } from './support/until';

const EXECUTIONS = Number(process.env.BENCH_WAITING ?? 100);
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
	await until('all submissions', () => sandbox.tasks.list().length >= EXECUTIONS, TASK_MS);
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
	await until('the first result', () => arrivals.at.size === 1, 30_000);
	await delay(2_000);

	clearService(sandbox);
	arrivals.at.clear();
	sandbox.durations.set({ image: TASK_MS });
	await host.resetPeakRss();
	const [bytes, cpu] = [await host.rssBytes(), await cpuSeconds(host.pid)];
	await startAll(host, url);
	const cpuPerSecond = await waitingRate(host, sandbox);
	await until('all results', () => arrivals.at.size >= EXECUTIONS, 60_000);
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

function rows(costs: Record<Way, Cost>): string[][] {
	return (Object.keys(ALTERNATIVE) as Array<keyof typeof ALTERNATIVE>).flatMap((ours) => {
		const other = ALTERNATIVE[ours];
		const cells = (way: Way, compare: (pick: (cost: Cost) => number) => string) => {
			const { requests, cpu, cpuPerSecond, addedBytes } = costs[way];
			return [
				WAY_TITLES[way],
				(requests / EXECUTIONS).toFixed(1),
				compare((cost) => cost.requests),
				`${cpu.toFixed(1)} s`,
				compare((cost) => cost.cpu),
				perMinute(cpuPerSecond),
				compare((cost) => cost.cpuPerSecond),
				megabytes(addedBytes),
				compare((cost) => cost.addedBytes),
			];
		};
		return [
			cells(ours, (pick) => ratio(pick(costs[ours]), pick(costs[other]))),
			cells(other, () => '1'),
		];
	});
}

/** What n8n pays for executions that wait. */
export const waiting: Measurement = {
	name: 'waiting',
	title: 'Waiting cheaply',
	about: `${EXECUTIONS} executions at once, each waiting ${TASK_MS / 1_000} s for one picture, a request every ${INTERVAL_S} s; n8n started again for each way.`,
	usually: '6 min',
	async run({ host, sandbox, note }) {
		const arrivals = await Arrivals.open();
		try {
			const costs: Partial<Record<Way, Cost>> = {};
			let idle = 0;
			for (const way of WAYS) {
				note(way);
				const { id } = await host.importWorkflow(
					singlePicture(sandbox.url, arrivals.url, INTERVAL_S)[way],
				);
				await host.restart();
				await host.activate(id);
				if (way === 'callback') idle = await idleRate(host);
				costs[way] = await measure(host, sandbox, arrivals, await host.webhookUrl(id));
				await host.deactivate(id);
			}
			const { callback, resume, poll, loop } = costs;
			if (!callback || !resume || !poll || !loop) throw new Error('A way to wait was left out.');
			const head = [
				'way to wait',
				'requests per task',
				'ratio',
				'processor time in all',
				'ratio',
				'per minute of waiting',
				'ratio',
				'added memory',
				'ratio',
			];
			return {
				tables: [table(head, rows({ callback, resume, poll, loop }))],
				remarks: [
					`An n8n that does nothing takes ${perMinute(idle)} of processor time a minute.`,
					`callback against the loop: ${ratio(callback.requests, loop.requests)} of the requests, ${ratio(callback.cpu, loop.cpu)} of the processor time, ${ratio(callback.cpuPerSecond, loop.cpuPerSecond)} of it while waiting.`,
				],
			};
		} finally {
			await arrivals.close();
		}
	},
};
