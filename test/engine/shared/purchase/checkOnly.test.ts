import type { INodeParameters, INodeType } from 'n8n-workflow';

import { MediaGenChatCache } from '../../../../nodes/MediaGenChatCache/MediaGenChatCache.node';
import { MediaGenGrid } from '../../../../nodes/MediaGenGrid/MediaGenGrid.node';
import { MediaGenImage } from '../../../../nodes/MediaGenImage/MediaGenImage.node';
import { MediaGenMusic } from '../../../../nodes/MediaGenMusic/MediaGenMusic.node';
import { MediaGenVideo } from '../../../../nodes/MediaGenVideo/MediaGenVideo.node';
import { runNode } from '../../support/engine';
import { fileItem, picture, useSandbox } from '../../support/sandbox';

const service = useSandbox();

type Cell = string | number;

type Mistake = [column: string, wrong: Cell, label: string];

interface Case {
	operation: string;
	/** Each column of the rows that a parameter reads, with a value that is right. */
	columns: Record<string, Cell>;
	parameters?: INodeParameters;
	/** A wrong value in a column, and the label of the field. */
	mistakes: [Mistake, Mistake, Mistake];
}

const noTask: Mistake = ['taskId', '', 'Task ID'];

/** Stand for the ids of two grids: one that is completed, and one that is not. */
const PARENT = 'completed grid';
const RUNNING = 'running grid';

const source = { taskId: 'task_0', audioIndex: 1 };

const inCollection = (...columns: string[]): INodeParameters => ({
	additionalFields: Object.fromEntries(columns.map((column) => [column, `={{ $json.${column} }}`])),
});

/** Every operation that buys, by node. An operation that is missing here fails the last test. */
const CASES: Array<[node: INodeType, resource: string, cases: Case[]]> = [
	[
		new MediaGenMusic(),
		'music',
		[
			{
				operation: 'sample',
				columns: { ...source, startS: 1, endS: 4, tags: 'folk' },
				mistakes: [noTask, ['startS', '', 'Sample Start'], ['endS', 'late', 'Sample End']],
			},
			...['coverSong', 'extend', 'addInstrumental', 'addVocals', 'addStem'].map(
				(operation): Case => ({
					operation,
					columns: { ...source, tags: 'folk', styleWeight: 0.5 },
					parameters: { custom: true, ...inCollection('styleWeight') },
					mistakes: [noTask, ['audioIndex', 0, 'Track Number'], ['styleWeight', 2, 'Style Weight']],
				}),
			),
			{
				operation: 'crop',
				columns: { ...source, startS: 1, endS: 4 },
				mistakes: [noTask, ['startS', 'soon', 'Start'], ['endS', '', 'End']],
			},
			{
				operation: 'stems',
				columns: source,
				mistakes: [noTask, noTask, ['audioIndex', 0, 'Track Number']],
			},
			{
				operation: 'fadeIn',
				columns: source,
				mistakes: [noTask, noTask, ['audioIndex', 0, 'Track Number']],
			},
			{
				operation: 'sounds',
				columns: { prompt: 'Rain', bpm: 90 },
				parameters: inCollection('bpm'),
				mistakes: [
					['bpm', 'fast', 'BPM'],
					['bpm', 90.5, 'BPM'],
					['bpm', '9O', 'BPM'],
				],
			},
			{
				operation: 'upsampleTags',
				columns: { tags: 'folk' },
				mistakes: [
					['tags', '', 'Tags'],
					['tags', '', 'Tags'],
					['tags', '', 'Tags'],
				],
			},
		],
	],
	[
		new MediaGenImage(),
		'image',
		[
			{
				operation: 'generate',
				columns: { prompt: 'A pier', n: 1, size: '1:1' },
				parameters: { model: 'imagegen-2-official', referenceImages: 'none' },
				mistakes: [
					['prompt', '', 'Prompt'],
					['n', 99, 'Number of Images'],
					['size', 'wide', 'Size'],
				],
			},
			{
				operation: 'edit',
				columns: { prompt: 'A pier', n: 1, imageUrl: 'https://pictures.example.com/1.png' },
				parameters: { model: 'imagegen-2-official', imageSource: 'url' },
				mistakes: [
					['prompt', '', 'Prompt'],
					['n', 99, 'Number of Images'],
					['imageUrl', 'pier.png', 'Image URL'],
				],
			},
		],
	],
	[
		new MediaGenGrid(),
		'grid',
		[
			...['variation', 'lowVariation'].map((operation): Case => ({
				operation,
				columns: { taskId: PARENT, index: 2 },
				mistakes: [noTask, ['index', 5, 'Picture Number'], ['taskId', RUNNING, 'Task ID']],
			})),
			{
				operation: 'reroll',
				columns: { taskId: PARENT },
				mistakes: [noTask, noTask, ['taskId', RUNNING, 'Task ID']],
			},
		],
	],
	[
		new MediaGenVideo(),
		'video',
		[
			{
				operation: 'generate',
				columns: { prompt: 'Waves', duration: 5, negativePrompt: 'people' },
				parameters: inCollection('negativePrompt'),
				mistakes: [
					['duration', 60, 'Duration'],
					['duration', 'long', 'Duration'],
					['negativePrompt', 'x'.repeat(2_501), 'Negative Prompt'],
				],
			},
			{
				operation: 'remix',
				columns: { taskId: 'task_0', prompt: 'More waves' },
				mistakes: [noTask, noTask, noTask],
			},
		],
	],
	[
		new MediaGenChatCache(),
		'chat',
		['message', 'completion'].map((operation) => ({
			operation,
			columns: { prompt: 'Why?', maxTokens: 100 },
			parameters: { model: 'vendor-chat-1', cachedBlocks: {}, earlierTurns: {} },
			mistakes: [
				['prompt', '', 'Question'],
				['maxTokens', 0, 'Max Tokens'],
				['prompt', '', 'Question'],
			],
		})),
	],
	...[new MediaGenMusic(), new MediaGenImage(), new MediaGenGrid(), new MediaGenVideo()].map(
		(node): (typeof CASES)[number] => [
			node,
			'task',
			[
				{
					operation: 'submit',
					columns: { path: '/v1/some/new/endpoint', body: '{"prompt":"Rain"}' },
					mistakes: [
						['path', '', 'Path'],
						['body', 'Rain', 'JSON Body'],
						['path', 'https://elsewhere.example.com/', 'Path'],
					],
				},
			],
		],
	),
];

const ROWS = 200;
const AT = [17, 80, 199];

const rows = CASES.flatMap(([node, resource, cases]) =>
	cases.map(
		(each) =>
			[
				`${node.description.displayName}, ${resource}: ${each.operation}`,
				node,
				resource,
				each,
			] as const,
	),
);

/** Requests other than reads. */
const sent = () => service.sandbox.requests.list().filter(({ method }) => method !== 'GET');

test.each(rows)(
	'%s: 200 rows with three mistakes',
	async (_, node, resource, { operation, columns, parameters = {}, mistakes }) => {
		const grids: Record<Cell, Cell> = {
			[PARENT]: service.sandbox.originals.grid().id,
			[RUNNING]: service.sandbox.originals.grid({ state: 'running' }).id,
		};
		const items = Array.from({ length: ROWS }, (__, row) => {
			const [column, wrong] = mistakes[AT.indexOf(row)] ?? [];
			const cells = Object.entries(columns).map(
				([name, right]) => [name, name === column ? wrong : right] as const,
			);
			return {
				json: Object.fromEntries(cells.map(([name, cell = '']) => [name, grids[cell] ?? cell])),
			};
		});
		const collected = Object.keys((parameters.additionalFields as object | undefined) ?? {});
		const read = Object.keys(columns).filter((column) => !collected.includes(column));
		const { json, error } = await runNode({
			node,
			parameters: {
				...{ resource, operation, options: { checkOnly: true } },
				...Object.fromEntries(read.map((column) => [column, `={{ $json.${column} }}`])),
				...parameters,
			},
			items,
			credential: service.credential(),
		});
		expect(error).toBeUndefined();
		const found = json.flatMap(({ problems }, row) =>
			(problems as string[]).map((problem) => `${row}: ${problem}`),
		);
		const expected = AT.map(
			(row, at) => new RegExp(`^${row}: "${mistakes[at]?.[2]}.*\\[item ${row}\\]$`),
		);
		expect(found).toEqual(expected.map((words) => expect.stringMatching(words) as string));
		expect(json.map(({ request }) => request !== null)).toEqual(
			items.map((__, row) => !AT.includes(row)),
		);
		expect(json[0]).toMatchObject({
			checkOnly: true,
			tasks: ROWS - AT.length,
			balance: { remaining: expect.any(Number) },
		});
		expect(sent()).toEqual([]);
	},
);

const video = { resource: 'video', operation: 'generate' };
const image = {
	resource: 'image',
	operation: 'generate',
	model: 'imagegen-2-official',
	prompt: 'A pier',
};
const music = { resource: 'music', taskId: 'task_0' };

test.each<[string, INodeType, INodeParameters, string]>([
	[
		'a crop without its end',
		new MediaGenMusic(),
		{ ...music, operation: 'crop', startS: 3 },
		'"End" is required [item 0]',
	],
	[
		'a crop of nothing',
		new MediaGenMusic(),
		{ ...music, operation: 'crop', startS: 3, endS: 3 },
		'"End" must be after the start, which is at 3 seconds [item 0]',
	],
	[
		'a video node with nothing filled in',
		new MediaGenVideo(),
		video,
		'"Prompt" is required, unless there are shots, images or a video [item 0]',
	],
	[
		'a mask whose expression is empty',
		new MediaGenImage(),
		{
			...image,
			referenceImages: 'url',
			imageUrls: ['https://pictures.example.com/1.png'],
			additionalFields: { maskUrl: '={{ $json.none }}' },
		},
		'"Mask URL" is required: its expression is empty [item 0]',
	],
	[
		'a mask without a reference',
		new MediaGenImage(),
		{
			...image,
			referenceImages: 'none',
			additionalFields: { maskUrl: 'https://pictures.example.com/1.png' },
		},
		'"Mask URL" must come with a reference image, the one to be repainted: "Reference Images" is None [item 0]',
	],
	[
		'a second reference whose expression is empty',
		new MediaGenImage(),
		{
			...image,
			referenceImages: 'url',
			imageUrls: ['https://pictures.example.com/1.png', '={{ $json.none }}'],
		},
		'"Image URLs › 2" is required [item 0]',
	],
])('%s is a problem', async (_, node, parameters, problem) => {
	const { json } = await runNode({
		node,
		parameters: { ...parameters, options: { checkOnly: true } },
		credential: service.credential(),
	});
	expect(json.map(({ problems }) => problems)).toEqual([[problem]]);
	expect(sent()).toEqual([]);
});

test('every operation that buys is among them', () => {
	const offered = CASES.flatMap(([{ description }]) =>
		description.properties
			.filter(({ name }) => name === 'operation')
			.flatMap(({ options = [], displayOptions }) =>
				options.flatMap((option) =>
					'value' in option
						? [
								`${description.displayName}, ${String(displayOptions?.show?.resource?.[0])}: ${String(option.value)}`,
							]
						: [],
				),
			),
	);
	const reads = (title: string) => /task: (get|wait)$/.test(title);
	expect([...new Set(offered)].filter((title) => !reads(title)).sort()).toEqual(
		rows.map(([title]) => title).sort(),
	);
});

test('a picture of the input is not uploaded, and stands in the request as its fingerprint', async () => {
	const { json } = await runNode({
		node: new MediaGenImage(),
		parameters: {
			resource: 'image',
			operation: 'edit',
			model: 'imagegen-2-official',
			prompt: 'A pier',
			imageSource: 'binary',
			imageBinaryProperty: 'data',
			options: { checkOnly: true },
		},
		items: [await fileItem(await picture(64, 64), 'pier.png', 'image/png')],
		credential: service.credential(),
	});
	expect(json[0]).toMatchObject({
		problems: [],
		request: {
			body: { prompt: 'A pier', image_urls: [expect.stringMatching(/^binary:[0-9a-f]{64}$/)] },
		},
	});
	expect(sent()).toEqual([]);
});
