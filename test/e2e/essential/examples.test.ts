import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import sharp from 'sharp';

import type { Execution, Host } from '../../../sandbox/host';
import { createSandbox, type Sandbox } from '../../../sandbox/service';
import { withOriginals } from '../../../sandbox/start/examples';
import { FFPROBE } from '../../support/ffprobe';
import { describeOnHosts } from '../support/hosts';
import { credentialFor, EXAMPLE_CREDENTIAL } from '../support/workflows';

const run = promisify(execFile);

interface Media {
	format: string;
	seconds: number;
	codecs: string[];
	width?: number;
	height?: number;
}

interface Probe {
	format: { format_name: string; duration: string };
	streams: Array<{ codec_name: string; width?: number; height?: number }>;
}

describeOnHosts('The examples', (host) => {
	let sandbox: Sandbox;
	let folder: string;
	beforeAll(async () => {
		folder = await mkdtemp(join(tmpdir(), 'mediagen-examples-'));
		const fast = { image: 500, music: 500, grid: 500, video: 500 };
		sandbox = await createSandbox({ allowPrivateCallbacks: true, durations: fast });
		await host().putCredential(credentialFor(sandbox, EXAMPLE_CREDENTIAL));
	});
	afterAll(async () => {
		await sandbox.close();
		await rm(folder, { recursive: true, force: true });
	});

	async function runExample(name: string): Promise<Execution> {
		const text = await readFile(join(__dirname, `../../../examples/${name}.json`), 'utf8');
		const definition = JSON.parse(withOriginals(text, sandbox)) as Parameters<Host['importWorkflow']>[0];
		const workflow = await host().importWorkflow(definition);
		const execution = await host().run(workflow.id, { timeout: 120_000 });
		expect(execution.error).toBeUndefined();
		expect(execution.status).toBe('success');
		return execution;
	}

	/** Every file that a node put out, as bytes. */
	async function filesOf(execution: Execution, node: string): Promise<Buffer[]> {
		const ids = execution
			.items(node)
			.flatMap(({ binary }) => Object.values(binary ?? {}))
			.flatMap(({ id }) => (id === undefined ? [] : [id]));
		return await Promise.all(ids.map(async (id) => (await host().binary(id)).data));
	}

	async function probe(file: Buffer): Promise<Media> {
		const path = join(folder, `file-${Date.now()}-${file.length}`);
		await writeFile(path, file);
		const { stdout } = await run(FFPROBE, ['-v', 'error', '-print_format', 'json', '-show_format', '-show_streams', path]);
		const { format, streams } = JSON.parse(stdout) as Probe;
		const [picture] = streams.filter(({ width }) => width !== undefined);
		return {
			format: format.format_name,
			seconds: Number(format.duration),
			codecs: streams.map(({ codec_name }) => codec_name),
			width: picture?.width,
			height: picture?.height,
		};
	}

	test('song → stems → files that play', async () => {
		const execution = await runExample('song-to-stems');
		const files = await filesOf(execution, 'Stems');
		expect(files.length).toBeGreaterThan(0);
		for (const file of files) {
			const media = await probe(file);
			expect(media.format).toMatch(/wav|mp3/);
			expect(media.seconds).toBeGreaterThan(0);
		}
	}, 150_000);

	test('sheet of prompts → one item per picture', async () => {
		const execution = await runExample('sheet-to-images');
		const rows = execution.items('One Item per Row').length;
		const images = execution.items('Images');
		expect(images.length).toBeGreaterThanOrEqual(rows);
		for (const { json } of images) {
			const answer = await fetch(String(json.url));
			const { format, width } = await sharp(Buffer.from(await answer.arrayBuffer())).metadata();
			expect(format).toMatch(/png|jpeg|webp/);
			expect(width).toBeGreaterThan(0);
		}
	}, 150_000);

	test('picture → video → a longer video', async () => {
		const execution = await runExample('picture-to-video');
		for (const node of ['Video', 'Extended Video']) {
			const [json] = execution.json(node);
			const results = json?.results as Array<{ url: string; kind: string }> | undefined;
			const url = results?.find(({ kind }) => kind === 'video')?.url ?? String(json?.url);
			const media = await probe(Buffer.from(await (await fetch(url)).arrayBuffer()));
			expect(media.codecs).toContain('h264');
			expect(media.seconds).toBeGreaterThanOrEqual(node === 'Video' ? 3 : 14);
			expect(media.width).toBeGreaterThan(0);
		}
	}, 150_000);

	test('grid → re-roll → the third picture → variations of it', async () => {
		const execution = await runExample('grid-reroll');
		expect(execution.json('Pick the Third').map(({ index }) => index)).toEqual([3]);
		const variations = execution.json('Variations of It');
		expect(variations.length).toBeGreaterThan(0);
		expect(JSON.stringify(variations)).toContain('http');
	}, 150_000);

	test('one document, many questions: the prefix is written once and read from then on', async () => {
		const execution = await runExample('document-questions');
		const answers = (execution.runs['Ask About the Document'] ?? []).flatMap(({ data }) => data?.main?.[0] ?? []);
		expect(answers.length).toBeGreaterThan(1);
		const usages = answers.map(({ json }) => json.usage as { cacheRead: number; cacheWrite: number });
		expect(usages.filter(({ cacheWrite }) => cacheWrite > 0)).toHaveLength(1);
		expect(usages.filter(({ cacheRead }) => cacheRead > 0)).toHaveLength(answers.length - 1);
	}, 150_000);
});
