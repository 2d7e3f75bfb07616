import { setTimeout as delay } from 'node:timers/promises';

import type { Host } from '../../sandbox/host';
import type { Sandbox } from '../../sandbox/service';
import { promptItems, startByHand, workflow } from '../e2e/support/nodes';
import { watchEventLoop } from './support/eventLoop';
import { picture } from './support/nodes';
import { clearService, type Measurement } from './support/stage';
import { millis, seconds, table } from './support/table';

const COUNTS = (process.env.BENCH_PAUSED ?? '50,200,800').split(',').map(Number);

const LIMIT_MS = 300_000;

interface Run {
	callbacks: number;
	/** Callbacks that found no connection, or no answer in time, at the first attempt. */
	missed: number;
	/** From the end of the tasks to the end of the execution. */
	ms: number;
	longestStopMs: number;
}

async function once(host: Host, sandbox: Sandbox, count: number): Promise<Run> {
	clearService(sandbox);
	sandbox.durations.set({ image: null });
	const pictures = picture('Pictures', {
		waitMode: 'callback',
		downloadFiles: false,
		options: { concurrency: 20 },
	});
	const { id: workflowId } = await host.importWorkflow(
		workflow(`${count} paused items`, [startByHand, promptItems(count), pictures], {
			Go: 'Items',
			Items: 'Pictures',
		}),
	);
	const id = (await host.start(workflowId)) ?? '';
	const { status: paused } = await host.waitFor(id, { timeout: LIMIT_MS, orWaiting: true });
	if (paused !== 'waiting') throw new Error(`The execution is "${paused}" and not waiting.`);
	await delay(2_000);
	const endWatch = watchEventLoop(host.url);
	const from = performance.now();
	sandbox.tasks.finishAll('image');
	const { status } = await host.waitFor(id, { timeout: LIMIT_MS });
	const ms = performance.now() - from;
	const longestStopMs = await endWatch();
	if (status !== 'success') throw new Error(`The execution ended as "${status}".`);
	const first = sandbox.deliveries.list().flatMap(({ attempts }) => attempts.slice(0, 1));
	return {
		callbacks: first.length,
		missed: first.filter((attempt) => attempt.status === null).length,
		ms,
		longestStopMs,
	};
}

/** What the callbacks of one paused execution cost: n8n loads all of its items for each. */
export const pausedItems: Measurement = {
	name: 'paused-items',
	title: 'Many items in one paused execution',
	about:
		'All tasks of a paused execution end at the same moment: until it is over, and how long n8n answers nothing else.',
	usually: '3 min',
	async run({ host, sandbox, note }) {
		const rows: string[][] = [];
		for (const count of COUNTS) {
			note(`${count} items`);
			const { callbacks, missed, ms, longestStopMs } = await once(host, sandbox, count);
			rows.push([
				String(count),
				String(callbacks),
				String(missed),
				seconds(ms),
				millis(ms / count),
				millis(longestStopMs),
			]);
		}
		return {
			tables: [
				table(
					['items', 'callbacks', 'without an answer', 'until the end', 'per item', 'longest stop'],
					rows,
				),
			],
			remarks: [],
		};
	},
};
