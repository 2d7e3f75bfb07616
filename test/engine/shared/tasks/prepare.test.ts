import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { MediaGenGrid } from '../../../../nodes/MediaGenGrid/MediaGenGrid.node';
import { MediaGenImage } from '../../../../nodes/MediaGenImage/MediaGenImage.node';
import { MediaGenMusic } from '../../../../nodes/MediaGenMusic/MediaGenMusic.node';
import { ok } from '../../support/engine';
import { newNodeRunner, runnerOf } from '../../support/operations';
import { bodiesSent, fileItem, picture, submissions, useSandbox } from '../../support/sandbox';
import { goOn } from '../../support/settings';
import { statusesOf } from '../../support/soundService';

const service = useSandbox();

const grid = newNodeRunner(service, new MediaGenGrid(), 'grid');

async function gridFiles(): Promise<INodeExecutionData[]> {
	const taskId = service.sandbox.originals.grid().id;
	const files = { waitMode: 'poll', output: 'files', downloadFiles: false };
	const { items } = await grid('reroll', { taskId, ...files });
	service.sandbox.requests.clear();
	return items;
}

/** The track of a song, its cover, and that of a second track. */
function songFiles(): INodeExecutionData[] {
	const taskId = service.sandbox.originals.track().id;
	const files = [['audio', 1] as const, ['image', 1] as const, ['image', 2] as const];
	return files.map(([kind, index]) => ({
		json: { taskId, kind, index, url: `https://example.com/${kind}-${index}`, family: 'music' },
	}));
}

/** Varies the picture of each file, or as `given` says. */
const vary = async (
	items: INodeExecutionData[],
	given: object = {},
	more: Parameters<typeof grid>[3] = {},
) => await grid('variation', { index: '={{ $json.index || 1 }}', ...given }, items, more);

const times = (count: number, taskId: unknown) =>
	`The same request would be bought ${count} times, for ${count} files of task ${String(taskId)}`;

const sent = () => submissions(service.sandbox);

test('the grid and its first picture would be varied by the same request: refused, with the way out', async () => {
	const items = await gridFiles();
	const { error } = await vary(items);
	expect(error?.message).toBe(`${times(2, items[0]?.json.taskId)} [row 1 (item 0)]`);
	expect(error?.description).toContain('"One Item per Task"');
	expect(error?.description).toContain('Filter');
	expect(service.sandbox.requests.list()).toEqual([]);
});

const cover = newNodeRunner(service, new MediaGenMusic(), 'music');

/** Makes a cover of each file. */
const coverOf = async (
	items: INodeExecutionData[],
	given: object = {},
	more: Parameters<typeof cover>[3] = {},
) => await cover('coverSong', { tags: 'folk', ...given }, items, more);

test('a song and its covers: the track is bought, and a cover is not taken for the track of its number', async () => {
	const items = songFiles();
	const { json } = await coverOf(items, {}, goOn);
	expect(statusesOf(json)).toEqual(['submitted', 'not submitted', 'not submitted']);
	const ofCover = `This file of task ${String(items[0]?.json.taskId)} is not a track: image`;
	expect(json[1]).toMatchObject({ error: { message: `${ofCover} [row 2 (item 1)]` } });
	expect(json[2]).toMatchObject({ error: { message: `${ofCover} [row 3 (item 2)]` } });
	expect(bodiesSent(service).map(({ audio_index: track }) => track)).toEqual([1]);
});

test.each([
	['a cover', { kind: 'image', index: 2 }, 'image'],
	['lyrics', { kind: 'audio', index: null, name: 'lyrics' }, 'lyrics'],
	['a stream', { kind: 'audio', index: null, name: 'stream' }, 'stream'],
	['a cover from a table of texts', { kind: 'image', index: '', name: '' }, 'image'],
	['a stream from a table of texts', { kind: 'audio', index: '', name: 'stream' }, 'stream'],
])('%s alone, as from a loop, is no track either', async (_, file, words) => {
	const [song] = songFiles();
	const { error } = await coverOf([{ json: { ...song?.json, ...file } }]);
	expect(error?.message).toContain(`is not a track: ${words}`);
	expect(error?.description).toContain('{{ $json.kind }}');
	expect(sent()).toEqual([]);
});

const IF_ITS_TASK = ', if that is the task of the file';

test.each([
	['results.index', '', (file: object, taskId: string) => ({ taskId, results: file })],
	['index', IF_ITS_TASK, (file: object) => file],
])(
	'Split Out in a loop: a track whose number "Track Number" does not find at {{ $json.%s }} is not bought as the first one',
	async (place, words, itemOf) => {
		const taskId = service.sandbox.originals.track().id;
		const file = (index: number) => ({ index, kind: 'audio', url: `https://example.com/${index}` });
		const buy = async (index: number) =>
			await coverOf([{ json: itemOf(file(index), taskId) as IDataObject }], { taskId });
		expect((await buy(2)).error?.message).toBe(
			`This item is track 2 of task ${taskId}, and "Track Number" is 1: set it to {{ $json.${place} }}${words} [row 1 (item 0)]`,
		);
		expect(sent()).toEqual([]);
		ok(await buy(1));
	},
);

test.each([
	['All Other Fields', 'results.index', ''],
	['No Other Fields', 'index', IF_ITS_TASK],
])('Split Out, with %s, does not buy the first track twice', async (include, place, words) => {
	const taskId = service.sandbox.originals.track().id;
	const items = [1, 2].map((index): INodeExecutionData => {
		const file = { index, kind: 'audio', url: `https://example.com/audio-${index}`, name: null };
		return { json: include.startsWith('No') ? file : { taskId, url: file.url, results: file } };
	});
	const { error } = await coverOf(items, { taskId });
	expect(error?.message).toBe(
		`This item is track 2 of task ${taskId}, and "Track Number" is 1: set it to {{ $json.${place} }}${words} [row 2 (item 1)]`,
	);
	expect(sent()).toEqual([]);
});

test('a song that has failed, as its item says, is refused before anything is bought', async () => {
	const [song] = songFiles();
	const { taskId } = song?.json ?? {};
	const failed = { taskId, status: 'failed' };
	const items = [{ json: failed }, { json: { ...failed, serviceStatus: 'failed' } }];
	const { error } = await coverOf(items);
	expect(error?.message).toBe(
		'"Task ID" must be a completed task; this one has failed [row 2 (item 1)]',
	);
	expect(sent()).toEqual([]);
	// A status of a row that is not a task's is the user's own.
	expect((await coverOf([{ json: failed }])).error).toBeUndefined();
});

test.each<[string, IDataObject]>([
	['without a number, from a table', { index: '' }],
	["whose index is the user's own, from zero", { index: 0 }],
])('a track %s is bought as the one that "Track Number" names', async (_, own) => {
	const [song] = songFiles();
	const { error } = await coverOf([{ json: { ...song?.json, ...own } }], { audioIndex: 1 });
	expect(error).toBeUndefined();
	expect(sent()).toHaveLength(1);
});

test('a second track is not bought as the first one that "Track Number" names, even as a text from a table', async () => {
	const [song] = songFiles();
	const rows = ['1', '2'].map((index) => ({ json: { ...song?.json, index } }));
	const { error } = await coverOf(rows, { audioIndex: 1, tags: '={{ $json.index }}' });
	expect(error?.message).toContain('This item is track 2 of');
	expect(error?.message).toContain(
		'"Track Number" is 1: set it to {{ $json.index }} [row 2 (item 1)]',
	);
	expect(sent()).toEqual([]);
});

test('with Continue On Fail the files whose requests differ are bought', async () => {
	const items = await gridFiles();
	const { json } = await vary(items, {}, goOn);
	expect(statusesOf(json)).toEqual([
		...['not submitted', 'not submitted'],
		...['submitted', 'submitted', 'submitted'],
	]);
	expect(
		bodiesSent(service)
			.map(({ index }) => index)
			.sort(),
	).toEqual([2, 3, 4]);
});

test('Check Only names them', async () => {
	const items = await gridFiles();
	const { json } = await vary(items, { options: { checkOnly: true } });
	expect(json.map(({ problems }) => (problems as string[])[0])).toEqual([
		`${times(2, items[0]?.json.taskId)} [row 1 (item 0)]`,
		`${times(2, items[0]?.json.taskId)} [row 2 (item 1)]`,
		...[undefined, undefined, undefined],
	]);
	expect(json[0]?.tasks).toBe(3);
	expect(sent()).toEqual([]);
});

test('files whose pictures differ are requests that differ, and equal pictures are not', async () => {
	const taskId = 'task_0';
	const [wide, square] = [
		await fileItem(await picture(64, 32)),
		await fileItem(await picture(64, 64)),
	];
	const file = (item: INodeExecutionData, index: number) => ({
		...item,
		json: { taskId, kind: 'image', index, url: 'https://example.com/1.png' },
	});
	const image = newNodeRunner(service, new MediaGenImage(), 'image');
	const prompt = { prompt: 'Make it night' };
	ok(await image('edit', prompt, [file(wide, 1), file(square, 2)]));
	expect(sent()).toHaveLength(2);
	const same = await image('edit', prompt, [file(wide, 1), file(wide, 2)]);
	expect(same.error?.message).toBe(`${times(2, taskId)} [row 1 (item 0)]`);
	expect(sent()).toHaveLength(2);
});

test('a callback address of its own does not make a request another one', async () => {
	const items = await gridFiles();
	const webhook = '={{ ({ webhook: "https://example.com/" + $itemIndex }) }}';
	const options = { additionalBodyFields: webhook };
	const { error } = await vary(items, { index: 3, options });
	expect(error?.message).toContain(times(5, items[0]?.json.taskId));
});

test.each<[string, (taskId: string) => INodeExecutionData[]]>([
	['rows that name the same task', (taskId) => [{ json: { taskId } }, { json: { taskId } }]],
	['rows of a sheet', () => [{ json: { row: 1 } }, { json: { row: 1 } }]],
	[
		'files of two tasks',
		() =>
			['a', 'b'].map((taskId) => ({
				json: { taskId, kind: 'image', index: 1, url: 'https://example.com/1.png' },
			})),
	],
])('%s are bought, each of them', async (_, itemsOf) => {
	const { id } = service.sandbox.originals.grid();
	ok(await vary(itemsOf(id), { taskId: id, index: 2 }));
	expect(sent()).toHaveLength(2);
});

test.each<[string, string, object, string]>([
	[
		'the prompt',
		'image.generate',
		{ prompt: 'A pier, {{ $json.weather }}' },
		'"Prompt" has {{ … $json',
	],
	[
		'the prompt of a tool',
		'image.generate',
		{ prompt: "{{ $fromAI('prompt', 'What it shows') }}" },
		'"Prompt" has {{ … $fromAI',
	],
	[
		'a function around a name',
		'image.generate',
		{ prompt: '{{ JSON.stringify($json.scene) }}' },
		'"Prompt" has {{ … $json',
	],
	[
		'a tag of the panel',
		'music.sounds',
		{ additionalFields: { version: "{{$('Sheet').item.json.version}}" } },
		'"Additional Fields › Version" has {{ … $(',
	],
	[
		'an option',
		'image.generate',
		{ prompt: 'A pier', options: { fileName: '{{ $json.weather }}' } },
		'"File Name" has {{ … $json',
	],
	[
		'a field of a custom request',
		'music.task.submit',
		{
			bodyType: 'fields',
			bodyFields: { field: [{ name: 'prompt', value: '{{ $input.all() }}' }] },
		},
		'"Body Fields › Value" has {{ … $input',
	],
])(
	'%s as a fixed text that was meant to be an expression is refused',
	async (_, name, given, beginning) => {
		const items = [{ json: { weather: 'rain' } }, { json: { weather: 'sun' } }];
		const { error } = await runnerOf(service)(name, { ...given }, { items });
		expect(error?.message).toBe(
			`${beginning} … }} as text: switch the field from Fixed to Expression [row 1 (item 0)]`,
		);
		expect(service.sandbox.requests.list()).toEqual([]);
	},
);

test('all fixed texts that were meant to be expressions are named at once', async () => {
	const additionalFields = { version: '{{ $json.version }}' };
	const given = { prompt: '{{ $json.prompt }}', additionalFields };
	const { error } = await runnerOf(service)('music.sounds', given);
	expect(error?.message).toContain('"Prompt" has {{ … $json');
	expect(error?.description).toContain('"Additional Fields › Version" has {{ … $json');
});

test('braces in a text, and an expression that gives such a text, are sent', async () => {
	const text = 'A poster that says {{ name }}';
	const items = [{ json: { text: 'How to write {{ $json.name }}' } }];
	const run = runnerOf(service);
	await run('image.generate', { prompt: text });
	await run('image.generate', { prompt: '={{ $json.text }}' }, { items });
	expect(bodiesSent(service).map(({ prompt }) => prompt)).toEqual([text, items[0]?.json.text]);
});
