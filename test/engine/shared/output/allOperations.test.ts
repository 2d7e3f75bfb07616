import type {
	IDataObject,
	INode,
	INodeExecutionData,
	INodeParameters,
	INodeType,
	INodeTypeDescription,
} from 'n8n-workflow';

import { MediaGenGrid } from '../../../../nodes/MediaGenGrid/MediaGenGrid.node';
import { MediaGenImage } from '../../../../nodes/MediaGenImage/MediaGenImage.node';
import { MediaGenMusic } from '../../../../nodes/MediaGenMusic/MediaGenMusic.node';
import { MediaGenVideo } from '../../../../nodes/MediaGenVideo/MediaGenVideo.node';
import { type Clock } from '../../../../nodes/shared/util/clock';
import { fastClock, jumpingClock } from '../../support/clocks';
import { runNode } from '../../support/engine';
import { type SeenRequest, useScriptedService } from '../../support/scriptedService';

let clockOfTest: () => Clock = () => fastClock(50);

const service = useScriptedService(() => clockOfTest());

type Given = INodeParameters;

const song = { taskId: 'parent_1', tags: 'folk' };
const span = { taskId: 'parent_1', startS: 1, endS: 4 };
const picture = { model: 'imagegen-2-official', prompt: 'A lighthouse' };

/** What each operation cannot do without. An operation that is missing here fails its tests. */
const NEEDED: Record<string, Given> = {
	'music.sample': { ...span, tags: 'folk' },
	'music.coverSong': song,
	'music.extend': song,
	'music.addInstrumental': song,
	'music.addVocals': song,
	'music.addStem': song,
	'music.crop': span,
	'music.stems': { taskId: 'parent_1' },
	'music.fadeIn': { taskId: 'parent_1' },
	'music.sounds': { prompt: 'Rain' },
	'music.upsampleTags': { tags: 'folk' },
	'image.generate': picture,
	'image.edit': { ...picture, imageSource: 'url', imageUrl: 'https://pictures.example.com/1.png' },
	'grid.variation': { taskId: 'parent_1', index: 2 },
	'grid.lowVariation': { taskId: 'parent_1', index: 2 },
	'grid.reroll': { taskId: 'parent_1' },
	'video.generate': { prompt: 'Waves' },
	'video.remix': { taskId: 'parent_1' },
	'task.get': { taskId: '={{ $json.given }}' },
	'task.wait': { taskId: '={{ $json.given }}' },
	'task.submit': { path: '/v1/some/new/endpoint', body: '{"prompt": "Rain"}' },
};

const NODES: INodeType[] = [
	new MediaGenMusic(),
	new MediaGenImage(),
	new MediaGenGrid(),
	new MediaGenVideo(),
];

interface Operation {
	title: string;
	node: INodeType;
	parameters: Given;
	/** Buys a task, instead of reading one. */
	buys: boolean;
	/** Has "Output" and "Wait for Result". */
	hasOutput: boolean;
}

const isShownFor = (
	field: INodeTypeDescription['properties'][number],
	resource: string,
	operation: string,
) =>
	field.displayOptions?.show?.resource?.includes(resource) === true &&
	field.displayOptions.show.operation?.includes(operation) === true;

/** Every operation that the panels of the nodes offer. */
const OPERATIONS: Operation[] = NODES.flatMap((node) => {
	const { properties, displayName } = node.description;
	return properties
		.filter(({ name }) => name === 'operation')
		.flatMap(({ options = [], displayOptions }) => {
			const resource = String(displayOptions?.show?.resource?.[0]);
			return options.flatMap((option) => {
				if (!('value' in option)) return [];
				const operation = String(option.value);
				return [
					{
						title: `${displayName}, ${resource}: ${operation}`,
						node,
						parameters: { resource, operation, ...NEEDED[`${resource}.${operation}`] },
						buys: resource !== 'task' || operation === 'submit',
						hasOutput: properties.some(
							(field) => field.name === 'output' && isShownFor(field, resource, operation),
						),
					},
				];
			});
		});
});

type Want = 'none' | 'one' | 'four' | 'failed' | 'refused' | 'invalid' | 'never';

const RESULTS: Partial<Record<Want, number>> = { none: 0, one: 1, four: 4 };

const isWant = (value: unknown): value is Want =>
	['none', 'one', 'four', 'failed', 'refused', 'invalid', 'never'].includes(String(value));

const wantOf = (text: string): Want => {
	const want = text.split('_').find(isWant);
	return want ?? 'one';
};

/** The record of a task whose id tells what it is to become. */
function recordOf(id: string): IDataObject {
	const want = wantOf(id);
	if (want === 'never') return { id, status: 'processing', progress: 10 };
	if (want === 'failed') return { id, status: 'failed', error: { message: 'No luck', code: 9 } };
	const links = Array.from(
		{ length: RESULTS[want] ?? 1 },
		(_, at) => `${service.url}/files/${id}-${at + 1}.bin`,
	);
	return { id, status: 'completed', cost: 0.1, image_urls: links, result: { files: links } };
}

let lastTask = 0;

function answerAll(): void {
	lastTask = 0;
	service.on('POST', '*', ({ body }: SeenRequest) => {
		const want =
			typeof body === 'object' && body !== null && 'want' in body ? String(body.want) : '';
		if (want === 'refused')
			return {
				status: 400,
				json: { error: { message: 'Refused', type: 'invalid_request', code: 400 } },
			};
		return { json: { code: 200, data: [{ task_id: `task_${want}_${++lastTask}` }] } };
	});
	service.on('GET', '*', ({ path }: SeenRequest) => {
		const id = path.split('/').at(-1) ?? '';
		if (wantOf(id) === 'refused')
			return {
				status: 404,
				json: { error: { message: 'Unknown task', type: 'not_found', code: 404 } },
			};
		return { json: { code: 200, data: recordOf(id) } };
	});
	service.on('GET', '/files/*', { text: 'file', headers: { 'content-type': 'image/png' } });
}

const rowsOf = (wants: readonly Want[]): INodeExecutionData[] =>
	wants.map((want, at) => ({
		json: {
			want,
			row: at,
			title: 'Same',
			given: want === 'invalid' ? '' : `task_${want}_${at}`,
			url: 'https://row.example.com',
			status: 'new',
		},
	}));

async function run(
	{ node, parameters }: Operation,
	wants: readonly Want[],
	given: Given,
	options: Given,
	settings: Partial<INode>,
) {
	return await runNode({
		node,
		parameters: {
			...parameters,
			...given,
			// What is wrong with an item is found before it is sent, after its other fields are read.
			additionalBodyFields:
				'={{ $json.want === "invalid" ? "no JSON" : JSON.stringify({ want: $json.want }) }}',
			options: {
				pollInterval: 1,
				concurrency: 3,
				reference: '=row {{ $json.row }}',
				includeInput: true,
				...options,
			},
		},
		items: rowsOf(wants),
		credential: service.credential(),
		settings,
	});
}

/** The fields of an item, wherever n8n's error output leaves them. */
function fieldsOf({ json }: INodeExecutionData): IDataObject {
	const { error } = json;
	return json.message !== undefined && typeof error === 'object' && error !== null
		? (error as IDataObject)
		: json;
}

const rowOf = ({ pairedItem }: INodeExecutionData) =>
	typeof pairedItem === 'object' && 'item' in pairedItem ? pairedItem.item : undefined;

const WANTS: Want[] = ['none', 'one', 'four', 'invalid', 'refused', 'failed', 'four'];

/** A purchase that was refused has no task. */
const hasTask = (want: Want, { buys }: Operation) =>
	want !== 'invalid' && !(buys && want === 'refused');

/** "Get" gives a failed task out like any other: its `error` is the task's. */
const isError = (
	want: Want,
	{ parameters: { operation } }: Operation,
	{ simplify = true }: Given,
) => RESULTS[want] === undefined && (want !== 'failed' || operation !== 'get' || simplify === true);

test('the walk knows every operation of the four nodes', () => {
	expect(OPERATIONS.map(({ title }) => title)).toHaveLength(30);
	expect(
		[
			...new Set(
				OPERATIONS.map(
					({ parameters: { resource, operation } }) => `${String(resource)}.${String(operation)}`,
				),
			),
		].sort(),
	).toEqual(Object.keys(NEEDED).sort());
});

describe.each<[string, Given, Given, Partial<INode>]>([
	['one item per task', { output: 'tasks' }, {}, { onError: 'continueRegularOutput' }],
	[
		'one item per file, all of the same name',
		{ output: 'files' },
		{ fileName: '={{ $json.title }}' },
		{ onError: 'continueRegularOutput' },
	],
	[
		'one item per file, not simplified, with an error output',
		{ output: 'files' },
		{ simplify: false },
		{ onError: 'continueErrorOutput' },
	],
])('%s', (_, given, options, settings) => {
	beforeAll(() => (clockOfTest = () => fastClock(50)));
	beforeEach(answerAll);

	test.each(OPERATIONS.map((each) => [each.title, each] as const))(
		'%s: every item knows its row, its task, its reference and its input',
		async (__, operation) => {
			const { outputs, error } = await run(operation, WANTS, given, options, settings);
			expect(error).toBeUndefined();
			const items = outputs.flat();
			const perFile = given.output === 'files' && operation.hasOutput;
			for (const [row, { json }] of rowsOf(WANTS).entries()) {
				const want = WANTS[row] ?? 'one';
				const own = items.filter((item) => rowOf(item) === row);
				expect([want, own.length]).toEqual([want, perFile ? Math.max(1, RESULTS[want] ?? 1) : 1]);
				for (const item of own) {
					const fields = fieldsOf(item);
					expect([want, fields.reference, fields.input]).toEqual([want, `row ${row}`, json]);
					expect([want, 'error' in item.json]).toEqual([want, isError(want, operation, options)]);
					if (hasTask(want, operation))
						expect(fields.taskId).toMatch(new RegExp(`^task_${want}_\\d+$`));
					else expect(fields).not.toHaveProperty('taskId');
					expect(fields.status).toBe(
						!hasTask(want, operation)
							? 'not submitted'
							: want === 'failed'
								? 'failed'
								: fields.status,
					);
				}
			}
			expect(items).toHaveLength(new Set(items).size);
			expect(items.map(rowOf).filter((row) => row === undefined)).toEqual([]);

			const names = items.flatMap(({ binary = {} }) =>
				Object.values(binary).map(({ fileName }) => fileName?.toLowerCase()),
			);
			expect(names).toHaveLength(9);
			expect(new Set(names).size).toBe(names.length);
		},
	);
});

test.each(OPERATIONS.map((each) => [each.title, each] as const))(
	'%s: an error of the whole run leaves each item its reference and its input',
	async (_, operation) => {
		const { items } = await run(
			operation,
			['one', 'four'],
			{},
			{ concurrency: 0 },
			{ onError: 'continueRegularOutput' },
		);
		expect(items.map(rowOf)).toEqual([0, 1]);
		expect(
			items.map(({ json: { reference, input, error } }) => [
				reference,
				(input as IDataObject).row,
				(error as IDataObject).message,
			]),
		).toEqual([
			['row 0', 0, '"Concurrency" must be a whole number from 1 to 100'],
			['row 1', 1, '"Concurrency" must be a whole number from 1 to 100'],
		]);
		expect(service.requests).toEqual([]);
	},
);

describe('after Timeout, where the node continues', () => {
	beforeAll(() => (clockOfTest = jumpingClock));
	beforeEach(answerAll);

	test.each(OPERATIONS.map((each) => [each.title, each] as const))(
		'%s: the item knows its row, its task, its reference and its input',
		async (_, operation) => {
			const isGet = operation.parameters.operation === 'get';
			const { items } = await run(
				operation,
				['never', 'one'],
				{ downloadFiles: false },
				{ timeout: 5 },
				{ onError: 'continueRegularOutput' },
			);
			expect(items.map(rowOf)).toEqual([0, 1]);
			expect(items[0]?.json).toMatchObject({
				taskId: expect.stringMatching(/^task_never_\d+$/) as string,
				status: 'running',
				reference: 'row 0',
				input: { want: 'never' },
			});
			expect('error' in (items[0]?.json ?? {})).toBe(!isGet);
			expect(items[1]?.json).toMatchObject({
				status: 'completed',
				reference: 'row 1',
				input: { want: 'one' },
			});
		},
	);
});

describe('What this package does not know', () => {
	beforeAll(() => (clockOfTest = () => fastClock(50)));
	beforeEach(answerAll);

	const id = (value: string) => ({ __rl: true, mode: 'id', value });

	test.each<[string, INodeType, Given, string, IDataObject]>([
		[
			'a music version',
			new MediaGenMusic(),
			{
				resource: 'music',
				operation: 'sounds',
				prompt: 'Rain',
				additionalFields: { version: id('v9') },
			},
			'/v1/music/generations/sounds',
			{ version: 'v9' },
		],
		[
			'a music model',
			new MediaGenMusic(),
			{
				resource: 'music',
				operation: 'sounds',
				prompt: 'Rain',
				additionalFields: { model: id('musicgen-9') },
			},
			'/v1/music/generations/sounds',
			{ model: 'musicgen-9' },
		],
		[
			'a stem type',
			new MediaGenMusic(),
			{ resource: 'music', operation: 'stems', taskId: 'parent_1', stemType: id('theremin') },
			'/v1/music/generations/stems',
			{ stem_type: 'theremin' },
		],
		[
			'an image model',
			new MediaGenImage(),
			{
				resource: 'image',
				operation: 'generate',
				model: id('imagegen-9'),
				prompt: 'A fox',
				n: 4,
				size: '16:9',
			},
			'/v1/images/generations',
			{ model: 'imagegen-9', size: '16:9', n: 4 },
		],
		[
			'a video model',
			new MediaGenVideo(),
			{
				resource: 'video',
				operation: 'generate',
				model: id('vidomni-v9'),
				prompt: 'Waves',
				duration: 60,
			},
			'/v1/videos/generations',
			{ model: 'vidomni-v9', duration: 60 },
		],
		[
			'an endpoint',
			new MediaGenGrid(),
			{
				resource: 'task',
				operation: 'submit',
				path: '/v2/gridart/pan',
				body: '{"task_id": "t", "direction": "left"}',
			},
			'/v2/gridart/pan',
			{ task_id: 't', direction: 'left' },
		],
	])('%s is sent as it is, and its result comes out', async (_, node, parameters, path, body) => {
		const { json, error } = await runNode({
			node,
			parameters: { waitMode: 'poll', ...parameters, options: {} },
			credential: service.credential(),
		});
		expect(error).toBeUndefined();
		expect(service.sent('POST', '*').map((request) => request.path)).toEqual([path]);
		expect(service.sent('POST', '*')[0]?.body).toMatchObject(body);
		expect(json).toEqual([
			expect.objectContaining({
				status: 'completed',
				results: [expect.objectContaining({ index: 1 })],
			}),
		]);
	});

	test.each(OPERATIONS.filter(({ buys }) => buys).map((each) => [each.title, each] as const))(
		'%s: a field in Additional Body Fields reaches the service',
		async (_, { node, parameters }) => {
			const given = {
				additionalBodyFields: '{"brand_new": {"deep_er": [1, "x"]}}',
				downloadFiles: false,
				options: {},
			};
			const { error } = await runNode({
				node,
				parameters: { ...parameters, ...given },
				credential: service.credential(),
			});
			expect(error).toBeUndefined();
			expect(service.sent('POST', '*').map(({ body }) => body)).toEqual([
				expect.objectContaining({ brand_new: { deep_er: [1, 'x'] } }),
			]);
		},
	);
});
