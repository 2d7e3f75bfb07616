import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import sharp from 'sharp';

import type { Host } from '../../sandbox/host';
import { createSandbox, type Sandbox } from '../../sandbox/service';
import { describeWithOwnHosts } from './support/hosts';
import { end, mediaGenApi, type NodeJson, startByHand, workflow } from './support/nodes';
import { credentialFor } from './support/workflows';

const CREDENTIAL = 'For the next node';

const TITLES = ['Lighthouse', 'Pier', 'Boat'];

const rows: NodeJson = {
	name: 'Rows',
	type: 'n8n-nodes-base.code',
	typeVersion: 2,
	parameters: {
		jsCode: `return ${JSON.stringify(TITLES)}.map((title) => ({ json: { title, prompt: 'A ' + title } }));`,
	},
};

const photo = (png: string): NodeJson => ({
	name: 'Photo',
	type: 'n8n-nodes-base.code',
	typeVersion: 2,
	parameters: {
		jsCode: `return [{ json: { movement: 'The boat leaves' }, binary: { data: { data: '${png}', mimeType: 'image/png', fileName: 'photo.png' } } }];`,
	},
});

describeWithOwnHosts('The next node uses a result as it is', (_, start) => {
	let sandbox: Sandbox;
	let host: Host;
	let folder: string;
	beforeAll(async () => {
		folder = await mkdtemp(join(tmpdir(), 'mediagen-files-'));
		sandbox = await createSandbox({ allowPrivateCallbacks: true });
		// n8n 2.x writes nowhere else than to the folder that it is given.
		host = await start({ env: { N8N_RESTRICT_FILE_ACCESS_TO: folder } });
		await host.createCredential(credentialFor(sandbox, CREDENTIAL));
	}, 180_000);
	beforeEach(() => {
		sandbox.reset();
		sandbox.durations.set({ image: 500, video: 500 });
	});
	afterAll(async () => {
		await sandbox.close();
		await rm(folder, { recursive: true, force: true });
	});

	async function run(name: string, nodes: NodeJson[]) {
		const links = Object.fromEntries(
			nodes.slice(1).map(({ name: to }, at) => [nodes[at]?.name ?? '', to]),
		);
		const { id } = await host.importWorkflow(workflow(name, nodes, links));
		const execution = await host.run(id, { timeout: 60_000 });
		expect(execution.error).toBeUndefined();
		return execution;
	}

	test('rows of a sheet → Image → Read/Write Files: a file on disk per row, named after a column; a task per row', async () => {
		const images: NodeJson = {
			name: 'Images',
			type: 'n8n-nodes-mediagen.mediaGenImage',
			parameters: {
				prompt: '={{ $json.prompt }}',
				output: 'files',
				options: { fileName: '={{ $json.title }}' },
			},
			credentials: mediaGenApi(CREDENTIAL),
		};
		const write: NodeJson = {
			name: 'Write',
			type: 'n8n-nodes-base.readWriteFile',
			parameters: {
				operation: 'write',
				fileName: `=${folder}/{{ $json.fileName }}`,
				dataPropertyName: 'data',
				options: {},
			},
		};
		await run('Rows to files', [startByHand, rows, images, write, end]);
		expect(sandbox.ledger().accepted).toBe(TITLES.length);
		for (const title of TITLES) {
			const { format, width } = await sharp(
				await readFile(join(folder, `${title}.png`)),
			).metadata();
			expect([format, width]).toEqual(['png', 1024]);
		}
	}, 90_000);

	test('a picture → Video: a clip of it; one task', async () => {
		const picture = sharp({
			create: { width: 640, height: 360, channels: 3, background: { r: 40, g: 90, b: 140 } },
		});
		const video: NodeJson = {
			name: 'Clip',
			type: 'n8n-nodes-mediagen.mediaGenVideo',
			parameters: {
				prompt: '={{ $json.movement }}',
				imageInput: 'firstFrame',
				firstFrameSource: 'binary',
				firstFrameBinaryProperty: 'data',
			},
			credentials: mediaGenApi(CREDENTIAL),
		};
		const execution = await run('Photo to clip', [
			startByHand,
			photo((await picture.png().toBuffer()).toString('base64')),
			video,
		]);
		expect(sandbox.ledger().accepted).toBe(1);
		expect(execution.json('Clip')).toMatchObject([{ family: 'video', status: 'completed' }]);
		const clips = await Promise.all(
			execution.files('Clip').map(async (file) => await host.binary(file)),
		);
		expect(
			clips.map(({ data, contentType }) => [contentType, data.subarray(4, 8).toString()]),
		).toEqual([['video/mp4', 'ftyp']]);
	}, 90_000);
});
