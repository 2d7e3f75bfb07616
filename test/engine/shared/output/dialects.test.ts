import type { INodeExecutionData, INodeParameters, INodeType } from 'n8n-workflow';

import { MediaGenGrid } from '../../../../nodes/MediaGenGrid/MediaGenGrid.node';
import { MediaGenImage } from '../../../../nodes/MediaGenImage/MediaGenImage.node';
import { MediaGenMusic } from '../../../../nodes/MediaGenMusic/MediaGenMusic.node';
import { MediaGenVideo } from '../../../../nodes/MediaGenVideo/MediaGenVideo.node';
import { DIALECTS, type DialectName } from '../../../../sandbox/service';
import { chatNode } from '../../support/chat';
import { until } from '../../support/clocks';
import { readBinary, runNode } from '../../support/engine';
import { pauseNode } from '../../support/pausedExecution';
import { submissions, useSandbox } from '../../support/sandbox';
import { TriggerHost } from '../../support/triggerHost';

const service = useSandbox();

const REFERENCE = 'https://pictures.example.com/reference.png';

const RESULT_BYTES = 700;

interface Purchase {
	node: INodeType;
	resource: string;
	operation: string;
	parameters: INodeParameters;
}

async function run(
	{ node, resource, operation, parameters }: Purchase,
	items: INodeExecutionData[] = [{ json: {} }],
	settings = {},
) {
	return await runNode({
		node,
		parameters: {
			resource,
			operation,
			waitMode: 'poll',
			...parameters,
			options: { pollInterval: 1 },
		},
		items,
		credential: service.credential(),
		settings,
	});
}

const music = (operation: string, parameters: INodeParameters): Purchase => ({
	node: new MediaGenMusic(),
	resource: 'music',
	operation,
	parameters,
});
const grid = (operation: string, parameters: INodeParameters): Purchase => ({
	node: new MediaGenGrid(),
	resource: 'grid',
	operation,
	parameters,
});
const image = (parameters: INodeParameters): Purchase => ({
	node: new MediaGenImage(),
	resource: 'image',
	operation: 'generate',
	parameters: { model: 'imagegen-2-official', prompt: 'A lighthouse', ...parameters },
});
const video = (parameters: INodeParameters): Purchase => ({
	node: new MediaGenVideo(),
	resource: 'video',
	operation: 'generate',
	parameters,
});
const submit = (node: INodeType, path: string, body: object): Purchase => ({
	node,
	resource: 'task',
	operation: 'submit',
	parameters: { path, bodyType: 'json', body: JSON.stringify(body) },
});
const task = (node: INodeType, operation: 'get' | 'wait', taskId: string): Purchase => ({
	node,
	resource: 'task',
	operation,
	parameters: { taskId },
});

type Shape = Array<[index: number | null, kind: string, name: string | null]>;

const TRACKS: Shape = [
	[1, 'audio', null],
	[2, 'audio', null],
];

/** In the dialect `verbose` a track without a link is between the two. */
const tracks = (dialect: DialectName): Shape =>
	dialect === 'verbose'
		? [
				[1, 'audio', null],
				[3, 'audio', null],
			]
		: TRACKS;

const PICTURES: Shape = [
	[1, 'image', null],
	[2, 'image', null],
];

const GRID: Shape = [
	[null, 'image', 'grid'],
	[1, 'image', null],
	[2, 'image', null],
	[3, 'image', null],
	[4, 'image', null],
];

const CLIP: Shape = [[1, 'video', null]];

const originals = () => service.sandbox.originals;

interface Case {
	title: string;
	buys: () => Purchase;
	results: (dialect: DialectName) => Shape;
}

const CASES: Case[] = [
	{ title: 'sounds', buys: () => music('sounds', { prompt: 'Rain' }), results: tracks },
	{
		title: 'a cover',
		buys: () => music('coverSong', { taskId: originals().track().id, tags: 'folk' }),
		results: tracks,
	},
	{
		title: 'separated stems',
		buys: () => music('stems', { taskId: originals().track().id, stemType: 'drum_kit' }),
		results: (dialect) =>
			dialect === 'verbose'
				? [
						[1, 'audio', 'drums'],
						[1, 'audio', 'instrumental'],
					]
				: [
						[1, 'audio', 'drum_kit'],
						[2, 'audio', 'backing_track'],
					],
	},
	{
		title: 'two pictures from a reference',
		buys: () => image({ n: 2, referenceImages: 'url', imageUrls: [REFERENCE] }),
		results: () => PICTURES,
	},
	{
		title: 'a re-roll',
		buys: () => grid('reroll', { taskId: originals().grid().id }),
		results: () => GRID,
	},
	{
		title: 'a variation',
		buys: () => grid('variation', { taskId: originals().grid().id, index: 3 }),
		results: () => GRID,
	},
	{
		title: 'a video from a picture',
		buys: () =>
			video({
				prompt: 'Waves',
				imageInput: 'firstFrame',
				firstFrameSource: 'url',
				firstFrameUrl: REFERENCE,
			}),
		results: () => CLIP,
	},
	{
		title: 'a song by custom request',
		buys: () =>
			submit(new MediaGenMusic(), '/v1/music/generations/create', {
				gpt_description: 'A sea shanty',
			}),
		results: tracks,
	},
	{
		title: 'a grid by custom request',
		buys: () =>
			submit(new MediaGenGrid(), '/v1/gridart/generations/imagine', { prompt: 'A lighthouse' }),
		results: () => GRID,
	},
	{
		title: 'a picture by custom request',
		buys: () =>
			submit(new MediaGenImage(), '/v1/images/generations', {
				model: 'imagegen-2-official',
				prompt: 'A fox',
				image_urls: [REFERENCE],
			}),
		results: () => PICTURES.slice(0, 1),
	},
	{
		title: 'a video by custom request',
		buys: () =>
			submit(new MediaGenVideo(), '/v1/videos/generations', {
				model: 'vidomni-v3-omni',
				prompt: 'Waves',
				image_urls: [REFERENCE],
			}),
		results: () => CLIP,
	},
];

/** A purchase of each family whose result is fetched by its id, when the request is not known any more. */
const LATER: Array<
	[title: string, buys: () => Purchase, results: (dialect: DialectName) => Shape]
> = [
	['a song', () => music('sounds', { prompt: 'Rain' }), tracks],
	[
		'a picture from a reference',
		() => image({ referenceImages: 'url', imageUrls: [REFERENCE] }),
		() => PICTURES.slice(0, 1),
	],
	['a grid', () => grid('reroll', { taskId: originals().grid().id }), () => GRID],
	[
		'a video from a picture',
		() =>
			video({
				prompt: 'Waves',
				imageInput: 'firstFrame',
				firstFrameSource: 'url',
				firstFrameUrl: REFERENCE,
			}),
		() => CLIP,
	],
];

const isNumberOrNull = (value: unknown) =>
	value === null || (typeof value === 'number' && Number.isFinite(value));
const isIsoOrNull = (value: unknown) =>
	value === null || (typeof value === 'string' && new Date(value).toISOString() === value);

/** The task of the only submission. */
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

	test.each(CASES.map((each) => [each.title, each] as const))(
		'%s: every result once, with number, kind, name and file',
		async (_, { buys, results }) => {
			const { json, items, error } = await run(buys());
			expect(error).toBeUndefined();
			expect(json).toHaveLength(1);
			const bought = boughtTask();
			expect(json[0]).toMatchObject({ taskId: bought.id, status: 'completed', progress: 100 });
			expect(json[0]).not.toHaveProperty('error');
			expect(shapeOf(json[0]?.results)).toEqual(results(dialect));
			expect([...urlsOf(json[0]?.results)].sort()).toEqual([...bought.urls].sort());
			expect(json[0]?.url).toBe(urlsOf(json[0]?.results)[0]);
			expect(
				asRows(json[0]?.results)
					.map(({ expiresAt }) => expiresAt)
					.filter((value) => !isIsoOrNull(value)),
			).toEqual([]);
			expect(
				[json[0]?.cost, json[0]?.creditsCost].filter((value) => !isNumberOrNull(value)),
			).toEqual([]);

			const files = Object.values(items[0]?.binary ?? {});
			expect(files).toHaveLength(bought.urls.length);
			for (const file of files) expect(await readBinary(file)).toHaveLength(RESULT_BYTES);
			expect(new Set(files.map(({ fileName }) => fileName)).size).toBe(files.length);
		},
	);

	test('what a picture cost is a number', async () => {
		const { json } = await run(image({ n: 2 }));
		const [charge] = service.sandbox.ledger().entries;
		expect([json[0]?.cost, json[0]?.creditsCost]).toEqual([0.08, charge?.credits]);
	});

	test.each<[string, Purchase]>([
		['a sound', music('sounds', { prompt: 'sandbox:fail' })],
		['a picture', image({ prompt: 'sandbox:fail' })],
		['a video', video({ prompt: 'sandbox:fail' })],
		[
			'a grid',
			submit(new MediaGenGrid(), '/v1/gridart/generations/imagine', { prompt: 'sandbox:fail' }),
		],
	])('%s that failed is failed, with the reason', async (_, purchase) => {
		const { json } = await run(purchase, undefined, { onError: 'continueRegularOutput' });
		const { id, failure } = boughtTask();
		expect(failure).toMatch(/./);
		expect(json).toEqual([
			expect.objectContaining({ taskId: id, status: 'failed', results: [], url: null }),
		]);
		expect(json[0]?.error).toMatchObject({ message: `Task ${id} failed: ${failure} [item 0]` });
	});

	test.each(LATER)(
		'%s that was not waited for is found by its id later',
		async (_, buys, results) => {
			const purchase = buys();
			const submitted = await run({
				...purchase,
				parameters: { ...purchase.parameters, waitMode: 'none' },
			});
			expect(submitted.json[0]).toMatchObject({ status: 'submitted', results: [] });
			const { id } = boughtTask();
			expect(submitted.json[0]?.taskId).toBe(id);
			// A sheet or another node may hand a numeric id on as a number.
			const taskId = /^\d+$/.test(id) ? `={{ ${id} }}` : id;
			const waited = await run(task(purchase.node, 'wait', taskId));
			const got = await run(task(purchase.node, 'get', taskId));
			for (const { json, error } of [waited, got]) {
				expect(error).toBeUndefined();
				expect(json[0]).toMatchObject({ taskId: id, status: 'completed' });
				expect(shapeOf(json[0]?.results)).toEqual(results(dialect));
				expect([...urlsOf(json[0]?.results)].sort()).toEqual([...boughtTask().urls].sort());
			}
		},
	);

	test.each(LATER)(
		"%s comes out of a paused execution, and of a trigger, by the service's callback",
		async (_, buys, results) => {
			service.sandbox.settings.set({ allowPrivateCallbacks: true });
			// Held until the execution has paused.
			service.sandbox.durations.set({ image: null, music: null, grid: null, video: null });
			const { node, resource, operation, parameters } = buys();
			const credential = service.credential();
			const execution = await pauseNode({
				node,
				parameters: { resource, operation, ...parameters, waitMode: 'callback', options: {} },
				items: [{ json: {} }],
				credential,
			});
			const { id } = boughtTask();
			service.sandbox.tasks.finish(id);
			await until(() => service.sandbox.deliveries.list().length > 0);
			const [delivery] = service.sandbox.deliveries.list();

			const { resumed } = await execution.callback(delivery?.body);
			const { output } = await new TriggerHost({
				baseUrl: service.sandbox.url,
				apiKey: service.sandbox.key,
			}).receive(delivery?.body);
			for (const json of [resumed?.json, output?.json]) {
				expect(json).toHaveLength(1);
				expect(json?.[0]).toMatchObject({ taskId: id, status: 'completed' });
				expect(shapeOf(json?.[0]?.results)).toEqual(results(dialect));
				expect([...urlsOf(json?.[0]?.results)].sort()).toEqual([...boughtTask().urls].sort());
			}
		},
	);

	test('a song goes on to a cover, and a grid to a variation, by the item that came out', async () => {
		const song = await run(music('sounds', { prompt: 'Rain' }));
		const cover = await run(
			music('coverSong', { taskId: '={{ $json.taskId }}', tags: 'folk' }),
			song.items,
		);
		expect(cover.json[0]).toMatchObject({ status: 'completed', operation: 'coverSong' });
		const imagined = await run({
			...grid('reroll', { taskId: originals().grid().id, output: 'files' }),
		});
		const fourth = imagined.items.filter(({ json }) => json.index === 4);
		const varied = await run(
			grid('variation', { taskId: '={{ $json.taskId }}', index: '={{ $json.index }}' }),
			fourth,
		);
		expect(varied.json[0]).toMatchObject({ status: 'completed' });
		expect(submissions(service.sandbox).map(({ body }) => body)).toEqual([
			{ prompt: 'Rain' },
			expect.objectContaining({ task_id: song.json[0]?.taskId }),
			expect.objectContaining({ task_id: expect.any(String) as string }),
			{ task_id: imagined.json[0]?.taskId, index: 4 },
		]);
	});

	test.each(['message', 'completion'] as const)(
		'a chat answer (%s) has its text, and what it used in numbers',
		async (operation) => {
			const { json, error } = await chatNode(operation, () => service.credential()).run();
			expect(error).toBeUndefined();
			expect(json[0]?.text).toBe('Sample answer to: Why?');
			const usage = json[0]?.usage as Record<string, unknown>;
			expect([usage.inputTotal, usage.output].map(Number).every((tokens) => tokens > 0)).toBe(true);
			expect(
				[usage.inputTotal, usage.output, usage.cacheRead, usage.cacheWrite].map(
					(value) => typeof value,
				),
			).toEqual(Array(4).fill('number'));
		},
	);
});
