/**
 * How much memory a 20 MB upload and a 200 MB download add to a real n8n, with binary data on disk.
 * Run with `npm run bench:memory`; needs what `npm start` needs. Ctrl-C ends it and the n8n it started.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { type Host, packPackage, parseHostVersions, startHost, terminalProgress } from '../../sandbox/host';
import { createSandbox, type Sandbox } from '../../sandbox/service';
import { UPLOAD_MAX_BYTES } from '../../nodes/shared/api/picture';
import { credentialFor } from '../e2e/support/workflows';

type WorkflowJson = Parameters<Host['importWorkflow']>[0];

const LIMIT_MB = 64;
const RUNS = 3;
const DOWNLOAD_BYTES = 200_000_000;
const MB = 1_000_000;

const link = (to: string) => ({ main: [[{ node: to, type: 'main', index: 0 }]] });
const go = { id: 'go', name: 'Go', type: 'n8n-nodes-base.manualTrigger', typeVersion: 1, position: [0, 0], parameters: {} };
const credentials = { mediaGenApi: { id: '', name: 'Bench' } };

function uploadWorkflow(file: string): WorkflowJson {
	return {
		name: 'Upload',
		nodes: [
			go,
			{
				id: 'read',
				name: 'Read',
				type: 'n8n-nodes-base.readWriteFile',
				typeVersion: 1,
				position: [200, 0],
				parameters: { fileSelector: file },
			},
			{ id: 'wait', name: 'Wait', type: 'n8n-nodes-base.wait', typeVersion: 1.1, position: [300, 0], parameters: { amount: 3 } },
			{
				id: 'upload',
				name: 'Upload',
				type: 'n8n-nodes-mediagen.mediaGenUpload',
				typeVersion: 1,
				position: [400, 0],
				parameters: { resource: 'image', operation: 'upload', source: 'binary', binaryPropertyName: 'data' },
				credentials,
			},
		],
		connections: { Go: link('Read'), Read: link('Wait'), Wait: link('Upload') },
		settings: { executionOrder: 'v1' },
	};
}

function downloadWorkflow(): WorkflowJson {
	return {
		name: 'Download',
		nodes: [
			go,
			{
				id: 'picture',
				name: 'Picture',
				type: 'n8n-nodes-mediagen.mediaGenImage',
				typeVersion: 1,
				position: [200, 0],
				parameters: {
					resource: 'image',
					operation: 'generate',
					model: 'imagegen-2-official',
					prompt: 'A large picture',
					options: { downloadResults: true, pollInterval: 1 },
				},
				credentials,
			},
		],
		connections: { Go: link('Picture') },
		settings: { executionOrder: 'v1' },
	};
}

/** Runs a workflow and gives the megabytes by which the peak went beyond what n8n held before. */
async function addedMb(host: Host, workflowId: string): Promise<number> {
	await host.resetPeakRss();
	const before = await host.rssBytes();
	const execution = await host.run(workflowId, { timeout: 120_000 });
	if (execution.status !== 'success') throw new Error(execution.error?.message ?? execution.status);
	return ((await host.peakRssBytes()) - before) / MB;
}

interface Measured {
	workflow: (size: 'small' | 'large') => WorkflowJson;
	prepare: (size: 'small' | 'large') => void;
}

/** Each figure is of an n8n just started, which has done the same with a small file before: that loads the code. */
async function measure(host: Host, sandbox: Sandbox, { workflow, prepare }: Measured): Promise<number[]> {
	const small = await host.importWorkflow(workflow('small'));
	const large = await host.importWorkflow(workflow('large'));
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

async function writePicture(folder: string, bytes: number): Promise<string> {
	const head = Buffer.from('89504e470d0a1a0a', 'hex');
	const path = join(folder, `picture-${bytes}.png`);
	await writeFile(path, Buffer.concat([head, Buffer.alloc(bytes - head.length)]));
	return path;
}

async function main(): Promise<void> {
	const progress = terminalProgress();
	const tarball = await packPackage({ progress });
	const sandbox = await createSandbox({ durations: { image: 0 } });
	for (const version of parseHostVersions(process.env.N8N_HOSTS ?? '1.123,2.41')) {
		const host = await startHost({ version, tarball, progress });
		try {
			await host.createCredential(credentialFor(sandbox, 'Bench'));
			const folder = join(host.userFolder, '.n8n-files');
			await mkdir(folder, { recursive: true });
			const files = {
				small: await writePicture(folder, 1_000),
				large: await writePicture(folder, UPLOAD_MAX_BYTES),
			};
			const bytes = { small: 1_000, large: DOWNLOAD_BYTES };
			const rows = {
				'20 MB upload': await measure(host, sandbox, {
					workflow: (size) => uploadWorkflow(files[size]),
					prepare: () => undefined,
				}),
				'200 MB download': await measure(host, sandbox, {
					workflow: downloadWorkflow,
					prepare: (size) => {
						sandbox.faults.add({ effect: { type: 'resultBytes', bytes: bytes[size] } });
					},
				}),
			};
			for (const [name, added] of Object.entries(rows)) {
				const worst = Math.max(...added);
				const figures = added.map((megabytes) => megabytes.toFixed(0)).join(', ');
				console.log(`n8n ${version}  ${name.padEnd(16)} added to peak memory: ${figures} MB (limit ${LIMIT_MB})`);
				if (worst >= LIMIT_MB) process.exitCode = 1;
			}
		} finally {
			await host.stop();
		}
	}
	await sandbox.close();
}

void main();
