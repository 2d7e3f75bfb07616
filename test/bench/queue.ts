/**
 * Tasks per minute in n8n's queue mode with one and with two workers, each execution waiting for one picture.
 * Run with `npm run bench:queue [-- <n8n version>]`; about 8 minutes. Needs what `sandbox/host` says of queue mode. Ctrl-C
 * ends it and all that it started.
 */
import pLimit from 'p-limit';
import {
	type Host,
	packPackage,
	parseHostVersions,
	startQueueHost,
	terminalProgress,
} from '../../sandbox/host';
import { createSandbox, type Sandbox } from '../../sandbox/service';
import { listenWith } from '../e2e/support/executions';
import { eventually } from '../e2e/support/poll';
import { type Arrivals, openArrivals } from './support/arrivals';
import { giveCredentials } from './support/credentials';
import { singlePicture, type Way, WAY_TITLES } from './support/singlePicture';
import { clearService } from './support/stage';
import { table } from './support/table';

const EXECUTIONS = Number(process.env.BENCH_QUEUE ?? 60);
const TASK_MS = 10_000;
const INTERVAL_S = 4;
const COMPARED: Way[] = ['callback', 'poll', 'loop'];

/** Executions that come to their end per minute when they all start at once. */
async function perMinute(
	host: Host,
	sandbox: Sandbox,
	arrivals: Arrivals,
	way: Way,
): Promise<number> {
	const waits = singlePicture(sandbox.url, arrivals.url, INTERVAL_S)[way];
	const { id, url } = await listenWith(host, waits);
	const round = async (executions: number) => {
		clearService(sandbox);
		arrivals.at.clear();
		sandbox.durations.set({ image: TASK_MS });
		const limit = pLimit(10);
		const started = Date.now();
		await Promise.all(
			Array.from({ length: executions }, () => limit(() => host.api.raw.post(url, {}))),
		);
		await eventually(`${executions} by ${way}`, () => arrivals.at.size >= executions, 300_000);
		return (executions * 60_000) / (Date.now() - started);
	};
	// Loads the code in every process.
	await round(4);
	const rate = await round(EXECUTIONS);
	await host.deactivate(id);
	return rate;
}

async function main(version: string): Promise<void> {
	const [known] = parseHostVersions(version);
	if (!known) throw new Error('Name a version of n8n, for example 1.123.');
	const progress = terminalProgress();
	const tarball = await packPackage({ progress });
	const sandbox = await createSandbox({ allowPrivateCallbacks: true });
	const arrivals = await openArrivals();
	const rates = new Map<Way, number[]>(COMPARED.map((way) => [way, []]));
	try {
		for (const workers of [1, 2]) {
			const host = await startQueueHost({
				version: known,
				tarball,
				workers,
				webhooks: 1,
				progress,
			});
			try {
				await giveCredentials(host, sandbox);
				for (const way of COMPARED) {
					const rate = await progress.step(
						`${way}, ${workers} workers`,
						() => perMinute(host, sandbox, arrivals, way),
						'1 min',
					);
					rates.get(way)?.push(rate);
				}
			} finally {
				await host.stop();
			}
		}
	} finally {
		await arrivals.close();
		await sandbox.close();
	}
	const row = (way: Way) => {
		const [one = NaN, two = NaN] = rates.get(way) ?? [];
		return [WAY_TITLES[way], one.toFixed(0), two.toFixed(0), (two / one).toFixed(2)];
	};
	console.log(
		`\n## Queue mode: tasks per minute, ${EXECUTIONS} executions with one picture of ${TASK_MS / 1_000} s each (n8n ${known})\n`,
	);
	console.log(table(['way to wait', '1 worker', '2 workers', 'ratio'], COMPARED.map(row)));
}

main(process.argv[2] ?? '1.123').catch((error: unknown) => {
	console.error(error instanceof Error ? error.message : error);
	process.exitCode = 1;
});
