import type { INodeExecutionData } from 'n8n-workflow';

import { DIALECTS, type DialectName } from '../../../../sandbox/service';
import { chatNode } from '../../support/chat';
import { until } from '../../support/clocks';
import { ok, readBinary, runNode, type RunOptions } from '../../support/engine';
import { inputOf } from '../../support/operations';
import { pauseNode } from '../../support/pausedExecution';
import { sharedClock, submissions, useSandbox } from '../../support/sandbox';
import { TriggerHost } from '../../support/triggerHost';

const service = useSandbox();

const REFERENCE = 'https://pictures.example.com/reference.png';

const RESULT_BYTES = 700;

type Purchase = ReturnType<typeof inputOf>;

const run = async (
	{ node, parameters }: Pick<RunOptions, 'node' | 'parameters'>,
	items: INodeExecutionData[] = [{ json: {} }],
	settings = {},
) =>
	await runNode({
		node,
		parameters: { waitMode: 'poll', ...parameters, options: { pollInterval: 1 } },
		items,
		credential: service.credential(),
		settings,
	});

const submit = (family: string, path: string, body: object): Purchase =>
	inputOf(`${family}.task.submit`, { path, bodyType: 'json', body: JSON.stringify(body) });

type Shape = Array<[index: number | null, kind: string, name: string | null]>;

const audio = (...indexes: number[]): Shape => indexes.map((index) => [index, 'audio', null]);

/** In the dialect `verbose` a track without a link is between the two. */
const tracks = (dialect: DialectName) => (dialect === 'verbose' ? audio(1, 3) : audio(1, 2));

const pictures = (count: number): Shape =>
	Array.from({ length: count }, (_, at) => [at + 1, 'image', null]);

const GRID: Shape = [[null, 'image', 'grid'], ...pictures(4)];

const CLIP: Shape = [[1, 'video', null]];

const originals = () => service.sandbox.originals;

const fromReference = { referenceImages: 'url', imageUrls: [REFERENCE] };
const firstFrame = { firstFrameSource: 'url', firstFrameUrl: REFERENCE };
const fromPicture = { prompt: 'Waves', imageInput: 'firstFrame', ...firstFrame };
const sound = () => inputOf('music.sounds', { prompt: 'Rain' });
const reroll = () => inputOf('grid.reroll', { taskId: originals().grid().id });
const video = () => inputOf('video.generate', fromPicture);
const imagine = (prompt: string) => submit('grid', '/v1/gridart/generations/imagine', { prompt });
const stem = (index: number, name: string): Shape => [[index, 'audio', name]];
const stems = (dialect: DialectName): Shape =>
	dialect === 'verbose'
		? [...stem(1, 'drums'), ...stem(1, 'instrumental')]
		: [...stem(1, 'drum_kit'), ...stem(2, 'backing_track')];

type Case = [title: string, buys: () => Purchase, results: (dialect: DialectName) => Shape];

const withReference = { image_urls: [REFERENCE] };
const fox = { model: 'imagegen-2-official', prompt: 'A fox', ...withReference };
const waves = { model: 'vidomni-v3-omni', prompt: 'Waves', ...withReference };
const shanty = { gpt_description: 'A sea shanty' };
const ofTrack = (operation: string, given: object) => () =>
	inputOf(`music.${operation}`, { taskId: originals().track().id, ...given });
const two = () => inputOf('image.generate', { n: 2, ...fromReference });
const variation = () => inputOf('grid.variation', { taskId: originals().grid().id, index: 3 });
const custom = (family: string, path: string, body: object) => () => submit(family, path, body);

const CASES: Case[] = [
	['sounds', sound, tracks],
	['a cover', ofTrack('coverSong', { tags: 'folk' }), tracks],
	['separated stems', ofTrack('stems', { stemType: 'drum_kit' }), stems],
	['two pictures from a reference', two, () => pictures(2)],
	['a re-roll', reroll, () => GRID],
	['a variation', variation, () => GRID],
	['a video from a picture', video, () => CLIP],
	['a song by custom request', custom('music', '/v1/music/generations/create', shanty), tracks],
	['a grid by custom request', () => imagine('A lighthouse'), () => GRID],
	[
		'a picture by custom request',
		custom('image', '/v1/images/generations', fox),
		() => pictures(1),
	],
	['a video by custom request', custom('video', '/v1/videos/generations', waves), () => CLIP],
];

/** A purchase of each family whose result is fetched by its id, when the request is not known any more. */
const LATER: Case[] = [
	['a song', sound, tracks],
	['a picture from a reference', () => inputOf('image.generate', fromReference), () => pictures(1)],
	['a grid', reroll, () => GRID],
	['a video from a picture', video, () => CLIP],
];

const isNumberOrNull = (value: unknown) =>
	value === null || (typeof value === 'number' && Number.isFinite(value));
const isIsoOrNull = (value: unknown) =>
	value === null || (typeof value === 'string' && new Date(value).toISOString() === value);

function boughtTask() {
	const [submission] = submissions(service.sandbox);
	const bought = service.sandbox.tasks.get(submission?.task ?? '');
	if (!bought) throw new Error('Nothing was bought');
	return bought;
}

const asRows = (results: unknown): Array<Record<string, unknown>> =>
	Array.isArray(results) ? (results as Array<Record<string, unknown>>) : [];

const shapeOf = (results: unknown) =>
	asRows(results).map(({ index, kind, name }) => [index, kind, name]);

const urlsOf = (results: unknown) => asRows(results).map(({ url }) => url);

describe.each(DIALECTS)('in the dialect %s', (dialect) => {
	beforeEach(() => {
		service.sandbox.settings.set({ dialect });
		// Neither waiting nor real media is the subject here.
		service.sandbox.durations.set({ image: 900, music: 900, grid: 900, video: 900 });
		service.sandbox.faults.add({
			match: { method: 'POST' },
			effect: { type: 'resultBytes', bytes: RESULT_BYTES },
			count: null,
		});
	});

	test.each(CASES)('%s: each result once, with number, name and file', async (_, buys, results) => {
		const { json, items } = ok(await run(buys()));
		expect(json).toHaveLength(1);
		const bought = boughtTask();
		const { id: taskId, family } = bought;
		expect(json[0]).toMatchObject({ taskId, family, status: 'completed', progress: 100 });
		expect(json[0]).not.toHaveProperty('error');
		expect(shapeOf(json[0]?.results)).toEqual(results(dialect));
		expect([...urlsOf(json[0]?.results)].sort()).toEqual([...bought.urls].sort());
		expect(json[0]?.url).toBe(urlsOf(json[0]?.results)[0]);
		const ends = asRows(json[0]?.results).map(({ expiresAt }) => expiresAt);
		expect(ends.filter((value) => !isIsoOrNull(value))).toEqual([]);
		const costs = [json[0]?.cost, json[0]?.creditsCost];
		expect(costs.filter((value) => !isNumberOrNull(value))).toEqual([]);

		const files = Object.values(items[0]?.binary ?? {});
		expect(files).toHaveLength(bought.urls.length);
		for (const file of files) expect(await readBinary(file)).toHaveLength(RESULT_BYTES);
		expect(new Set(files.map(({ fileName }) => fileName)).size).toBe(files.length);
	});

	test('what a picture cost is a number', async () => {
		const { json } = await run(inputOf('image.generate', { n: 2 }));
		const [charge] = service.sandbox.ledger().entries;
		expect([json[0]?.cost, json[0]?.creditsCost]).toEqual([0.08, charge?.credits]);
	});

	const fails = { prompt: 'sandbox:fail' };

	test.each<[string, Purchase]>([
		['a sound', inputOf('music.sounds', fails)],
		['a picture', inputOf('image.generate', fails)],
		['a video', inputOf('video.generate', fails)],
		['a grid', imagine(fails.prompt)],
	])('%s that failed is failed, with the reason', async (_, purchase) => {
		const { json } = await run(purchase, undefined, { onError: 'continueRegularOutput' });
		const { id, failure } = boughtTask();
		expect(failure).toMatch(/./);
		expect(json).toEqual([
			expect.objectContaining({ taskId: id, status: 'failed', results: [], url: null }),
		]);
		expect(json[0]?.error).toMatchObject({
			message: `Task ${id} failed: ${failure} [row 1 (item 0)]`,
		});
	});

	test.each(LATER)('%s that was not waited for is found later', async (_, buys, results) => {
		const { node, parameters } = buys();
		const submitted = await run({ node, parameters: { ...parameters, waitMode: 'none' } });
		expect(submitted.json[0]).toMatchObject({ status: 'submitted', results: [] });
		const { id } = boughtTask();
		expect(submitted.json[0]?.taskId).toBe(id);
		// A sheet or another node may hand a numeric id on as a number.
		const taskId = /^\d+$/.test(id) ? `={{ ${id} }}` : id;
		const named = (operation: string) => ({ resource: 'task', operation, taskId });
		const waited = await run({ node, parameters: named('wait') });
		const got = await run({ node, parameters: named('get') });
		for (const { json, error } of [waited, got]) {
			expect(error).toBeUndefined();
			expect(json[0]).toMatchObject({ taskId: id, status: 'completed' });
			expect(shapeOf(json[0]?.results)).toEqual(results(dialect));
			expect([...urlsOf(json[0]?.results)].sort()).toEqual([...boughtTask().urls].sort());
		}
	});

	test.each(LATER)(
		"%s comes out of a paused execution, and of a trigger, by the service's callback",
		async (title, buys, results) => {
			service.sandbox.settings.set({ allowPrivateCallbacks: true });
			// Held until the execution has paused.
			service.sandbox.durations.set({ image: null, music: null, grid: null, video: null });
			const { node, parameters } = buys();
			const credential = service.credential();
			const execution = await pauseNode({
				node,
				parameters: { ...parameters, waitMode: 'callback', options: {} },
				items: [{ json: {} }],
				credential,
			});
			const { id } = boughtTask();
			service.sandbox.tasks.finish(id);
			await until(() => service.sandbox.deliveries.list().length > 0);
			const [delivery] = service.sandbox.deliveries.list();

			const trigger = new TriggerHost({
				baseUrl: service.sandbox.url,
				apiKey: service.sandbox.key,
			});
			// Its track without a link might come a moment later. The service calls again.
			if (dialect === 'verbose' && title === 'a song') {
				expect((await execution.callback(delivery?.body)).status).toBe(503);
				expect((await trigger.receive(delivery?.body)).status).toBe(503);
				await sharedClock.sleep(31_000);
			}
			const { resumed } = await execution.callback(delivery?.body);
			const { output } = await trigger.receive(delivery?.body);
			for (const json of [resumed?.json, output?.json]) {
				expect(json).toHaveLength(1);
				expect(json?.[0]).toMatchObject({ taskId: id, status: 'completed' });
				expect(shapeOf(json?.[0]?.results)).toEqual(results(dialect));
				expect([...urlsOf(json?.[0]?.results)].sort()).toEqual([...boughtTask().urls].sort());
			}
		},
	);

	test('a song goes on to a cover, and a grid to a variation, by the item that came out', async () => {
		const song = await run(sound());
		const next = { taskId: '={{ $json.taskId }}' };
		const cover = await run(inputOf('music.coverSong', { ...next, tags: 'folk' }), song.items);
		expect(cover.json[0]).toMatchObject({ status: 'completed', operation: 'coverSong' });
		const imagined = await run(
			inputOf('grid.reroll', { taskId: originals().grid().id, output: 'files' }),
		);
		const fourth = imagined.items.filter(({ json }) => json.index === 4);
		const byItem = { ...next, index: '={{ $json.index }}' };
		const varied = await run(inputOf('grid.variation', byItem), fourth);
		expect(varied.json[0]).toMatchObject({ status: 'completed' });
		expect(submissions(service.sandbox).map(({ body }) => body)).toStrictEqual([
			{ prompt: 'Rain' },
			expect.objectContaining({ task_id: song.json[0]?.taskId }),
			expect.objectContaining({ task_id: expect.any(String) as string }),
			{ task_id: imagined.json[0]?.taskId, index: 4 },
		]);
	});

	test.each(['message', 'completion'] as const)(
		'a chat answer (%s) has its text, and what it used in numbers',
		async (operation) => {
			const { json } = ok(await chatNode(operation, () => service.credential()).run());
			expect(json[0]?.text).toBe('Sample answer to: Why?');
			const { inputTotal, output, cacheRead, cacheWrite } = json[0]?.usage as Record<
				string,
				unknown
			>;
			expect([inputTotal, output].map(Number).every((tokens) => tokens > 0)).toBe(true);
			const types = [inputTotal, output, cacheRead, cacheWrite].map((value) => typeof value);
			expect(types).toEqual(Array(4).fill('number'));
		},
	);
});
