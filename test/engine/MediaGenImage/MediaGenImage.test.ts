import type { IDataObject, ILoadOptionsFunctions, INodeParameters } from 'n8n-workflow';
import { NodeHelpers } from 'n8n-workflow';
import sharp from 'sharp';

import codex from '../../../nodes/MediaGenImage/MediaGenImage.node.json';
import { MediaGenImage } from '../../../nodes/MediaGenImage/MediaGenImage.node';
import { readBinary, runNode } from '../support/engine';
import { completed, isShown } from '../support/fieldTable';
import { generatePicture, prompts } from '../support/generatePicture';
import { fileItem, picture, submissions, useSandbox } from '../support/sandbox';

const service = useSandbox();

async function run(parameters: object, items = prompts(1), settings = {}) {
	return await runNode({
		node: new MediaGenImage(),
		parameters: { ...generatePicture, ...parameters },
		items,
		credential: service.credential(),
		settings,
	});
}

test('twenty items are twenty purchases, waited for together, and twenty results in the order of the input', async () => {
	service.sandbox.durations.set({ image: null });
	// No task ends before all of them have been bought: a node that took one item after the other would never end.
	const watch = setInterval(() => {
		const tasks = service.sandbox.tasks.list();
		if (tasks.length === 20) for (const { id } of tasks) service.sandbox.tasks.finish(id);
	}, 5);
	const { json, items, error } = await run(
		{ options: { pollInterval: 4, concurrency: 10 } },
		prompts(20),
	);
	clearInterval(watch);

	expect(error).toBeUndefined();
	expect(service.sandbox.ledger().accepted).toBe(20);
	expect(json).toHaveLength(20);
	const bought = new Map(submissions(service.sandbox).map(({ body, task }) => [task, body]));
	json.forEach(({ taskId, status }, index) => {
		expect(status).toBe('completed');
		expect(bought.get(String(taskId))).toMatchObject({ prompt: `Picture ${index}` });
		expect(items[index]?.pairedItem).toEqual({ item: index });
	});
});

test('what comes out has the shape that all families share', async () => {
	const { json } = await run({ n: 2 });
	const [charge] = service.sandbox.ledger().entries;
	expect(json).toEqual([
		expect.objectContaining({
			taskId: expect.stringMatching(/\S+/),
			family: 'image',
			operation: 'generate',
			status: 'completed',
			serviceStatus: 'completed',
			progress: 100,
			cost: expect.any(Number),
			creditsCost: charge?.credits,
			usage: expect.objectContaining({ total_tokens: expect.any(Number) }),
		}),
	]);
	expect(json[0]).not.toHaveProperty('error');
	expect(json[0]?.results).toEqual([
		{
			index: 1,
			kind: 'image',
			url: expect.stringMatching(/^http/),
			name: null,
			expiresAt: expect.stringMatching(/Z$/),
		},
		{
			index: 2,
			kind: 'image',
			url: expect.stringMatching(/^http/),
			name: null,
			expiresAt: expect.stringMatching(/Z$/),
		},
	]);
});

test('only what the user set is sent', async () => {
	await run({ n: '={{ "3" }}', additionalFields: { quality: 'high', maskUrl: '' } });
	expect(submissions(service.sandbox)[0]?.body).toEqual({
		model: 'imagegen-2-official',
		prompt: 'Picture 0',
		quality: 'high',
		n: 3,
	});
});

test('one item per result file, each with its file', async () => {
	const { items } = await run({
		n: 2,
		size: '3:2',
		output: 'files',
		additionalFields: { outputFormat: 'jpeg', outputCompression: 80 },
		options: { binaryPropertyName: 'picture' },
	});
	expect(items.map(({ json }) => [json.index, json.kind, json.status])).toEqual([
		[1, 'image', 'completed'],
		[2, 'image', 'completed'],
	]);
	for (const item of items) {
		expect(item.pairedItem).toEqual({ item: 0 });
		const { width, height, format } = await sharp(
			await readBinary(item.binary?.picture),
		).metadata();
		expect({ width, height, format }).toEqual({ width: 1536, height: 1024, format: 'jpeg' });
	}
});

test('all files of a task at one item, under numbered fields', async () => {
	const { items } = await run({ n: 3 });
	expect(Object.keys(items[0]?.binary ?? {})).toEqual(['data', 'data_2', 'data_3']);
});

test('without Simplify the record comes as the service sent it', async () => {
	const { json } = await run({ options: { simplify: false } });
	expect(json[0]).toMatchObject({
		taskId: expect.any(String),
		status: 'completed',
		record: {
			id: expect.any(String),
			credits_cost: expect.any(Number),
			result: { images: [{ url: [expect.any(String)] }] },
		},
	});
});

test('the task is returned at once and can be waited for later', async () => {
	const submitted = await run({ waitMode: 'none' });
	expect(submitted.json[0]).toMatchObject({ status: 'submitted', results: [] });
	const { taskId } = submitted.json[0] ?? {};

	const waited = await run({ resource: 'task', operation: 'wait', taskId: '={{ $json.taskId }}' }, [
		{ json: { prompt: '', taskId } as { prompt: string } },
	]);
	expect(waited.json[0]).toMatchObject({ taskId, status: 'completed', operation: 'wait' });
	expect(service.sandbox.ledger().accepted).toBe(1);
});

test('a task can be looked at in whatever state it is', async () => {
	service.sandbox.durations.set({ image: null });
	const submitted = await run({ waitMode: 'none' });
	const { taskId } = submitted.json[0] ?? {};
	const look = async () => (await run({ resource: 'task', operation: 'get', taskId })).json[0];

	expect(await look()).toMatchObject({
		taskId,
		status: expect.stringMatching(/submitted|running/),
	});
	service.sandbox.tasks.finish(String(taskId), { message: 'The brush broke' });
	expect(await look()).toMatchObject({ status: 'failed', error: { message: 'The brush broke' } });
});

test('a callback address is sent along and the service calls it', async () => {
	service.sandbox.settings.set({ allowPrivateCallbacks: true });
	await run({ options: { callbackBaseUrl: `${service.sandbox.url}/elsewhere` } });
	expect(submissions(service.sandbox)[0]?.body).toMatchObject({
		webhook: `${service.sandbox.url}/elsewhere`,
	});
});

test('reference pictures and a mask from binary fields are uploaded first', async () => {
	const item = await fileItem(await picture(64, 48));
	const mask = await fileItem(await picture(64, 48, 'png', true));
	const { error } = await runNode({
		node: new MediaGenImage(),
		parameters: {
			...generatePicture,
			prompt: 'Repaint',
			referenceImages: 'binary',
			imageBinaryProperties: 'data',
			additionalFields: { maskBinaryProperty: 'mask' },
		},
		items: [{ json: {}, binary: { data: item.binary!.data!, mask: mask.binary!.data! } }],
		credential: service.credential(),
	});
	expect(error).toBeUndefined();
	const uploads = service.sandbox.requests.list({ path: '/v1/uploads/images' });
	expect(uploads.map(({ status }) => status)).toEqual([200, 200]);
	expect(submissions(service.sandbox)[0]?.body).toMatchObject({
		image_urls: [expect.stringMatching(/^http/)],
		mask_url: expect.stringMatching(/^http/),
	});
});

test('a lite model takes a picture inside the request', async () => {
	const { error } = await runNode({
		node: new MediaGenImage(),
		parameters: {
			...generatePicture,
			model: 'lite-2-lite',
			prompt: 'From this',
			referenceImages: 'binary',
			imageBinaryProperties: 'data',
			additionalFields: { sendInputDataAs: 'dataUri' },
		},
		items: [await fileItem(await picture(32, 32))],
		credential: service.credential(),
	});
	expect(error).toBeUndefined();
	expect(service.sandbox.requests.list({ path: '/v1/uploads/images' })).toEqual([]);
	expect(submissions(service.sandbox)[0]?.body).toMatchObject({
		image_urls: [expect.stringMatching(/^data:image\/png;base64,/)],
	});
});

test('what the service changes silently is in the hints, with the sum of the run', async () => {
	const official = await run({ additionalFields: { background: 'transparent' } });
	const lite = await run({ model: 'lite-2-lite', additionalFields: { resolution: '4K' } });
	const said = [...official.hints, ...lite.hints].map(({ message }) => message).join('\n');
	expect(said).toContain('transparent background as Auto');
	expect(said).toContain('4K of a lite model as 1K');
	expect(said).toMatch(/1 task, cost 0\.\d+, \d+ credits/);
	expect(official.json[0]?.notes).toEqual(['The service draws a transparent background as Auto']);
});

test('a deployment with words of its own gets these, and its answers read the same', async () => {
	const { json, error } = await runNode({
		node: new MediaGenImage(),
		parameters: { ...generatePicture, prompt: 'x' },
		credential: { ...service.credential(), brandWords: '{"imagegen": "acmepix"}' },
	});
	const sent = service.sandbox.requests.list({ path: '/v1/images/generations' });
	expect(sent.map(({ body }) => body)).toEqual([{ model: 'acmepix-2-official', prompt: 'x' }]);
	expect(error).toBeUndefined();
	expect(json[0]).toMatchObject({
		status: 'completed',
		usage: { total_tokens: expect.any(Number) },
	});
});

const front = 'https://example.com/front.png';
const side = 'https://example.com/side.png';
const byId = (value: string) => ({ __rl: true, mode: 'id', value });
const sent = () => submissions(service.sandbox).map(({ body }) => body);

/** What a new node does with the given parameters only. */
async function runNew(parameters: INodeParameters, items = [{ json: {} as IDataObject }]) {
	return await runNode({
		node: new MediaGenImage(),
		parameters: { resource: 'image', waitMode: 'none', ...parameters },
		items,
		credential: service.credential(),
	});
}

/** Labels of what the panel shows of an operation, in its order. */
function panel(parameters: Record<string, unknown>): string[] {
	const node = new MediaGenImage();
	const values = completed(node, parameters);
	const holder = {
		id: '1',
		name: 'Node',
		type: 'mediaGenImage',
		typeVersion: 1,
		position: [0, 0] as [number, number],
		parameters: values,
	};
	const shown = node.description.properties.filter((field) =>
		NodeHelpers.displayParameter(values, field, holder, node.description),
	);
	return shown.filter(({ type }) => type !== 'hidden').map(({ displayName }) => displayName);
}

describe('Panel', () => {
	test('what most people set first is in sight, before what few need', () => {
		expect(panel({ resource: 'image', operation: 'generate' })).toEqual([
			...[
				'Resource',
				'Operation',
				'Model',
				'Prompt',
				'Reference Images',
				'Size',
				'Number of Images',
			],
			...[
				'Wait for Result',
				'Output',
				'Download Files',
				'Additional Fields',
				'Additional Body Fields',
				'Options',
			],
		]);
		expect(panel({ resource: 'image', operation: 'edit' })).toEqual([
			...[
				'Resource',
				'Operation',
				'Model',
				'Image',
				'Image Input Data Field Name',
				'Mask',
				'Prompt',
				'Size',
				'Number of Images',
			],
			...['Wait for Result', 'Output', 'Download Files', 'Additional Body Fields', 'Options'],
		]);
	});

	test('a panel that nobody touched sends the model and the prompt', async () => {
		const { error } = await runNew({ operation: 'generate', prompt: 'A pier' });
		expect(error).toBeUndefined();
		expect(sent()).toEqual([{ model: 'imagegen-2-official', prompt: 'A pier' }]);
	});

	test('"edit image" and "inpaint" find the node', () => {
		expect(codex.alias).toEqual(
			expect.arrayContaining(['AI', 'edit image', 'inpaint', 'text to image', 'upscale']),
		);
	});

	test.each<[string, unknown, boolean, boolean]>([
		[
			'the official model from the list',
			{ __rl: true, mode: 'list', value: 'imagegen-2-official' },
			true,
			false,
		],
		[
			'a lite model from the list',
			{ __rl: true, mode: 'list', value: 'imgfast-3.1-flash-lite-image' },
			false,
			true,
		],
		['an alias by ID', byId('lite-2-lite-ext'), false, true],
		['a new model by ID', byId('imagegen-3'), true, true],
		['a lite model as plain text', 'lite-2-lite', false, true],
		['the official model as plain text', 'imagegen-2-official', true, false],
	])('%s shows the fields that it has', (_, model, official, dataUri) => {
		const node = new MediaGenImage();
		const given = { resource: 'image', operation: 'generate', model, referenceImages: 'binary' };
		for (const field of ['quality', 'background', 'moderation', 'outputFormat', 'pixelSize']) {
			expect(isShown(node, given, `additionalFields.${field}`)).toBe(official);
		}
		expect(isShown(node, given, 'additionalFields.sendInputDataAs')).toBe(dataUri);
		for (const field of ['size', 'n', 'additionalFields.resolution', 'additionalFields.maskUrl']) {
			expect(isShown(node, given, field)).toBe(true);
		}
		expect(panel(given).filter((label) => label === 'Size')).toHaveLength(1);
	});
});

describe('Model', () => {
	test('the list has each model once, under its own name, and can be searched', async () => {
		const { searchModels } = new MediaGenImage().methods.listSearch;
		const search = async (filter?: string) =>
			(await searchModels.call({} as ILoadOptionsFunctions, filter)).results.map(
				({ value }) => value,
			);
		expect(await search()).toEqual([
			'imagegen-2-official',
			'imgfast-3.1-flash-lite-image',
			'imgfast-3.1-flash-lite-image-ext',
		]);
		expect(await search('LITE EXT')).toEqual(['imgfast-3.1-flash-lite-image-ext']);
	});

	test.each<[string, INodeParameters[string], string]>([
		[
			'picked from the list',
			{ __rl: true, mode: 'list', value: 'imgfast-3.1-flash-lite-image' },
			'imgfast-3.1-flash-lite-image',
		],
		['an alias', byId('lite-2-lite'), 'lite-2-lite'],
		['plain text, as the API of n8n saves it', 'lite-2-lite-ext', 'lite-2-lite-ext'],
		['an expression for the whole field', '={{ $json.model }}', 'imagegen-2-official'],
		['an expression inside the locator', byId('={{ $json.model }}'), 'imagegen-2-official'],
	])('%s is sent without a note', async (_, model, value) => {
		const { json, error } = await runNew({ operation: 'generate', prompt: 'x', model }, [
			{ json: { model: 'imagegen-2-official' } },
		]);
		expect(error).toBeUndefined();
		expect(sent()).toEqual([{ model: value, prompt: 'x' }]);
		expect(json[0]).not.toHaveProperty('notes');
	});

	test('a new model is sent as it is, with what it may have beyond the known ones, and the item says so', async () => {
		const { json, hints, error } = await runNew({
			operation: 'generate',
			prompt: 'x',
			model: byId('imagegen-3'),
			size: '={{ "7:3" }}',
			referenceImages: 'url',
			imageUrls: Array<string>(17).fill(front),
			additionalFields: { resolution: '={{ "8k" }}', quality: '={{ "ultra" }}' },
		});
		expect(error).toBeUndefined();
		expect(sent()).toEqual([
			{
				model: 'imagegen-3',
				prompt: 'x',
				size: '7:3',
				resolution: '8k',
				quality: 'ultra',
				image_urls: Array(17).fill(front),
			},
		]);
		const note = 'The model "imagegen-3" is not in this package\'s list: it is sent as it is';
		expect(json[0]?.notes).toEqual([note]);
		expect(hints.map(({ message }) => message)).toContain(note);
	});

	test('an empty model is refused', async () => {
		const { error } = await runNew({ operation: 'generate', prompt: 'x', model: '={{ "" }}' });
		expect(error?.message).toContain('"Model" is required');
		expect(service.sandbox.requests.list()).toEqual([]);
	});
});

describe('Reference images', () => {
	const generate = { operation: 'generate', prompt: 'x' };

	test.each<[string, string]>([
		['objects with a url', '={{ [{ url: $json.front }, { url: $json.side }] }}'],
		[
			'results of another node',
			'={{ [{ index: 1, kind: "image", url: $json.front }, { index: 2, kind: "image", url: $json.side }] }}',
		],
		[
			'images of a record, whose url is a list',
			'={{ [{ url: [$json.front] }, { url: [$json.side] }] }}',
		],
		['plain URLs', '={{ [$json.front, $json.side] }}'],
	])('%s are sent as plain URLs', async (_, imageUrls) => {
		const { error } = await runNew({ ...generate, referenceImages: 'url', imageUrls }, [
			{ json: { front, side } },
		]);
		expect(error).toBeUndefined();
		expect(sent()).toMatchObject([{ image_urls: [front, side] }]);
	});

	test.each<[string, INodeParameters, string]>([
		['no URL', { referenceImages: 'url', imageUrls: [] }, '"Image URLs" is required'],
		[
			'no field name',
			{ referenceImages: 'binary', imageBinaryProperties: '' },
			'"Input Data Field Name" is required',
		],
		[
			'neither',
			{ referenceImages: 'both', imageUrls: [], imageBinaryProperties: '' },
			'"Image URLs" is required',
		],
		[
			'something that is no URL',
			{ referenceImages: 'url', imageUrls: ['picture.png'] },
			'"Image URLs › 1" must be a full http or https URL',
		],
		[
			'seventeen',
			{ referenceImages: 'url', imageUrls: Array<string>(17).fill(front) },
			'"Image URLs" must have at most 16 pictures',
		],
		[
			'fifteen for a lite model',
			{ model: 'lite-2-lite', referenceImages: 'url', imageUrls: Array<string>(15).fill(front) },
			'"Image URLs" must have at most 14 pictures',
		],
		[
			'a data URI for the official model',
			{ referenceImages: 'url', imageUrls: ['data:image/png;base64,AAAA'] },
			'only the lite models take a data URI',
		],
		[
			'two masks',
			{
				referenceImages: 'url',
				imageUrls: [front],
				additionalFields: { maskUrl: side, maskBinaryProperty: 'mask' },
			},
			'"Mask URL" must not be set together with "Mask Input Data Field Name"',
		],
	])('%s: refused before anything is sent', async (_, given, message) => {
		const { error } = await runNew({ ...generate, ...given });
		expect(error?.message).toContain(message);
		expect(service.sandbox.requests.list()).toEqual([]);
	});

	const noReference =
		'must come with a reference image, the one to be repainted: "Reference Images" is None';
	const isEmpty = 'is required: its expression is empty';

	test.each<[string, INodeParameters, string]>([
		[
			'a mask',
			{ referenceImages: 'none', additionalFields: { maskUrl: side } },
			`"Mask URL" ${noReference}`,
		],
		[
			'a mask from the input',
			{ referenceImages: 'none', additionalFields: { maskBinaryProperty: 'mask' } },
			`"Mask Input Data Field Name" ${noReference}`,
		],
		[
			'a mask for a lite model',
			{ model: 'lite-2-lite', referenceImages: 'none', additionalFields: { maskUrl: side } },
			`"Mask URL" ${noReference}`,
		],
		[
			'a mask of a row',
			{ referenceImages: '={{ "none" }}', additionalFields: { maskUrl: side } },
			`"Mask URL" ${noReference}`,
		],
	])(
		'%s without a reference image is refused before anything is sent',
		async (_, given, message) => {
			const { error } = await runNew({ ...generate, ...given });
			expect(error?.message).toBe(`${message} [item 0]`);
			expect(service.sandbox.requests.list()).toEqual([]);
		},
	);

	test.each<[string, INodeParameters, string]>([
		[
			'a mask',
			{
				referenceImages: 'url',
				imageUrls: [front],
				additionalFields: { maskUrl: '={{ $json.none }}' },
			},
			`"Mask URL" ${isEmpty}`,
		],
		[
			'a mask of the input',
			{
				referenceImages: 'url',
				imageUrls: [front],
				additionalFields: { maskBinaryProperty: '={{ " " }}' },
			},
			`"Mask Input Data Field Name" ${isEmpty}`,
		],
		[
			'a mask without a reference',
			{ referenceImages: 'none', additionalFields: { maskUrl: '={{ $json.none }}' } },
			`"Mask URL" ${isEmpty}`,
		],
		[
			'a second reference',
			{ referenceImages: 'url', imageUrls: [front, '={{ $json.none }}'] },
			'"Image URLs › 2" is required',
		],
		[
			'a reference in a list',
			{ referenceImages: 'url', imageUrls: '={{ ["https://example.com/front.png", null] }}' },
			'"Image URLs › 2" is required',
		],
		[
			'a result without a link',
			{
				referenceImages: 'url',
				imageUrls: '={{ [{ url: "https://example.com/front.png" }, { url: null }] }}',
			},
			'"Image URLs › 2" is required',
		],
		[
			'a field name beside URLs',
			{ referenceImages: 'both', imageUrls: [front], imageBinaryProperties: '={{ $json.none }}' },
			`"Input Data Field Name" ${isEmpty}`,
		],
		[
			'the URLs beside a field name',
			{ referenceImages: 'both', imageUrls: '={{ [] }}', imageBinaryProperties: 'data' },
			`"Image URLs" ${isEmpty}`,
		],
		[
			'one of two field names',
			{ referenceImages: 'binary', imageBinaryProperties: '=data,{{ $json.none }}' },
			'"Input Data Field Name" must have a name on both sides of each comma',
		],
	])(
		'%s whose expression is empty is refused before anything is sent',
		async (_, given, message) => {
			const photo = await fileItem(await picture(64, 48));
			const { error } = await runNew({ ...generate, ...given }, [
				{ json: {}, binary: photo.binary } as { json: IDataObject },
			]);
			expect(error?.message).toBe(`${message} [item 0]`);
			expect(service.sandbox.requests.list()).toEqual([]);
		},
	);

	test('URLs of a row without reference images are not sent, and the item says so', async () => {
		const given = { ...generate, referenceImages: '={{ $json.from }}', imageUrls: [front] };
		const { json } = await runNew(given, [{ json: { from: 'none' } }, { json: { from: 'url' } }]);
		expect(sent()).toContainEqual({ model: 'imagegen-2-official', prompt: 'x' });
		expect(sent()).toContainEqual({
			model: 'imagegen-2-official',
			prompt: 'x',
			image_urls: [front],
		});
		expect(json.map(({ notes }) => notes)).toEqual([
			['"Image URLs" is set and was not sent: "Reference Images" is None'],
			undefined,
		]);
	});

	test('what a lite model does not have is sent, and the item says so', async () => {
		const given = {
			...generate,
			model: byId('={{ "lite-2-lite" }}'),
			referenceImages: 'url',
			imageUrls: [front],
		};
		const { json } = await runNew({
			...given,
			additionalFields: { maskUrl: side, quality: 'high' },
		});
		expect(sent()).toMatchObject([{ mask_url: side, quality: 'high' }]);
		expect(json[0]?.notes).toEqual([
			'"Quality" was sent, but a lite model does not support it',
			'"Mask" was sent, but a lite model does not support it',
		]);
	});
});

test.each<[string, INodeParameters, string]>([
	['five pictures', { n: 5 }, '"Number of Images" must be a whole number from 1 to 4'],
	[
		'a ratio that the official model does not have',
		{ size: '={{ "7:3" }}' },
		'"Size" must be one of auto, 1:1',
	],
	[
		'a ratio that a lite model does not have',
		{ model: 'lite-2-lite', size: '={{ "2:1" }}' },
		'"Size" must be one of auto, 1:1',
	],
	[
		'pixels for a lite model',
		{ model: byId('={{ "lite-2-lite" }}'), additionalFields: { pixelSize: '640x480' } },
		'"Pixel Size" must not be set for a lite model',
	],
	[
		'two sizes',
		{ size: '3:2', additionalFields: { pixelSize: '640x480' } },
		'"Pixel Size" must not be set together with "Size"',
	],
	[
		'a resolution that the official model does not have',
		{ additionalFields: { resolution: '={{ "8k" }}' } },
		'"Resolution" must be one of 1k, 2k, 4k',
	],
	[
		'compression of a PNG',
		{ additionalFields: { outputFormat: '={{ "png" }}', outputCompression: 80 } },
		'"Output Compression" must come with the output format jpeg or webp',
	],
])('refused before anything is sent: %s', async (_, given, message) => {
	const { error } = await runNew({ operation: 'generate', prompt: 'x', ...given });
	expect(error?.message).toContain(message);
	expect(error?.message).toContain('[item 0]');
	expect(service.sandbox.requests.list()).toEqual([]);
});

describe('Edit', () => {
	const edit = { operation: 'edit', prompt: 'Replace the sky' };

	test('an item with a photo and a mask becomes an edited photo, with one task', async () => {
		const photo = await fileItem(await picture(64, 48));
		const mask = await fileItem(await picture(64, 48, 'png', true));
		const { items, json, error } = await runNode({
			node: new MediaGenImage(),
			parameters: { resource: 'image', ...edit, maskSource: 'binary' },
			items: [{ json: {}, binary: { data: photo.binary!.data!, mask: mask.binary!.data! } }],
			credential: service.credential(),
		});
		expect(error).toBeUndefined();
		expect(sent()).toEqual([
			{
				model: 'imagegen-2-official',
				prompt: 'Replace the sky',
				image_urls: [expect.stringMatching(/^http/)],
				mask_url: expect.stringMatching(/^http/),
			},
		]);
		expect(service.sandbox.ledger().accepted).toBe(1);
		expect(json[0]).toMatchObject({ family: 'image', operation: 'edit', status: 'completed' });
		expect((await sharp(await readBinary(items[0]?.binary?.data)).metadata()).format).toBe('png');
	});

	test('image and mask by their URLs, without a mask as well', async () => {
		await runNew({
			...edit,
			imageSource: 'url',
			imageUrl: front,
			maskSource: 'url',
			maskUrl: side,
			size: '3:2',
			n: 2,
		});
		await runNew({
			...edit,
			imageSource: 'url',
			imageUrl: '={{ { url: "https://example.com/front.png" } }}',
		});
		const common = { model: 'imagegen-2-official', prompt: 'Replace the sky', image_urls: [front] };
		expect(sent()).toEqual([{ ...common, mask_url: side, size: '3:2', n: 2 }, common]);
	});

	test.each<[string, INodeParameters, string]>([
		['no URL', { imageSource: 'url' }, '"Image URL" is required'],
		[
			'something that is no URL',
			{ imageSource: 'url', imageUrl: 'front.png' },
			'"Image URL" must be a full http or https URL',
		],
		['no field name', { imageBinaryProperty: '' }, '"Image Input Data Field Name" is required'],
		[
			'a field that is not there',
			{ imageBinaryProperty: 'photo' },
			'"Image Input Data Field Name": the input item has no binary data in the field "photo"',
		],
		[
			'a mask without its URL',
			{ imageSource: 'url', imageUrl: front, maskSource: 'url' },
			'"Mask URL" is required',
		],
		[
			'no prompt',
			{ imageSource: 'url', imageUrl: front, prompt: '={{ "" }}' },
			'"Prompt" is required',
		],
	])('%s: refused before anything is sent', async (_, given, message) => {
		const { error } = await runNew({ ...edit, ...given });
		expect(error?.message).toContain(message);
		expect(service.sandbox.requests.list()).toEqual([]);
	});

	test('a mask of a row whose "Mask" is None is not sent, and the item says so', async () => {
		const given = {
			...edit,
			imageSource: 'url',
			imageUrl: front,
			maskSource: '={{ "none" }}',
			maskUrl: '={{ "https://example.com/side.png" }}',
		};
		const { json } = await runNew(given);
		expect(sent()).toEqual([
			{ model: 'imagegen-2-official', prompt: 'Replace the sky', image_urls: [front] },
		]);
		expect(json[0]?.notes).toEqual(['"Mask URL" is set and was not sent: "Mask" is None']);
	});
});
