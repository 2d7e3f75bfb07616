import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

import sharp from 'sharp';
import { z } from 'zod/v3';

import type { Execution, HostVersion } from '../../../sandbox/host';
import { FFPROBE } from '../../support/ffprobe';
import { useFolder } from '../../support/folder';
import { chatCredentialFor } from '../support/agents';
import { dropTable, emptyCell, rowsOf } from '../support/dataTables';
import { describeOnHosts } from '../support/hosts';
import { readUntil } from '../support/poll';
import { READ, SUBMISSION, useSandbox } from '../support/sandbox';
import { EXAMPLE_CREDENTIAL, EXAMPLES, readExample } from '../support/workflows';

/** The name by which the example with an agent asks for its chat model's credential. */
const CHAT_CREDENTIAL = 'OpenAi account';

interface Example {
	/** Tasks that one run buys. */
	tasks: number;
	/** Where it runs; on both by default. */
	hosts?: HostVersion[];
	/** Seconds of a song and a clip: long enough for an execution to pause before the callback comes. Default: half a second. */
	seconds?: number;
	/** Looks at what came out. */
	check: (execution: Execution) => Promise<void> | void;
	/** Runs it; by default as the editor's button does, to its end. */
	run?: (workflowId: string) => Promise<Execution>;
}

const modelSchema = z.object({ model: z.string() });

interface Probe {
	format: { format_name: string; duration: string };
	streams: Array<{ codec_name: string; width?: number }>;
}

describeOnHosts('The examples', (host, version) => {
	const folder = useFolder();
	const sandbox = useSandbox(host, EXAMPLE_CREDENTIAL, {
		durations: { image: 500, music: 500, grid: 500, video: 500 },
	});
	beforeAll(async () => {
		await host().putCredential(chatCredentialFor(sandbox(), CHAT_CREDENTIAL, sandbox().key));
	});

	const finished = async (workflowId: string, timeout = 120_000) =>
		await host().run(workflowId, { timeout });

	/** Every file that a node put out, as bytes. */
	async function filesOf(execution: Execution, node: string): Promise<Buffer[]> {
		return await Promise.all(
			execution.files(node).map(async (file) => (await host().binary(file)).data),
		);
	}

	const fileNames = (execution: Execution, node: string) =>
		execution.files(node).map(({ fileName }) => fileName);

	/** What ffprobe says of a file. */
	async function probe(file: Buffer = Buffer.alloc(0)) {
		const path = join(folder(), `file-${Date.now()}-${file.length}`);
		await writeFile(path, file);
		const args = ['-v', 'error', '-print_format', 'json', '-show_format', '-show_streams', path];
		const { stdout } = await promisify(execFile)(FFPROBE, args);
		const { format, streams } = JSON.parse(stdout) as Probe;
		return {
			format: format.format_name,
			seconds: Number(format.duration),
			codecs: streams.map(({ codec_name }) => codec_name),
			width: streams.find(({ width }) => width !== undefined)?.width,
		};
	}

	/** The submissions of images that the service was sent. */
	const imageRequests = () =>
		sandbox()
			.requests.list(SUBMISSION)
			.map(({ body }) => body);

	/** Expects that an agent shows the picture that was bought. */
	function expectPictureOf(execution: Execution): void {
		const url = sandbox().tasks.list()[0]?.results?.[0]?.url ?? 'no picture';
		expect(execution.json('Agent')[0]?.output).toContain(`![image](${url})`);
	}

	const examples: Record<string, Example> = {
		'budget-per-workflow': {
			tasks: 3,
			check(execution) {
				expect(execution.json('Bought').map(({ title, cost }) => [title, cost])).toStrictEqual(
					['Lighthouse', 'Pier', 'Boat'].map((title) => [title, 0.04]),
				);
				expect(execution.json('Not Bought')).toEqual(
					['Harbour', 'Gulls'].map((title) => ({
						title,
						status: 'not submitted',
						reason: expect.stringContaining('"Max Tasks" is 3'),
					})),
				);
			},
		},
		// n8n 1.123 cannot create a Data Table in a workflow, nor find one by its name.
		'compare-models': {
			tasks: 6,
			hosts: ['2.41'],
			async run(workflowId) {
				await dropTable(host(), 'Model Comparison');
				return await finished(workflowId);
			},
			async check(execution) {
				expect(
					imageRequests()
						.map((body) => modelSchema.parse(body).model)
						.sort(),
				).toEqual([
					...Array(3).fill('imagegen-2-official'),
					...Array(3).fill('imgfast-3.1-flash-lite-image'),
				]);
				const rows = await rowsOf(host(), 'Model Comparison');
				expect(rows).toHaveLength(3);
				for (const row of rows) {
					const [picture, cost] = [expect.stringContaining(sandbox().url), expect.any(Number)];
					expect(row).toMatchObject({
						...{ picture_a: picture, cost_a: cost, picture_b: picture, cost_b: cost },
					});
					expect(row.picture_a).not.toBe(row.picture_b);
				}
				const total = (column: string) => rows.reduce((sum, row) => sum + Number(row[column]), 0);
				expect(execution.json('Costs')).toEqual([
					{ sum_cost_a: total('cost_a'), sum_cost_b: total('cost_b') },
				]);
				const again = await finished(execution.workflowId);
				expect(again.items('Model A')).toEqual([]);
				// As after a picture that Model B did not make: what Model A made is not bought again, nor is what has a task.
				await emptyCell(host(), 'Model Comparison', Number(rows[0]?.id), 'picture_b');
				const rest = await finished(execution.workflowId);
				for (const model of ['Model A', 'Model B'])
					expect(rest.json(model)).toMatchObject([{ status: 'completed', reused: true }]);
				expect(imageRequests()).toHaveLength(6);
			},
		},
		'daily-spending-report': {
			tasks: 0,
			check(execution) {
				const [message] = execution.json('Message');
				expect(message?.text).toMatch(
					/^This is the first run: .* Remaining: [\d.]+ \(\d+ credits\)\.$/,
				);
			},
		},
		'error-branch': {
			tasks: 3,
			check(execution) {
				expect(fileNames(execution, 'Pictures')).toEqual(['Lighthouse.png', 'Pier.png']);
				const problems = { Storm: 'failed', Wreck: 'safety review' };
				expect(execution.json('What Went Wrong')).toEqual(
					Object.entries(problems).map(([title, words]) => ({
						title,
						problem: expect.stringContaining(words),
						advice: expect.any(String),
					})),
				);
				const { chargedCredits, refundedCredits } = sandbox().ledger();
				expect(chargedCredits).toBe(3 * refundedCredits);
			},
		},
		'first-pipeline': {
			tasks: 1,
			async check(execution) {
				const pictures = await filesOf(execution, 'Make Pictures');
				expect(pictures).toHaveLength(2);
				for (const file of pictures)
					expect((await sharp(file).metadata()).width).toBeGreaterThan(0);
				const [before, after] = ['Balance Before', 'Balance After'].map((node) =>
					Number(execution.json(node)[0]?.remaining),
				);
				expect(after).toBeLessThan(before ?? 0);
			},
		},
		'grid-reroll': {
			tasks: 3,
			async check(execution) {
				expect(execution.json('Pick the Third').map(({ index }) => index)).toStrictEqual([3]);
				expect(execution.json('Variations of It')[0]).toMatchObject({
					...{ family: 'grid', operation: 'variation', status: 'completed' },
				});
				expect(await filesOf(execution, 'Variations of It')).toHaveLength(5);
			},
		},
		jingle: {
			tasks: 3,
			seconds: 3,
			async check(execution) {
				expect(fileNames(execution, 'Fade In')).toEqual(['harbour-cafe.wav']);
				const [file] = await filesOf(execution, 'Fade In');
				expect(await probe(file)).toMatchObject({ format: 'wav', seconds: 12 });
			},
		},
		'low-balance-alert': {
			tasks: 0,
			async check(enough) {
				expect([enough.json('Enough Again').length, enough.json('Alert').length]).toEqual([1, 0]);
				sandbox().setBalance(4_990);
				const low = await finished(enough.workflowId);
				expect(low.json('Enough Again')).toEqual([]);
				expect(low.json('Alert')).toEqual([
					{ text: 'The MediaGen balance is low: 4.99 (4990 credits) remain.' },
				]);
			},
		},
		'pdf-questions': {
			tasks: 0,
			check(execution) {
				const answers = execution.json('Answers');
				expect(answers).toHaveLength(6);
				const reference = 'What does E2 mean?';
				expect(answers[1]).toMatchObject({ reference, text: expect.any(String) });
				const [asked] = sandbox().requests.list({ path: '/v1/messages' });
				expect(JSON.stringify(asked?.body)).toContain('E2: the pump');
				const usages = answers.map(
					({ usage }) => usage as { cacheRead: number; cacheWrite: number },
				);
				expect(usages.filter(({ cacheWrite }) => cacheWrite > 1_024)).toHaveLength(1);
				expect(usages.filter(({ cacheRead }) => cacheRead > 1_024)).toHaveLength(
					answers.length - 1,
				);
			},
		},
		'photo-edit': {
			tasks: 1,
			async check(execution) {
				expect(fileNames(execution, 'New Sky')).toEqual(['harbour-at-night.png']);
				expect(execution.json('New Sky')).toMatchObject([
					{ operation: 'edit', status: 'completed' },
				]);
				const uploaded = expect.stringContaining(`${sandbox().url}/`);
				expect(imageRequests()).toMatchObject([{ image_urls: [uploaded], mask_url: uploaded }]);
				const [file] = await filesOf(execution, 'New Sky');
				expect((await sharp(file).metadata()).format).toBe('png');
			},
		},
		'picture-agent': {
			tasks: 1,
			check(execution) {
				expect(imageRequests()).toMatchObject([{ prompt: execution.json('Wish')[0]?.text }]);
				expectPictureOf(execution);
			},
		},
		'picture-to-video': {
			tasks: 3,
			seconds: 3,
			async check(execution) {
				for (const [node, seconds] of [
					['Clip', 7.9],
					['Longer Clip', 14.9],
				] as const) {
					const [file] = await filesOf(execution, node);
					const media = await probe(file);
					expect(media.codecs).toContain('h264');
					expect(media.seconds).toBeGreaterThanOrEqual(seconds);
					expect(media.width).toBeGreaterThan(0);
				}
				// Both were to pause; with an end that is seconds away, a node polls instead.
				const toTheExecution = sandbox()
					.deliveries.list()
					.filter(({ url }) => url?.includes('/webhook-waiting/'));
				expect(toTheExecution).toHaveLength(2);
			},
		},
		'sheet-to-images': {
			tasks: 3,
			async check(execution) {
				const images = execution.items('Images');
				const files = images.map(({ binary }) => binary?.data?.fileName);
				expect(files).toEqual(['Lighthouse.png', 'Pier.png', 'Boat.png']);
				expect(images.map(({ json }) => json.input)).toMatchObject(
					['Lighthouse', 'Pier', 'Boat'].map((title) => ({ title })),
				);
				for (const file of await filesOf(execution, 'Images')) {
					const { format, width } = await sharp(file).metadata();
					expect(format).toMatch(/png|jpeg|webp/);
					expect(width).toBeGreaterThan(0);
				}
			},
		},
		'song-to-stems': {
			tasks: 3,
			async check(execution) {
				expect(execution.json('Stems').map(({ fileName }) => fileName)).toContain('lead_vocal.wav');
				const files = await filesOf(execution, 'Stems');
				expect(files.length).toBeGreaterThan(0);
				for (const file of files) {
					const media = await probe(file);
					expect(media.format).toMatch(/wav|mp3/);
					expect(media.seconds).toBeGreaterThan(0);
				}
			},
		},
		// n8n 1.123 has no SDK for AI nodes.
		'style-guide-agent': {
			tasks: 1,
			hosts: ['2.41'],
			check(execution) {
				expectPictureOf(execution);
				const [first, second] = sandbox().chat.bill().requests;
				expect(first?.written5m).toBeGreaterThan(1_024);
				expect(second?.read).toBe(first?.written5m);
			},
		},
		// n8n 1.123 cannot create a Data Table in a workflow, nor find one by its name.
		'video-queue': {
			tasks: 100,
			seconds: 3,
			hosts: ['2.41'],
			async run(workflowId) {
				await dropTable(host(), 'Video Queue');
				// Tasks end between the look at them and what is written of it.
				sandbox().faults.add({ match: READ, count: null, effect: { type: 'slow', ms: 300 } });
				await host().activate(workflowId);
				// n8n writes its rows while a hundred callbacks each begin an execution: half a minute, or minutes on a slow disk.
				return await finished(workflowId, 300_000);
			},
			async check({ workflowId }) {
				const clips = async () =>
					(await rowsOf(host(), 'Video Queue')).filter(({ clip }) => clip).length;
				const found = await readUntil(clips, 100, 90_000);
				const lost = sandbox()
					.deliveries.list()
					.filter(({ state }) => ['refused', 'givenUp', 'dropped'].includes(state));
				const failed = await host().executions({ workflowId, status: ['error', 'crashed'] });
				// Another copy of it listens at the same address.
				await host().deactivate(workflowId);
				expect({ found, lost, failed }).toEqual({ found: 100, lost: [], failed: [] });
			},
		},
	};

	test('are all known to this test', () => {
		expect(Object.keys(examples)).toEqual(EXAMPLES);
	});

	const runnable = EXAMPLES.filter((name) => examples[name]?.hosts?.includes(version) ?? true);

	test.each(runnable)(
		'%s runs as it is imported',
		async (name) => {
			const {
				tasks,
				seconds = 0.5,
				check,
				run: runIt = finished,
			} = examples[name] ?? { tasks: NaN, check: () => {} };
			sandbox().durations.set({ music: seconds * 1_000, video: seconds * 1_000 });
			const workflow = await host().importWorkflow(readExample(name));
			const execution = await runIt(workflow.id);
			expect(execution.error).toBeUndefined();
			expect(execution.status).toBe('success');
			expect(sandbox().ledger().accepted).toBe(tasks);
			await check(execution);
		},
		900_000,
	);
});
