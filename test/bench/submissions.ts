import type { Host, WorkflowDefinition } from '../../sandbox/host';
import type { Sandbox } from '../../sandbox/service';
import { chain, end, MODEL, promptItems, startByHand } from '../e2e/support/nodes';
import { watchEventLoop } from './support/eventLoop';
import { picture, request } from './support/nodes';
import { clearService, type Measurement } from './support/stage';
import { median } from './support/statistics';
import { megabytes, millis, ratio, seconds, table, metOrMissed } from './support/table';

const RUNS = 3;

const AT_ONCE = 50;

const COUNTS = (process.env.BENCH_ITEMS ?? '1000,5000').split(',').map(Number);

/** By how much longer than HTTP Request at most. */
const GOAL = 2;

const ours = (count: number): WorkflowDefinition => {
	const submit = picture('Submit', { waitMode: 'none', options: { concurrency: AT_ONCE } });
	return chain('Ours', [startByHand, promptItems(count), submit, end]);
};

/** The same requests by n8n's own node, in batches without a pause. */
const theirs = (url: string, count: number): WorkflowDefinition => {
	const submit = request('Submit', {
		method: 'POST',
		url: `${url}/v1/images/generations`,
		sendBody: true,
		specifyBody: 'json',
		jsonBody: `={{ { model: '${MODEL}', prompt: $json.prompt } }}`,
		options: { batching: { batch: { batchSize: AT_ONCE, batchInterval: 0 } } },
	});
	return chain('HTTP Request', [startByHand, promptItems(count), submit, end]);
};

interface Run {
	/** What n8n says of the node alone. */
	nodeMs: number;
	addedBytes: number;
	/** The longest time that n8n took to answer anything else meanwhile. */
	longestStopMs: number;
}

async function once(host: Host, sandbox: Sandbox, workflowId: string, count: number): Promise<Run> {
	clearService(sandbox);
	await host.resetPeakRss();
	const before = await host.rssBytes();
	const endWatch = watchEventLoop(host.url);
	const execution = await host.run(workflowId, { timeout: 300_000 });
	const longestStopMs = await endWatch();
	const addedBytes = (await host.peakRssBytes()) - before;
	const accepted = sandbox.ledger().accepted;
	if (execution.status !== 'success' || accepted !== count)
		throw new Error(`${execution.status}: ${accepted} tasks for ${count} items`);
	return { nodeMs: execution.runs.Submit?.[0]?.executionTime ?? NaN, addedBytes, longestStopMs };
}

const typical = (runs: readonly Run[]): Run => ({
	nodeMs: median(runs.map(({ nodeMs }) => nodeMs)),
	addedBytes: median(runs.map(({ addedBytes }) => addedBytes)),
	longestStopMs: median(runs.map(({ longestStopMs }) => longestStopMs)),
});

/** Many submissions without waiting, beside n8n's HTTP Request. */
export const submissions: Measurement = {
	name: 'submissions',
	title: 'Many submissions',
	about: `Tasks submitted with "Don't Wait", ${AT_ONCE} at a time, beside HTTP Request in batches of ${AT_ONCE}; median of ${RUNS} runs.`,
	usually: '3 min',
	async run({ host, sandbox, note }) {
		const rows: string[][] = [];
		const remarks: string[] = [];
		for (const count of COUNTS) {
			const [mine, other] = [
				await host.importWorkflow(ours(count)),
				await host.importWorkflow(theirs(sandbox.url, count)),
			];
			const runs: { mine: Run[]; other: Run[] } = { mine: [], other: [] };
			for (let run = 0; run < RUNS; run++) {
				note(`${count} items, run ${run + 1} of ${RUNS}`);
				runs.mine.push(await once(host, sandbox, mine.id, count));
				runs.other.push(await once(host, sandbox, other.id, count));
			}
			const [a, b] = [typical(runs.mine), typical(runs.other)];
			rows.push([
				String(count),
				seconds(a.nodeMs),
				seconds(b.nodeMs),
				ratio(a.nodeMs, b.nodeMs),
				megabytes(a.addedBytes),
				megabytes(b.addedBytes),
				millis(a.longestStopMs),
				millis(b.longestStopMs),
			]);
			remarks.push(
				`${count} items: ${ratio(a.nodeMs, b.nodeMs)} × HTTP Request, goal ${GOAL}: ${metOrMissed(a.nodeMs / b.nodeMs <= GOAL)}.`,
			);
		}
		return {
			tables: [
				table(
					[
						'items',
						'time: ours',
						'HTTP Request',
						'ratio',
						'added memory: ours',
						'HTTP Request',
						'longest stop: ours',
						'HTTP Request',
					],
					rows,
				),
			],
			remarks,
		};
	},
};
