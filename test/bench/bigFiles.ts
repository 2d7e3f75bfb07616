import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Execution, Host, WorkflowDefinition } from '../../sandbox/host';
import type { Sandbox } from '../../sandbox/service';
import { buy } from '../e2e/callbacks/tasks';
import { chain, type NodeJson, startByHand } from '../e2e/support/nodes';
import { cellsOf, type Figure, headOf, takeTurns } from './support/compare';
import { picture, request, upload, uploadWorkflow } from './support/nodes';
import type { Measurement } from './support/stage';
import { median } from './support/statistics';
import { megabytes, metOrMissed, table } from './support/table';

const RUNS = Number(process.env.BENCH_RUNS ?? 3);
const UPLOAD_BYTES = 20_000_000;
const DOWNLOAD_BYTES = 200_000_000;
const SMALL_BYTES = 1_000;
const QUIET_MS = 3_000;

/** What a file may add at most where n8n keeps it on disk. */
const GOAL_BYTES = 64_000_000;

const PNG_HEAD = Buffer.from('89504e470d0a1a0a', 'hex');

interface Transfer {
	/** Nodes whose time counts. */
	timed: string[];
	workflow: (bytes: number) => Promise<WorkflowDefinition>;
}

interface Direction {
	bytes: number;
	ours: Transfer;
	theirs: Transfer;
}

interface Figures {
	addedBytes: number;
	bytesPerSecond: number;
}

/** Writes a file of that many bytes that begins as a PNG does, and gives its path. */
async function writePicture(folder: string, bytes: number): Promise<string> {
	const path = join(folder, `picture-${bytes}.png`);
	await writeFile(path, Buffer.concat([PNG_HEAD, Buffer.alloc(bytes - PNG_HEAD.length)]));
	return path;
}

/** A finished task whose one result has that many bytes. */
async function finishedTask(sandbox: Sandbox, bytes: number): Promise<string> {
	sandbox.reset();
	sandbox.faults.add({ match: { method: 'POST' }, effect: { type: 'resultBytes', bytes } });
	const taskId = await buy(sandbox);
	sandbox.tasks.finish(taskId);
	return taskId;
}

function directions(sandbox: Sandbox, folder: string): Record<'up' | 'down', Direction> {
	const sentBy = (node: NodeJson): Transfer => ({
		timed: [node.name],
		workflow: async (bytes) => uploadWorkflow(await writePicture(folder, bytes), node),
	});
	const form = [{ parameterType: 'formBinaryData', name: 'file', inputDataFieldName: 'data' }];
	const uploadByHand = request('Upload', {
		method: 'POST',
		url: `${sandbox.url}/v1/uploads/images`,
		sendBody: true,
		contentType: 'multipart-form-data',
		bodyParameters: { parameters: form },
	});
	const fetchedBy = (timed: string[], nodesFor: (taskId: string) => NodeJson[]): Transfer => ({
		timed,
		workflow: async (bytes) => {
			const nodes = nodesFor(await finishedTask(sandbox, bytes));
			return chain(`Download by ${timed.join(' and ')}`, [startByHand, ...nodes]);
		},
	});
	return {
		up: { bytes: UPLOAD_BYTES, ours: sentBy(upload), theirs: sentBy(uploadByHand) },
		down: {
			bytes: DOWNLOAD_BYTES,
			ours: fetchedBy(['Picture'], (taskId) => [
				picture('Picture', { resource: 'task', operation: 'get', taskId, downloadFiles: true }),
			]),
			theirs: fetchedBy(['Look', 'Download'], (taskId) => [
				request('Look', { url: `${sandbox.url}/v1/tasks/${taskId}` }),
				request('Download', {
					url: '={{ $json.data.result.images[0].url[0] }}',
					options: { response: { response: { responseFormat: 'file' } } },
				}),
			]),
		},
	};
}

async function run(
	host: Host,
	json: WorkflowDefinition,
): Promise<{ execution: Execution; addedBytes: number }> {
	const { id } = await host.importWorkflow(json);
	await host.resetPeakRss();
	const before = await host.rssBytes();
	const started = await host.start(id);
	// Each question about its status takes n8n's time: none is asked while it is measured.
	await delay(QUIET_MS);
	const execution = await host.waitFor(started ?? '', { timeout: 120_000 });
	if (execution.status !== 'success') throw new Error(execution.error?.message ?? execution.status);
	return { execution, addedBytes: (await host.peakRssBytes()) - before };
}

/** Of an n8n just started that has done the same with a small file before: that loads the code. */
async function measure(host: Host, transfer: Transfer, bytes: number): Promise<Figures> {
	await host.restart();
	await run(host, await transfer.workflow(SMALL_BYTES));
	const { execution, addedBytes } = await run(host, await transfer.workflow(bytes));
	const tookMs = transfer.timed.reduce(
		(sum, node) => sum + (execution.runs[node]?.[0]?.executionTime ?? NaN),
		0,
	);
	return { addedBytes, bytesPerSecond: bytes / (tookMs / 1_000) };
}

const FIGURES: Array<Figure<Figures>> = [
	['added memory', ({ addedBytes }) => addedBytes, megabytes, 'ratio'],
	['throughput', ({ bytesPerSecond }) => bytesPerSecond, (rate) => `${megabytes(rate)}/s`, 'ratio'],
];

/** Files that are large for a workflow, against the HTTP Request node with the same file. */
export const bigFiles: Measurement = {
	name: 'files',
	title: 'Big files',
	about: `One file, median of ${RUNS} runs; n8n started again for each. By default 1.123 keeps files in memory, 2.41 on disk.`,
	usually: '5 min',
	async run({ host, sandbox, note }) {
		const folder = join(host.userFolder, '.n8n-files');
		await mkdir(folder, { recursive: true });
		const rows: string[][] = [];
		const remarks: string[] = [];
		const all = Object.entries(directions(sandbox, folder));
		for (const [direction, { bytes, ours, theirs }] of all) {
			const found = await takeTurns(RUNS, (turn) => note(`${direction}, run ${turn}`), {
				ours: async () => await measure(host, ours, bytes),
				theirs: async () => await measure(host, theirs, bytes),
			});
			const file = `${megabytes(bytes)} ${direction}`;
			const added = median(found.ours.map(({ addedBytes }) => addedBytes));
			rows.push([file, ...cellsOf(FIGURES, found)]);
			remarks.push(
				`${file}: ${megabytes(added)} added, goal ${megabytes(GOAL_BYTES)} where n8n keeps files on disk: ${metOrMissed(added < GOAL_BYTES)}.`,
			);
		}
		const head = ['file', ...headOf(FIGURES, 'HTTP Request')];
		return { tables: [table(head, rows)], remarks };
	},
};
