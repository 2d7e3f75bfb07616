import type { IDataObject, INodeExecutionData, INodeParameters } from 'n8n-workflow';

import { MediaGenMusic } from '../../../../nodes/MediaGenMusic/MediaGenMusic.node';
import { jumpingClock } from '../../support/clocks';
import { ok } from '../../support/engine';
import type { RunOptions } from '../../support/engine';
import { runnerOf } from '../../support/operations';
import { fileItem } from '../../support/sandbox';
import { failed, serviceError, songAt, soundTool, unknownTask } from '../../support/scriptedTasks';
import { goOn } from '../../support/settings';
import { useSoundService } from '../../support/soundService';

const { service, onSubmit, onRecord, buy } = useSoundService(jumpingClock);

const PATH = '/v1/music/generations/create';

type Row = { name?: unknown; value?: unknown };

const submit = async (
	rows: Row[] | undefined,
	parameters: INodeParameters = {},
	items: INodeExecutionData[] = [{ json: {} }],
	more: Partial<RunOptions> = {},
) =>
	await runnerOf(service)(
		'music.task.submit',
		{
			...{ path: PATH, body: '', bodyType: 'fields', waitMode: 'none' },
			bodyFields: (rows === undefined ? {} : { field: rows }) as INodeParameters,
			...parameters,
		},
		{ items, ...more },
	);

const form = { bodyType: 'formData', binaryProperty: 'data', fileField: 'audio' };

const song = async () => await fileItem(Buffer.from('song'), 'song.mp3', 'audio/mpeg');

const bodies = () => service.sent('POST', PATH).map(({ body }) => body);

describe('Body Fields of a custom request', () => {
	test('go out by their names, with the values as they are; one without a value does not', async () => {
		const { json } = await submit([
			{ name: 'prompt', value: 'Rain' },
			{ name: 'count', value: '={{ 2 }}' },
			{ name: 'tags', value: '={{ ["wet", "", null] }}' },
			{ name: 'title', value: '' },
			{ name: 'lyrics', value: '={{ $json.missing }}' },
		]);
		expect(json[0]?.notes).toEqual(['Not sent, because empty in "Body Fields": "title", "lyrics"']);
		expect(bodies()).toEqual([{ prompt: 'Rain', count: 2, tags: ['wet', '', null] }]);
	});

	const rain = { name: 'prompt', value: 'Rain' };

	test.each<[string, number, Row[]]>([
		['an empty name', 2, [rain, { name: '', value: 'loud' }]],
		['a name of blanks', 1, [{ name: ' ', value: 'loud' }, rain]],
		['no name', 1, [{ value: 'loud' }, rain]],
		['neither name nor value', 2, [rain, { name: '', value: '' }]],
		['a name whose expression is empty', 1, [{ name: '={{ $json.missing }}', value: 'loud' }]],
	])('a row with %s is refused, with its number: %d', async (_, number, rows) => {
		for (const parameters of [{}, form]) {
			const { error } = await submit(rows, parameters, [await song()]);
			expect(error?.message).toBe(`"Body Fields › ${number} › Name" is required [row 1 (item 0)]`);
			expect(error?.description).toBe('Nothing was sent to the service.');
		}
		expect(bodies()).toEqual([]);
	});

	test.each<[string, Row[] | undefined]>([
		['no row', undefined],
		['rows whose values are all empty', [{ name: 'prompt', value: '={{ $json.missing }}' }]],
	])('%s would be an empty request, which is not bought', async (_, rows) => {
		const { error } = await submit(rows);
		expect(error?.message).toBe(
			'"Body Fields" is required: the request would be empty [row 1 (item 0)]',
		);
		expect(bodies()).toEqual([]);
	});

	test('so would a JSON body whose expression leaves nothing', async () => {
		const given = { bodyType: 'json', body: '={{ { prompt: $json.missing } }}' };
		const { error } = await submit(undefined, given);
		expect(error?.message).toContain('"JSON Body" is required: its expression is empty');
		expect(bodies()).toEqual([]);
	});

	test('no row, with "Additional Body Fields", is a request', async () => {
		await submit(undefined, { options: { additionalBodyFields: '{"seed": 7}' } });
		expect(bodies()).toEqual([{ seed: 7 }]);
	});

	test('an empty file is not sent', async () => {
		const { error } = await submit(undefined, form, [await fileItem(Buffer.alloc(0), 'song.mp3')]);
		expect(error?.message).toBe(
			'"Input Data Field Name": the file in "data" is empty [row 1 (item 0)]',
		);
		expect(bodies()).toEqual([]);
	});

	test('an empty name of the file is refused: the file in "data" may be another one', async () => {
		const given = { ...form, binaryProperty: '={{ $json.audioField }}' };
		const { error } = await submit(undefined, given, [await song()]);
		expect(error?.message).toContain('"Input Data Field Name"');
		expect(bodies()).toEqual([]);
	});

	test('no row, with a file, is a request', async () => {
		ok(await submit(undefined, form, [await song()]));
		expect(bodies()).toEqual([expect.stringContaining('name="audio"')]);
	});
});

test.each([
	['={{ $json.missing }}', 'is required: its expression is empty'],
	['={{ null }}', 'is required: its expression is empty'],
	['={{ "" }}', 'is required: its expression is empty'],
	['', 'is required'],
])('a JSON Body (%s) of nothing is refused: it would buy an empty request', async (body, words) => {
	const { error } = await submit(undefined, { bodyType: 'json', body });
	expect(error?.message).toBe(`"JSON Body" ${words} [row 1 (item 0)]`);
	expect(bodies()).toEqual([]);
});

test.each([
	['={{ $json.kind }}', 'is required: its expression is empty'],
	['={{ "form" }}', 'must be one of fields, formData, json, not "form"'],
])('a Body that is %s is refused: it would buy another request', async (bodyType, words) => {
	const { error } = await submit([{ name: 'prompt', value: 'Rain' }], { bodyType });
	expect(error?.message).toBe(`"Body" ${words} [row 1 (item 0)]`);
	expect(bodies()).toEqual([]);
});

test('an integer in a JSON Body that no number can hold keeps its digits', async () => {
	const body = '{"task_id": 9007199254740993, "big": 100000000000000000}';
	await submit(undefined, { bodyType: 'json', body });
	expect(bodies()).toEqual([{ task_id: '9007199254740993', big: 100_000_000_000_000_000 }]);
});

const unknown = (message: string) =>
	serviceError(404, message, { code: 404, type: 'not_found_error' });

test("the deployment's word for a model goes out in form data, too", async () => {
	const credential = { ...service.credential(), brandWords: '{"musicgen": "acme"}' };
	await submit([{ name: 'model', value: 'musicgen' }], form, [await song()], { credential });
	expect(bodies()).toEqual([expect.stringContaining('name="model"\r\n\r\nacme\r\n')]);
});

test('a wrong path is not told as a missing task', async () => {
	service.on('POST', PATH, unknown('There is no such endpoint'));
	const { error } = await submit([{ name: 'prompt', value: 'Rain' }]);
	expect(error?.message).toBe('Path or task not found: There is no such endpoint [row 1 (item 0)]');
	expect(error?.description).toBe(
		'Check "Path" in the documentation of the service, and the task ID if the body has one.',
	);
});

test('a 404 to a request that names no task points at the address of the service', async () => {
	onSubmit(unknown('There is no such endpoint'));
	const { error } = await buy();
	expect(error?.message).toBe('Endpoint not found: There is no such endpoint [row 1 (item 0)]');
	expect(error?.description).toBe(
		'Check "Base URL" in the credential: it must lead to the service.',
	);
});

test.each([
	['Body Fields', { bodyFields: { field: [{ name: 'webhook', value: 'https://x.example' }] } }],
	['JSON', { bodyType: 'json', body: '{"webhook": "https://x.example"}' }],
])('a callback address of its own in %s is refused while pausing', async (_, body) => {
	const { error } = await submit([], { ...body, waitMode: 'callback' });
	expect(error?.message).toBe(
		'"Body" must not have the field "webhook": the node sets it [row 1 (item 0)]',
	);
	expect(service.requests).toEqual([]);
	await submit([], body);
	expect(bodies()).toEqual([{ webhook: 'https://x.example' }]);
});

const tasks = [{ json: { id: 'task_8' } }, { json: { id: 'task_9' } }];

const readTasks = async (
	operation: string,
	more: Partial<RunOptions> = {},
	taskId = '={{ $json.id }}',
	options: INodeParameters = {},
) =>
	await runnerOf(service)(
		`music.task.${operation}`,
		{ taskId, options },
		{ items: tasks, ...more },
	);

test.each<[string, INodeParameters]>([
	['get', {}],
	['wait', {}],
	['wait', { timeout: 5 }],
])(
	'of %s with %j, the item of a task that the service does not have has no status of the service, and says so',
	async (operation, options) => {
		onRecord(unknownTask);
		const { json } = await readTasks(operation, goOn, undefined, options);
		const message = expect.stringContaining('Task not found: No such task') as string;
		expect(json).toMatchObject([
			{ taskId: 'task_8', status: 'not found', serviceStatus: null, error: { message } },
			{ taskId: 'task_9', status: 'not found', serviceStatus: null, error: { message } },
		]);
	},
);

test('the file of a task that still runs is not downloaded: it may be a preview, or not there yet', async () => {
	const preview = songAt(`${service.url}/preview.mp3`);
	onRecord({ json: { status: 'in_progress', result: preview } });
	const { items } = ok(await readTasks('get'));
	expect(items.map(({ json, binary }) => [json.status, binary])).toEqual([
		['running', undefined],
		['running', undefined],
	]);
	expect(service.sent('GET', '/preview.mp3')).toEqual([]);
});

test('the file of a task whose status word is not known is downloaded', async () => {
	const song = songAt(`${service.url}/song.mp3`);
	onRecord({ json: { status: 'mastered', result: song } });
	service.on('GET', '/song.mp3', { text: 'song', headers: { 'content-type': 'audio/mpeg' } });
	const { items } = ok(await readTasks('get'));
	expect(items.map(({ binary }) => binary?.data?.mimeType)).toEqual(['audio/mpeg', 'audio/mpeg']);
});

test("an agent's tool tells why a task failed", async () => {
	onRecord(failed('Too loud'));
	const { json } = await readTasks('get', { node: soundTool() });
	expect(json[0]).toMatchObject({ status: 'failed', reason: 'Too loud' });
});

test('a task that the service does not have is listed as not found', async () => {
	onRecord(unknownTask);
	const { error } = await readTasks('get');
	expect(error?.description).toContain(
		'Row 1 (item 0): task task_8, not found (Task not found: No such task).<br>\nRow 2 (item 1): task task_9, not found',
	);
});

test.each(['get', 'wait'])(
	'of %s, a row whose Task ID cannot be evaluated does not keep the others from their tasks',
	async (operation) => {
		onRecord({ json: { id: 'task_8', status: 'completed' } });
		const items = [{ json: {} }, { json: { id: 'task_8' } }];
		const taskId = '={{ $json.id ?? $("Nowhere").item.json.id }}';
		const { json } = await readTasks(operation, { items, ...goOn }, taskId);
		expect(json).toMatchObject([
			{ error: { message: "Referenced node doesn't exist [row 1 (item 0)]" } },
			{ taskId: 'task_8', status: 'completed' },
		]);
	},
);

test.each(['get', 'wait'])(
	'of %s, a row without a Task ID fails the node before the others are read',
	async (operation) => {
		const items = [{ json: { id: 'task_8' } }, { json: {} }];
		const { error } = await readTasks(operation, { items });
		expect(error?.message).toBe('"Task ID" is required: its expression is empty [row 2 (item 1)]');
		expect(service.requests).toHaveLength(0);
	},
);

const LATE = { message: 'Late' };

/** What every error of a node has, and no failed task. */
const OF_NODE = { description: null };

test.each<[string, string | undefined, IDataObject]>([
	['of the failed item', 'task_cover', { error: { ...OF_NODE, taskId: 'task_cover' }, ...LATE }],
	['none where the item was refused', undefined, { error: OF_NODE, ...LATE }],
	['of the row, if that is a failed task whose record has the same message', 'task_song', LATE],
	['of the row, after the error of another node', 'task_song', { error: { status: 404 } }],
])(
	'on an error output, to which n8n adds the fields of the row, the task is that %s',
	async (_, asked, { error, message }) => {
		onRecord({ json: { status: 'completed' } });
		const row = { taskId: 'task_song', status: 'completed' };
		const json = { ...row, message, error: { message: 'Late', ...(error as IDataObject) } };
		const { properties } = new MediaGenMusic().description;
		const field = properties.find(
			({ name, displayOptions }) =>
				name === 'taskId' && displayOptions?.show?.operation?.includes('get'),
		);
		const given = { taskId: String(field?.default), downloadFiles: false };
		await runnerOf(service)('music.task.get', given, { items: [{ json }] });
		expect(service.requests.map(({ path }) => path.split('/').at(-1))).toEqual(
			asked ? [asked] : [],
		);
	},
);

test('"One Item per File" leaves a failed task whole: its links are not what was bought', async () => {
	const record = { status: 'failed', error: { message: 'Too loud' } };
	onRecord({ json: { ...record, result: songAt(`${service.url}/source.mp3`) } });
	const { json } = await runnerOf(service)(
		'music.task.get',
		{ taskId: 'task_8', output: 'files', downloadFiles: false },
		{ items: [{ json: {} }] },
	);
	expect(json).toMatchObject([{ taskId: 'task_8', error: { message: 'Too loud' } }]);
});

test.each([
	['null', 'is required: its expression is empty'],
	['[$json.id, "task_9"]', 'must be text'],
	['$json', 'must be text'],
])('a Task ID from the expression %s: %s', async (expression, message) => {
	const items = [{ json: { id: 'task_8' } }];
	const { error } = await readTasks('get', { items }, `={{ ${expression} }}`);
	expect(error?.message).toBe(`"Task ID" ${message} [row 1 (item 0)]`);
	expect(service.requests).toHaveLength(0);
});
