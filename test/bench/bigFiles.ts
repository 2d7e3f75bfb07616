import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import axios from 'axios';
import { z } from 'zod/v3';
import type { Execution, Host, WorkflowDefinition } from '../../sandbox/host';
import type { Sandbox } from '../../sandbox/service';
import { MODEL, startByHand, workflow } from '../e2e/support/nodes';
import { writePicture } from './support/files';
import { picture, request, upload, uploadWorkflow } from './support/nodes';
import type { Measurement } from './support/stage';
import { median } from './support/statistics';
import { megabytes, metOrMissed, ratio, table } from './support/table';

const RUNS = Number(process.env.BENCH_RUNS ?? 3);
const UPLOAD_BYTES = 20_000_000;
const DOWNLOAD_BYTES = 200_000_000;
const SMALL_BYTES = 1_000;
const QUIET_MS = 3_000;

/** What a file may add at most where n8n keeps it on disk. */
const GOAL_BYTES = 64_000_000;

const acceptance = z.object({ data: z.array(z.object({ task_id: z.string() })).nonempty() });

interface Transfer {
	/** Nodes whose time counts. */
	timed: string[];
	bytes: number;
	workflow: (bytes: number) => Promise<WorkflowDefinition>;
}

interface Figures {
	addedBytes: number;
	bytesPerSecond: number;
}

/** A finished task whose one result has that many bytes. */
async function finishedTask(sandbox: Sandbox, bytes: number): Promise<string> {
	sandbox.reset();
	sandbox.faults.add({ match: { method: 'POST' }, effect: { type: 'resultBytes', bytes } });
	const { data } = await axios.post<unknown>(
		`${sandbox.url}/v1/images/generations`,
		{ model: MODEL, prompt: 'A large picture' },
		{ headers: { authorization: `Bearer ${sandbox.key}` } },
	);
	const taskId = acceptance.parse(data).data[0].task_id;
	sandbox.tasks.finish(taskId);
	return taskId;
}

function transfers(
	sandbox: Sandbox,
	folder: string,
): Record<'up' | 'down', Record<'ours' | 'theirs', Transfer>> {
	return {
		up: {
			ours: {
				timed: ['Upload'],
				bytes: UPLOAD_BYTES,
				workflow: async (bytes) => uploadWorkflow(await writePicture(folder, bytes), upload),
			},
			theirs: {
				timed: ['Upload'],
				bytes: UPLOAD_BYTES,
				workflow: async (bytes) =>
					uploadWorkflow(
						await writePicture(folder, bytes),
						request('Upload', {
							method: 'POST',
							url: `${sandbox.url}/v1/uploads/images`,
							sendBody: true,
							contentType: 'multipart-form-data',
							bodyParameters: {
								parameters: [
									{ parameterType: 'formBinaryData', name: 'file', inputDataFieldName: 'data' },
								],
							},
						}),
					),
			},
		},
		down: {
			ours: {
				timed: ['Picture'],
				bytes: DOWNLOAD_BYTES,
				workflow: async (bytes) => {
					const taskId = await finishedTask(sandbox, bytes);
					return workflow(
						'Download by ours',
						[
							startByHand,
							picture('Picture', {
								resource: 'task',
								operation: 'get',
								taskId,
								downloadFiles: true,
							}),
						],
						{ Go: 'Picture' },
					);
				},
			},
			theirs: {
				timed: ['Look', 'Download'],
				bytes: DOWNLOAD_BYTES,
				workflow: async (bytes) => {
					const taskId = await finishedTask(sandbox, bytes);
					return workflow(
						'Download by HTTP Request',
						[
							startByHand,
							request('Look', { url: `${sandbox.url}/v1/tasks/${taskId}` }),
							request('Download', {
								url: '={{ $json.data.result.images[0].url[0] }}',
								options: { response: { response: { responseFormat: 'file' } } },
							}),
						],
						{ Go: 'Look', Look: 'Download' },
					);
				},
			},
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
async function measure(host: Host, transfer: Transfer): Promise<Figures> {
	await host.restart();
	await run(host, await transfer.workflow(SMALL_BYTES));
	const { execution, addedBytes } = await run(host, await transfer.workflow(transfer.bytes));
	const tookMs = transfer.timed.reduce(
		(sum, node) => sum + (execution.runs[node]?.[0]?.executionTime ?? NaN),
		0,
	);
	return { addedBytes, bytesPerSecond: transfer.bytes / (tookMs / 1_000) };
}

const typical = (figures: readonly Figures[]): Figures => ({
	addedBytes: median(figures.map(({ addedBytes }) => addedBytes)),
	bytesPerSecond: median(figures.map(({ bytesPerSecond }) => bytesPerSecond)),
});

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
		for (const [direction, { ours, theirs }] of Object.entries(transfers(sandbox, folder))) {
			const found: { ours: Figures[]; theirs: Figures[] } = { ours: [], theirs: [] };
			for (let turn = 0; turn < RUNS; turn++) {
				note(`${direction}, run ${turn + 1} of ${RUNS}`);
				found.ours.push(await measure(host, ours));
				found.theirs.push(await measure(host, theirs));
			}
			const [a, b] = [typical(found.ours), typical(found.theirs)];
			rows.push([
				`${megabytes(ours.bytes)} ${direction}`,
				megabytes(a.addedBytes),
				megabytes(b.addedBytes),
				ratio(a.addedBytes, b.addedBytes),
				`${megabytes(a.bytesPerSecond)}/s`,
				`${megabytes(b.bytesPerSecond)}/s`,
				ratio(a.bytesPerSecond, b.bytesPerSecond),
			]);
			remarks.push(
				`${megabytes(ours.bytes)} ${direction}: ${megabytes(a.addedBytes)} added, goal ${megabytes(GOAL_BYTES)} where n8n keeps files on disk: ${metOrMissed(a.addedBytes < GOAL_BYTES)}.`,
			);
		}
		const head = [
			'file',
			'added memory: ours',
			'HTTP Request',
			'ratio',
			'throughput: ours',
			'HTTP Request',
			'ratio',
		];
		return { tables: [table(head, rows)], remarks };
	},
};
