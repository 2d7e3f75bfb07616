import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import sharp from 'sharp';

import type { Execution, Host } from '../../../sandbox/host';
import { createSandbox, type Sandbox } from '../../../sandbox/service';
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
		const definition = JSON.parse(text) as Parameters<Host['importWorkflow']>[0];
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

	/** Tasks of one example: each is counted from an empty ledger. */
	const bought = () => sandbox.ledger().accepted;

	test('lyrics → song → cover → stems: three tasks, and files with the names of the stems that play', async () => {
		sandbox.reset();
		const execution = await runExample('song-to-stems');
		expect(bought()).toBe(3);
		expect(execution.json('Stems').map(({ fileName }) => fileName)).toContain('lead_vocal.wav');
		const files = await filesOf(execution, 'Stems');
		expect(files.length).toBeGreaterThan(0);
		for (const file of files) {
			const media = await probe(file);
			expect(media.format).toMatch(/wav|mp3/);
			expect(media.seconds).toBeGreaterThan(0);
		}
	}, 150_000);

	test('rows of a sheet → a file per row, with the name of a column and the row beside it', async () => {
		sandbox.reset();
		const execution = await runExample('sheet-to-images');
		expect(bought()).toBe(3);
		const images = execution.items('Images');
		const files = images.map(({ binary }) => binary?.data?.fileName);
		expect(files).toEqual(['Lighthouse.png', 'Pier.png', 'Boat.png']);
		expect(images.map(({ json }) => json.input)).toMatchObject([{ title: 'Lighthouse' }, { title: 'Pier' }, { title: 'Boat' }]);
		for (const file of await filesOf(execution, 'Images')) {
			const { format, width } = await sharp(file).metadata();
			expect(format).toMatch(/png|jpeg|webp/);
			expect(width).toBeGreaterThan(0);
		}
	}, 150_000);

	test('picture → clip → a longer clip: three tasks', async () => {
		sandbox.reset();
		const execution = await runExample('picture-to-video');
		expect(bought()).toBe(3);
		for (const [node, seconds] of [['Clip', 3], ['Longer Clip', 10]] as const) {
			const [file] = await filesOf(execution, node);
			const media = await probe(file ?? Buffer.alloc(0));
			expect(media.codecs).toContain('h264');
			expect(media.seconds).toBeGreaterThanOrEqual(seconds);
			expect(media.width).toBeGreaterThan(0);
		}
	}, 150_000);

	test('a grid from a prompt → re-roll → the third picture → variations of it: three tasks', async () => {
		sandbox.reset();
		const execution = await runExample('grid-reroll');
		expect(bought()).toBe(3);
		expect(execution.json('Pick the Third').map(({ index }) => index)).toEqual([3]);
		const [variations] = execution.json('Variations of It');
		expect(variations).toMatchObject({ family: 'grid', operation: 'variation', status: 'completed' });
		expect(await filesOf(execution, 'Variations of It')).toHaveLength(5);
	}, 150_000);

	test('one document, many questions: answers beside their questions, and the prefix is written once', async () => {
		const execution = await runExample('document-questions');
		const answers = execution.json('Ask About the Document');
		expect(answers).toHaveLength(10);
		expect(answers[0]).toMatchObject({ input: { question: 'How do I check the pump?' }, text: expect.any(String) });
		const usages = answers.map(({ usage }) => usage as { cacheRead: number; cacheWrite: number });
		expect(usages.filter(({ cacheWrite }) => cacheWrite > 0)).toHaveLength(1);
		expect(usages.filter(({ cacheRead }) => cacheRead > 0)).toHaveLength(answers.length - 1);
	}, 150_000);

	test('a report of what was spent: run by hand, it is the first one', async () => {
		const [message] = (await runExample('daily-spending-report')).json('Message');
		expect(message?.text).toMatch(/^This is the first run: .* Remaining: [\d.]+ \(\d+ credits\)\.$/);
	}, 60_000);

	test('an alert when the balance is low', async () => {
		sandbox.reset();
		const enough = await runExample('low-balance-alert');
		expect([enough.json('Enough Again').length, enough.json('Alert').length]).toEqual([1, 0]);
		sandbox.setBalance(4_990);
		const low = await runExample('low-balance-alert');
		expect(low.json('Enough Again')).toEqual([]);
		expect(low.json('Alert')).toEqual([{ text: 'The MediaGen balance is low: 4.99 (4990 credits) remain.' }]);
	}, 60_000);

	test('a budget: five rows, three pictures, and two rows with the reason', async () => {
		sandbox.reset();
		const execution = await runExample('budget-per-workflow');
		expect(bought()).toBe(3);
		expect(execution.json('Bought').map(({ title }) => title)).toEqual(['Lighthouse', 'Pier', 'Boat']);
		expect(execution.json('Bought').map(({ cost }) => cost)).toEqual([0.04, 0.04, 0.04]);
		expect(execution.json('Not Bought')).toEqual(
			['Harbour', 'Gulls'].map((title) => ({ title, status: 'not submitted', reason: expect.stringContaining('"Max Tasks" is 3') })),
		);
	}, 60_000);
});
