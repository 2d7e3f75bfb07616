import type { Execution, Host, WorkflowDefinition } from '../../sandbox/host';
import type { Sandbox } from '../../sandbox/service';
import { chain, end, promptItems, startByHand, workflow } from '../e2e/support/nodes';
import { cellsOf, type Figure, headOf, takeTurns } from './support/compare';
import { loopLinks, loopNodes, picture, submitByHand } from './support/nodes';
import { clearService, type Measurement } from './support/stage';
import { median } from './support/statistics';
import { megabytes, metOrMissed, seconds, table } from './support/table';

const TASK_MS = Number(process.env.BENCH_TASK_MS ?? 5_000);
const RUNS = 3;

/** Items and seconds between two looks: the node's default, and the shortest that it allows. */
const CASES = [
	{ count: 1, interval: 4 },
	{ count: 10, interval: 4 },
	{ count: 50, interval: 4 },
	{ count: 200, interval: 4 },
	{ count: 50, interval: 1 },
];

/** "50 items take the slowest task plus submission": by how much more at most. */
const GOAL = 1.3;

interface Run {
	count: number;
	wallMs: number;
	/** From the start of the execution to the moment at which the service had made the last picture. */
	serviceMs: number;
	requests: number;
	addedBytes: number;
}

const ours = (count: number, interval: number): WorkflowDefinition =>
	chain('Ours', [
		startByHand,
		promptItems(count),
		picture('Pictures', { options: { pollInterval: interval } }),
		end,
	]);

const loop = (url: string, count: number, interval: number): WorkflowDefinition =>
	workflow(
		'Loop',
		[startByHand, promptItems(count), submitByHand(url), ...loopNodes(url, interval), end],
		{
			Go: 'Items',
			Items: 'Submit',
			...loopLinks('End'),
		},
	);

/** A loop's last node runs once for each round in which tasks ended. */
function delivered(execution: Execution): number {
	return (execution.runs.End ?? []).reduce(
		(sum, run) => sum + (run.data?.main?.[0]?.length ?? 0),
		0,
	);
}

async function once(host: Host, sandbox: Sandbox, workflowId: string, count: number): Promise<Run> {
	clearService(sandbox);
	sandbox.durations.set({ image: TASK_MS });
	await host.resetPeakRss();
	const before = await host.rssBytes();
	const execution = await host.run(workflowId, { timeout: 120_000 });
	const addedBytes = (await host.peakRssBytes()) - before;
	const tasks = sandbox.tasks.list();
	if (execution.status !== 'success' || tasks.length !== count || delivered(execution) !== count) {
		throw new Error(
			`${execution.status}: ${tasks.length} tasks and ${delivered(execution)} results for ${count} items`,
		);
	}
	const started = Date.parse(execution.summary.startedAt ?? '');
	return {
		count,
		wallMs: Date.parse(execution.summary.stoppedAt ?? '') - started,
		serviceMs: Math.max(...tasks.map(({ endedAt }) => endedAt ?? Infinity)) - started,
		requests: sandbox.requests.list().length,
		addedBytes,
	};
}

const perService = ({ wallMs, serviceMs }: Run) => wallMs / serviceMs;

const perTask = ({ requests, count }: Run) => requests / count;

const FIGURES: Array<Figure<Run>> = [
	['time', ({ wallMs }) => wallMs, seconds, 'ratio'],
	['÷ service', perService, (value) => value.toFixed(2)],
	['requests per task', perTask, (value) => value.toFixed(1), 'ratio'],
	['added memory', ({ addedBytes }) => addedBytes, megabytes],
];

/** Many pictures in one execution, waited for by our node and by a loop of n8n's own nodes. */
export const manyItems: Measurement = {
	name: 'items',
	title: 'Many items',
	about: `Pictures of ${TASK_MS / 1_000} s in one execution, median of ${RUNS} runs.`,
	usually: '4 min',
	async run({ host, sandbox, note }) {
		const rows: string[][] = [];
		const remarks: string[] = [];
		for (const { count, interval } of CASES) {
			const mine = await host.importWorkflow(ours(count, interval));
			const theirs = await host.importWorkflow(loop(sandbox.url, count, interval));
			const sides = await takeTurns(RUNS, (turn) => note(`${count} items, run ${turn}`), {
				ours: async () => await once(host, sandbox, mine.id, count),
				theirs: async () => await once(host, sandbox, theirs.id, count),
			});
			rows.push([String(count), `${interval} s`, ...cellsOf(FIGURES, sides)]);
			const over = median(sides.ours.map(perService));
			const requests = median(sides.ours.map(perTask));
			const allowed = TASK_MS / 1_000 / interval + 2;
			remarks.push(
				`${count} ${count === 1 ? 'item' : 'items'}, every ${interval} s: ${over.toFixed(2)} × (submission + slowest task), goal ${GOAL}: ${metOrMissed(over <= GOAL)}; ` +
					`${requests.toFixed(1)} requests per task, submission included, goal ${allowed.toFixed(2)}: ${metOrMissed(requests <= allowed)}.`,
			);
		}
		const head = ['items', 'interval', ...headOf(FIGURES, 'loop')];
		return { tables: [table(head, rows)], remarks };
	},
};
