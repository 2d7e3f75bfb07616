import type { Host, WorkflowDefinition } from '../../sandbox/host';
import type { Sandbox } from '../../sandbox/service';
import { chain, end, MODEL, promptItems, startByHand } from '../e2e/support/nodes';
import { cellsOf, type Figure, headOf, takeTurns } from './support/compare';
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

const nodeMs = (run: Run) => run.nodeMs;

const FIGURES: Array<Figure<Run>> = [
	['time', nodeMs, seconds, 'ratio'],
	['added memory', ({ addedBytes }) => addedBytes, megabytes],
	['longest stop', ({ longestStopMs }) => longestStopMs, millis],
];

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
			const mine = await host.importWorkflow(ours(count));
			const other = await host.importWorkflow(theirs(sandbox.url, count));
			const sides = await takeTurns(RUNS, (turn) => note(`${count} items, run ${turn}`), {
				ours: async () => await once(host, sandbox, mine.id, count),
				theirs: async () => await once(host, sandbox, other.id, count),
			});
			rows.push([String(count), ...cellsOf(FIGURES, sides)]);
			const [a, b] = [median(sides.ours.map(nodeMs)), median(sides.theirs.map(nodeMs))];
			remarks.push(
				`${count} items: ${ratio(a, b)} × HTTP Request, goal ${GOAL}: ${metOrMissed(a / b <= GOAL)}.`,
			);
		}
		return { tables: [table(['items', ...headOf(FIGURES, 'HTTP Request')], rows)], remarks };
	},
};
