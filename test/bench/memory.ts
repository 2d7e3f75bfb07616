/**
 * How much memory a 20 MB upload and a 200 MB download add to a real n8n, with binary data on disk.
 * Run with `npm run bench:memory`; needs what `npm start` needs. Ctrl-C ends it and the n8n it started.
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';

import {
	type Host,
	parseHostVersions,
	terminalProgress,
	type WorkflowDefinition,
} from '../../sandbox/host';
import type { Sandbox } from '../../sandbox/service';
import { UPLOAD_MAX_BYTES } from '../../nodes/shared/api/image';
import { chain, startByHand } from '../e2e/support/nodes';
import { writePicture } from './support/files';
import { picture, upload, uploadWorkflow } from './support/nodes';
import { openStage } from './support/stage';

const LIMIT_MB = 64;
const RUNS = 3;
const DOWNLOAD_BYTES = 200_000_000;
const MB = 1_000_000;

const download = chain('Download', [
	startByHand,
	picture('Picture', { downloadFiles: true, options: { pollInterval: 1 } }),
]);

/** Runs a workflow and gives the megabytes by which the peak went beyond what n8n held before. */
async function addedMb(host: Host, workflowId: string): Promise<number> {
	await host.resetPeakRss();
	const before = await host.rssBytes();
	const execution = await host.run(workflowId, { timeout: 120_000 });
	if (execution.status !== 'success') throw new Error(execution.error?.message ?? execution.status);
	return ((await host.peakRssBytes()) - before) / MB;
}

interface Measured {
	make: (size: 'small' | 'large') => WorkflowDefinition;
	prepare: (size: 'small' | 'large') => void;
}

/** Each figure is of an n8n just started, which has done the same with a small file before: that loads the code. */
async function measure(
	host: Host,
	sandbox: Sandbox,
	{ make, prepare }: Measured,
): Promise<number[]> {
	const small = await host.importWorkflow(make('small'));
	const large = await host.importWorkflow(make('large'));
	const added: number[] = [];
	for (let run = 0; run < RUNS; run++) {
		await host.restart();
		prepare('small');
		await addedMb(host, small.id);
		prepare('large');
		added.push(await addedMb(host, large.id));
		sandbox.reset();
	}
	return added.sort((a, b) => a - b);
}

async function main(): Promise<void> {
	for (const version of parseHostVersions(process.env.N8N_HOSTS ?? '1.123,2.41')) {
		const stage = await openStage(version, terminalProgress());
		const { host, sandbox } = stage;
		try {
			const folder = join(host.userFolder, '.n8n-files');
			await mkdir(folder, { recursive: true });
			const files = {
				small: await writePicture(folder, 1_000),
				large: await writePicture(folder, UPLOAD_MAX_BYTES),
			};
			const bytes = { small: 1_000, large: DOWNLOAD_BYTES };
			const rows = {
				'20 MB upload': await measure(host, sandbox, {
					make: (size) => uploadWorkflow(files[size], upload),
					prepare: () => undefined,
				}),
				'200 MB download': await measure(host, sandbox, {
					make: () => download,
					prepare: (size) => {
						sandbox.durations.set({ image: 0 });
						sandbox.faults.add({ effect: { type: 'resultBytes', bytes: bytes[size] } });
					},
				}),
			};
			for (const [name, added] of Object.entries(rows)) {
				const worst = Math.max(...added);
				const figures = added.map((megabytes) => megabytes.toFixed(0)).join(', ');
				console.log(
					`n8n ${version}  ${name.padEnd(16)} added to peak memory: ${figures} MB (limit ${LIMIT_MB})`,
				);
				if (worst >= LIMIT_MB) process.exitCode = 1;
			}
		} finally {
			await stage.close();
		}
	}
}

void main();
