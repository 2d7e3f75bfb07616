import type { ILoadOptionsFunctions, INodeExecutionData, INodeParameters } from 'n8n-workflow';
import sharp from 'sharp';

import codex from '../../../nodes/MediaGenImage/MediaGenImage.node.json';
import { MediaGenImage } from '../../../nodes/MediaGenImage/MediaGenImage.node';
import {
	OFFICIAL_RESOLUTIONS,
	REFERENCE_LIMITS,
	SIZE_BY_RESOLUTION,
} from '../../../nodes/shared/api/image';
import { officialSize } from '../../../sandbox/service/image/sizes';
import { ok, readBinary, runNode, type RunResult } from '../support/engine';
import {
	extra,
	isShown,
	labelsShown,
	needed,
	type Row,
	testFields,
	top,
} from '../support/fieldTable';
import { generatePicture, prompts } from '../support/generatePicture';
import { newNodeRunner } from '../support/operations';
import { expectRefused, fileItem, picture, submissions, useSandbox } from '../support/sandbox';

const service = useSandbox();

const run = async (parameters: object, items: INodeExecutionData[] = prompts(1)) =>
	await runNode({
		node: new MediaGenImage(),
		parameters: { ...generatePicture, ...parameters },
		items,
		credential: service.credential(),
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

test('files do not come out under a name that would lose them', async () => {
	const { error } = await run({ options: { binaryPropertyName: '__proto__' } });
	expect(error?.message).toBe('"Put Output File in Field" must be another name');
	expect(submissions(service.sandbox)).toEqual([]);
});

test('a task can be looked at in whatever state it is', async () => {
	service.sandbox.durations.set({ image: null });
	const submitted = await run({ waitMode: 'none' });
	const { taskId } = submitted.json[0] ?? {};
	const look = async () => (await run({ resource: 'task', operation: 'get', taskId })).json[0];

	const status: unknown = expect.stringMatching(/submitted|running/);
	expect(await look()).toMatchObject({ taskId, status });
	service.sandbox.tasks.finish(String(taskId), { message: 'The brush broke' });
	expect(await look()).toMatchObject({ status: 'failed', error: { message: 'The brush broke' } });
});

const SHOWN = Object.entries(SIZE_BY_RESOLUTION);

test.each(SHOWN)('the panel shows for %s the pixels that the service makes', (ratio, pixels) => {
	for (const resolution of OFFICIAL_RESOLUTIONS) {
		const { width, height } = officialSize(ratio, resolution);
		expect(pixels[resolution]).toContain(`${width}x${height}`);
	}
});

test.each([
	['3:1', '1k'],
	['9:21', '2k'],
	['4:3', '4k'],
] as const)('a picture has these pixels: %s in %s', async (size, resolution) => {
	const additionalFields = { resolution, outputFormat: 'jpeg' };
	const { items } = ok(await run({ size, additionalFields }));
	const file = await readBinary(items[0]?.binary?.data);
	const { width, height, format } = await sharp(file).metadata();
	expect(SIZE_BY_RESOLUTION[size][resolution]).toContain(`${width}x${height}`);
	expect(format).toBe('jpeg');
});

/** An item with a photo, and with a mask of the same size. */
async function photoAndMask(): Promise<INodeExecutionData> {
	const photo = await fileItem(await picture(64, 48));
	const mask = await fileItem(await picture(64, 48, 'png', true));
	return { json: {}, binary: { data: photo.binary!.data!, mask: mask.binary!.data! } };
}

const fromInput = { prompt: 'Repaint', referenceImages: 'binary', imageBinaryProperties: 'data' };

test('reference pictures and a mask from binary fields are uploaded first', async () => {
	const additionalFields = { maskBinaryProperty: 'mask' };
	ok(await run({ ...fromInput, additionalFields }, [await photoAndMask()]));
	const uploads = service.sandbox.requests.list({ path: '/v1/uploads/images' });
	expect(uploads.map(({ status }) => status)).toStrictEqual([200, 200]);
	expect(submissions(service.sandbox)[0]?.body).toMatchObject({
		image_urls: [expect.stringMatching(/^http/)],
		mask_url: expect.stringMatching(/^http/),
	});
});

describe.each<[string, INodeParameters]>([
	['Generate', { ...fromInput, additionalFields: { maskBinaryProperty: 'mask' } }],
	['Edit', { operation: 'edit', prompt: 'x', imageSource: 'binary', maskSource: 'binary' }],
])('%s', (_, given) => {
	const runWith = async (mask: Buffer, model: INodeParameters = {}) => {
		const item = await photoAndMask();
		item.binary!.mask = (await fileItem(mask)).binary!.data!;
		return await run({ ...given, ...model }, [item]);
	};

	test.each(['jpeg', 'png', 'webp'] as const)(
		'refuses a %s without an alpha channel as a mask before anything is sent',
		async (format) => {
			const result = await runWith(await picture(64, 48, format));
			expectRefused(service, result, 'the file in "mask" has no alpha channel');
		},
	);

	const lossless = async (picture: Buffer) =>
		await sharp(picture).webp({ lossless: true }).toBuffer();

	test('a lossless WebP as a mask needs an alpha channel, too', async () => {
		const opaque = await runWith(await lossless(await picture(64, 48)));
		expectRefused(service, opaque, 'the file in "mask" has no alpha channel');
		expect(
			(await runWith(await lossless(await picture(64, 48, 'png', true)))).error,
		).toBeUndefined();
	});

	test('sends a mask of any kind to a model that it does not know', async () => {
		ok(await runWith(await picture(64, 48, 'jpeg'), { model: 'imagegen-9' }));
		expect(submissions(service.sandbox)).toMatchObject([{ body: { model: 'imagegen-9' } }]);
	});

	test.each(['png', 'webp'] as const)('takes a %s with alpha channel as a mask', async (format) => {
		ok(await runWith(await picture(64, 48, format, true)));
	});
});

test('rows with the same picture upload it once, side by side too', async () => {
	const row = await fileItem(await picture(32, 32));
	ok(await run(fromInput, [row, row, row]));
	expect(service.sandbox.requests.list({ path: '/v1/uploads/images' })).toHaveLength(1);
	const bodies = submissions(service.sandbox).map(({ body }) => JSON.stringify(body));
	expect([bodies.length, new Set(bodies).size]).toEqual([3, 1]);
});

test('the hint of a run counts a task once that several items name', async () => {
	const { json } = await run({ waitMode: 'none' });
	const parameters = { resource: 'task', operation: 'wait', taskId: String(json[0]?.taskId) };
	const cost = ({ hints }: RunResult) => hints[0]?.message;
	const waited = await run(parameters);
	expect(waited.json[0]).toMatchObject({ status: 'completed', operation: 'wait' });
	// A line that looked like a purchase would be added up twice.
	expect(cost(waited)).toMatch(/^1 task bought earlier, cost 0\.\d+/);
	expect(cost(await run(parameters, [{ json: {} }, { json: {} }]))).toBe(cost(waited));
	expect(service.sandbox.ledger().accepted).toBe(1);
});

test('a lite model takes a picture inside the request', async () => {
	const additionalFields = { sendInputDataAs: 'dataUri' };
	const parameters = { ...fromInput, model: 'lite-2-lite', additionalFields };
	ok(await run(parameters, [await fileItem(await picture(32, 32))]));
	expect(service.sandbox.requests.list({ path: '/v1/uploads/images' })).toEqual([]);
	expect(submissions(service.sandbox)[0]?.body).toMatchObject({
		image_urls: [expect.stringMatching(/^data:image\/png;base64,/)],
	});
});

test('what the service changes silently is in the hints, with the sum of the run', async () => {
	const official = await run({ additionalFields: { background: 'transparent' } });
	const png = await run({
		additionalFields: { outputFormat: '={{ "png" }}', outputCompression: 50 },
	});
	expect(png.json[0]?.notes).toEqual([
		'"Output Compression" was sent, but it is for the formats JPEG and WebP only',
	]);
	const lite = await run({ model: 'lite-2-lite', additionalFields: { resolution: '4K' } });
	const said = [...official.hints, ...lite.hints].map(({ message }) => message).join('\n');
	expect(said).toContain('transparent background as Auto');
	expect(said).toContain('4K of a lite model as 1K');
	expect(said).toMatch(/1 task, cost 0\.\d+, \d+ credits/);
	expect(official.json[0]?.notes).toEqual(['The service draws a transparent background as Auto']);
});

test('a deployment with words of its own gets these, and its answers read the same', async () => {
	const { json } = await runNode({
		node: new MediaGenImage(),
		parameters: { ...generatePicture, prompt: 'x' },
		credential: { ...service.credential(), brandWords: '{"imagegen": "acmepix"}' },
	}).then(ok);
	const sent = service.sandbox.requests.list({ path: '/v1/images/generations' });
	expect(sent.map(({ body }) => body)).toStrictEqual([
		{ model: 'acmepix-2-official', prompt: 'x' },
	]);
	expect(json[0]).toMatchObject({
		status: 'completed',
		usage: { total_tokens: expect.any(Number) },
	});
});

test('"Check Only" shows the words of the deployment', async () => {
	const { json } = await runNode({
		node: new MediaGenImage(),
		parameters: { ...generatePicture, options: { checkOnly: true } },
		credential: { ...service.credential(), brandWords: '{"imagegen": "acmepix"}' },
	});
	expect(json[0]).toMatchObject({ request: { body: { model: 'acmepix-2-official' } } });
});

const front = 'https://example.com/front.png';
const side = 'https://example.com/side.png';
const byId = (value: string) => ({ __rl: true, mode: 'id', value });
const listed = (value: string) => ({ __rl: true, mode: 'list', value });
const unlisted = (model: string) =>
	`The model "${model}" is not in this package's list: it is sent as it is`;
const sent = () => submissions(service.sandbox).map(({ body }) => body);

const runNewNode = newNodeRunner(service, new MediaGenImage(), 'image');

/** What a new node does with the given parameters only. */
const runNew = async (parameters: INodeParameters, items?: INodeExecutionData[]) =>
	await runNewNode('generate', parameters, items);

const url = { referenceImages: 'url', imageUrls: [front] };
const lite = (name: string, value: string) =>
	extra(name, value, name, value, { model: 'lite-2-lite' });

/** Fields by spec §3, and the rows that set them. Choices of the panel and files of the input are tested by themselves below. */
const COMMON: Row[] = [
	needed('model', 'lite-2-lite', 'model'),
	needed('prompt', 'A pier', 'prompt'),
	top('size', '16:9', 'size'),
	top('n', 3, 'n'),
];
const compression: Row = {
	field: 'additionalFields.outputCompression',
	set: { additionalFields: { outputFormat: 'jpeg', outputCompression: 80 } },
	unset: { additionalFields: { outputFormat: 'jpeg' } },
	api: 'output_compression',
	sent: 80,
};

const FIELDS = {
	'image.generate': {
		spec: [
			...['model', 'prompt', 'size', 'resolution', 'quality', 'background', 'moderation', 'n'],
			...['output_format', 'output_compression', 'image_urls', 'mask_url'],
		],
		rows: [
			...COMMON,
			{ ...needed('imageUrls', [front, side], 'image_urls', undefined, url), unset: {} },
			extra('maskUrl', side, 'mask_url', side, url),
			extra('pixelSize', '1536x1024', 'size'),
			extra('resolution', '2k', 'resolution'),
			lite('resolution', '2K'),
			extra('quality', 'high', 'quality'),
			extra('background', 'opaque', 'background'),
			extra('moderation', 'low', 'moderation'),
			extra('outputFormat', 'webp', 'output_format'),
			compression,
		],
		others: [
			...['referenceImages', 'imageBinaryProperties'],
			...['additionalFields.maskBinaryProperty', 'additionalFields.sendInputDataAs'],
		],
	},
	'image.edit': {
		spec: ['model', 'prompt', 'size', 'n', 'image_urls', 'mask_url'],
		rows: [
			...COMMON,
			needed('imageUrl', side, 'image_urls', [side]),
			{ ...top('maskUrl', side, 'mask_url', side, { maskSource: 'url' }), unset: {} },
		],
		others: ['imageSource', 'imageBinaryProperty', 'maskSource', 'maskBinaryProperty'],
	},
};

testFields(service, FIELDS);

describe('Panel', () => {
	const panel = (parameters: INodeParameters) => labelsShown(new MediaGenImage(), parameters);

	test('what most people set first is in sight, before what few need', () => {
		const waiting = ['Wait for Result', 'Output', 'Download Files'];
		expect(panel({ resource: 'image', operation: 'generate' })).toEqual([
			...['Resource', 'Operation', 'Model', 'Prompt', 'Reference Images', 'Size'],
			...['Number of Images', ...waiting, 'Additional Fields', 'Options'],
		]);
		expect(panel({ resource: 'image', operation: 'edit' })).toEqual([
			...['Resource', 'Operation', 'Model', 'Image', 'Image Input Data Field Name', 'Mask'],
			...['Prompt', 'Size', 'Number of Images', ...waiting, 'Options'],
		]);
	});

	test('"edit image" and "inpaint" find the node', () => {
		expect(codex.alias).toEqual(
			expect.arrayContaining(['AI', 'edit image', 'inpaint', 'text to image']),
		);
	});

	test('blanks around a model and a size, as cells have them, are not sent', async () => {
		const given = {
			operation: 'generate',
			prompt: 'x',
			model: byId(' lite-2 \n'),
			size: '={{ " 3:2 " }}',
		};
		ok(await runNew(given));
		expect(submissions(service.sandbox)[0]?.body).toMatchObject({ model: 'lite-2', size: '3:2' });
	});

	test.each<[string, INodeParameters[string], boolean, boolean]>([
		['the official model from the list', listed('imagegen-2-official'), true, false],
		['a lite model from the list', listed('imgfast-3.1-flash-lite-image'), false, true],
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
	const fast = 'imgfast-3.1-flash-lite-image';

	test('the list has each model once, under its own name, and can be searched', async () => {
		const { searchModels } = new MediaGenImage().methods.listSearch;
		const search = async (filter?: string) =>
			(await searchModels.call({} as ILoadOptionsFunctions, filter)).results.map(
				({ value }) => value,
			);
		expect(await search()).toEqual(['imagegen-2-official', fast, `${fast}-ext`]);
		expect(await search('LITE EXT')).toEqual([`${fast}-ext`]);
	});

	const official = 'imagegen-2-official';

	test.each<[string, INodeParameters, string]>([
		['that nobody touched', {}, official],
		['picked from the list', { model: listed(fast) }, fast],
		['by an alias', { model: byId('lite-2-lite') }, 'lite-2-lite'],
		['as plain text, as the API of n8n saves it', { model: 'lite-2-lite-ext' }, 'lite-2-lite-ext'],
		['by an expression for the whole field', { model: '={{ $json.model }}' }, official],
		['by an expression inside the locator', { model: byId('={{ $json.model }}') }, official],
	])('a model %s is sent without a note, and with the prompt alone', async (_, given, value) => {
		const { json } = await runNew({ operation: 'generate', prompt: 'x', ...given }, [
			{ json: { model: official } },
		]).then(ok);
		expect(sent()).toEqual([{ model: value, prompt: 'x' }]);
		expect(json[0]).not.toHaveProperty('notes');
	});

	test('a new model is sent as it is, with what it may have beyond the known ones, and the item says so', async () => {
		const imageUrls = Array<string>(17).fill(front);
		const { json, hints } = await runNew({
			...{ operation: 'generate', prompt: 'x', model: byId('imagegen-3'), size: '={{ "7:3" }}' },
			...{ referenceImages: 'url', imageUrls },
			additionalFields: { resolution: '={{ "8k" }}', quality: '={{ "ultra" }}' },
		}).then(ok);
		const open = { size: '7:3', resolution: '8k', quality: 'ultra' };
		expect(sent()).toEqual([{ model: 'imagegen-3', prompt: 'x', ...open, image_urls: imageUrls }]);
		const note = unlisted('imagegen-3');
		expect(json[0]?.notes).toEqual([note]);
		expect(hints.map(({ message }) => message)).toContain(note);
	});

	test('an empty model is refused', async () => {
		const given = { operation: 'generate', prompt: 'x', model: '={{ "" }}' };
		expectRefused(service, await runNew(given), '"Model" is required');
	});
});

const more = (additionalFields: INodeParameters) => ({ additionalFields });

describe('Reference images', () => {
	const generate = { operation: 'generate', prompt: 'x' };
	const result = (index: number, of: string) =>
		`{ index: ${index}, kind: "image", url: $json.${of} }`;
	const byUrl = (...imageUrls: string[]) => ({ referenceImages: 'url', imageUrls });
	const byName = (imageBinaryProperties: string) => ({
		referenceImages: 'binary',
		imageBinaryProperties,
	});
	const many = (count: number) => byUrl(...Array<string>(count).fill(front));
	const lite = { model: 'lite-2-lite' };
	const nowhere = '={{ $json.none }}';
	const isUrl = 'must be a full http or https URL';
	const twoMasks = more({ maskUrl: side, maskBinaryProperty: 'mask' });
	const notTogether = 'must not be set together with "Mask Input Data Field Name"';

	test.each<[string, string]>([
		['objects with a url', '={{ [{ url: $json.front }, { url: $json.side }] }}'],
		['results of another node', `={{ [${result(1, 'front')}, ${result(2, 'side')}] }}`],
		['images whose url is a list', '={{ [{ url: [$json.front] }, { url: [$json.side] }] }}'],
		['plain URLs', '={{ [$json.front, $json.side] }}'],
		['URLs in one text, with blanks', '={{ $json.front }}  {{ $json.side }}'],
		['URLs in one text, with commas and line breaks', '={{ $json.front }},\n\n {{ $json.side }}'],
	])('%s are sent as plain URLs', async (_, imageUrls) => {
		ok(
			await runNew({ ...generate, referenceImages: 'url', imageUrls }, [{ json: { front, side } }]),
		);
		expect(sent()).toMatchObject([{ image_urls: [front, side] }]);
	});

	test.each<[string, INodeParameters, string]>([
		['no URL', byUrl(), '"Image URLs" is required'],
		['no field name', byName(''), '"Input Data Field Name" is required'],
		['neither', { ...byName(''), ...byUrl(), referenceImages: 'both' }, '"Image URLs" is required'],
		['something that is no URL', byUrl('picture.png'), `"Image URLs › 1" ${isUrl}`],
		['seventeen', many(17), '"Image URLs" must have at most 16 pictures'],
		['15 for a lite model', { ...lite, ...many(15) }, '"Image URLs" must have at most 14 pictures'],
		['two masks', { ...byUrl(front), ...twoMasks }, `"Mask URL" ${notTogether}`],
	])('%s: refused before anything is sent', async (_, given, message) => {
		expectRefused(service, await runNew({ ...generate, ...given }), message);
	});

	const isNone =
		'must come with a reference image, the one to be repainted: "Reference Images" is None';
	const isEmpty = 'is required: its expression is empty';

	const withoutReference = (maskUrl: string) => ({
		referenceImages: 'none',
		...more({ maskUrl }),
	});
	const withMask = (maskUrl: string) => ({ ...byUrl(front), ...more({ maskUrl }) });
	const maskOfInput = (maskBinaryProperty: string) => more({ maskBinaryProperty });
	const ofField = '"Mask Input Data Field Name"';
	const ofRow = { ...withoutReference(side), referenceImages: '={{ "none" }}' };
	const inNoField = { ...byUrl(front), ...maskOfInput('={{ " " }}') };
	const asFile = { ...byUrl(front), ...maskOfInput('={{ $binary.data }}') };

	const secondRequired = '"Image URLs › 2" is required';
	const byExpression = (imageUrls: string) => ({ referenceImages: 'url', imageUrls });
	const withNull = byExpression(`={{ ["${front}", null] }}`);
	const withoutLink = byExpression(`={{ [{ url: "${front}" }, { url: null }] }}`);
	const withSong = byExpression(`={{ ['${front}', { kind: 'audio', url: '${side}' }] }}`);
	const aVideo = withMask(`={{ ({ kind: 'video', url: '${side}' }) }}`);
	const ofKind = (kind: string) =>
		`must give the kind image, and gives a result of the kind ${kind}`;
	const hasNames = '"Input Data Field Name" must have a name on both sides of each comma';
	const noNames = '"Input Data Field Name" must be the names of binary fields';
	const noMaskNames = noNames.replace('"', '"Mask ');
	const anyOf = '"Reference Images" must be one of url, binary, both, not "urls"';
	const both = (imageUrls: INodeParameters[string], imageBinaryProperties: string) => ({
		...{ referenceImages: 'both', imageUrls, imageBinaryProperties },
	});

	test.each<[string, INodeParameters, string]>([
		['a mask without a reference', withoutReference(side), `"Mask URL" ${isNone}`],
		['a mask of the input without a reference', maskOfInput('mask'), `${ofField} ${isNone}`],
		['the same for a lite model', { ...lite, ...withoutReference(side) }, `"Mask URL" ${isNone}`],
		['a mask of a row without a reference', ofRow, `"Mask URL" ${isNone}`],
		['a mask that is empty', withMask(nowhere), `"Mask URL" ${isEmpty}`],
		['a field name of a mask that is empty', inNoField, `${ofField} ${isEmpty}`],
		['neither a mask nor a reference', withoutReference(nowhere), `"Mask URL" ${isEmpty}`],
		['a second reference that is empty', byUrl(front, nowhere), secondRequired],
		['a reference in a list that is empty', withNull, secondRequired],
		['a result without a link', withoutLink, secondRequired],
		['URLs and an empty field name', both([front], nowhere), `"Input Data Field Name" ${isEmpty}`],
		['a field name and empty URLs', both('={{ [] }}', 'data'), `"Image URLs" ${isEmpty}`],
		['one of two field names', byName('=data,{{ $json.none }}'), hasNames],
		['a song among the references', withSong, `"Image URLs" ${ofKind('audio')}`],
		['a video as a mask', aVideo, `"Mask URL" ${ofKind('video')}`],
		['the file in place of the name of its field, for a mask', asFile, noMaskNames],
		['the same beside URLs', both([front], '={{ $binary.data }}'), noNames],
		['a number beside URLs', both([front], '={{ 7 }}'), noNames],
		['a list without a mask', withMask('={{ [null] }}'), `"Mask URL" ${isEmpty}`],
		['a mask without a link', withMask('={{ ({ url: null }) }}'), `"Mask URL" ${isEmpty}`],
		['an unknown source', { ...byUrl(front), referenceImages: '={{ "urls" }}' }, anyOf],
	])('%s is refused before a request: it would not be sent', async (_, given, message) => {
		const photo = await fileItem(await picture(64, 48));
		const { error } = await runNew({ ...generate, ...given }, [photo]);
		expect(error?.message).toBe(`${message} [row 1 (item 0)]`);
		expect(service.sandbox.requests.list()).toEqual([]);
	});

	test('URLs of a row without reference images are not sent, and the item says so', async () => {
		const given = { ...generate, referenceImages: '={{ $json.from }}', imageUrls: [front] };
		const { json } = await runNew(given, [{ json: { from: 'none' } }, { json: { from: 'url' } }]);
		const body = { model: 'imagegen-2-official', prompt: 'x' };
		expect(sent()).toContainEqual(body);
		expect(sent()).toContainEqual({ ...body, image_urls: [front] });
		expect(json.map(({ notes }) => notes)).toStrictEqual([
			['"Image URLs" is set and was not sent: "Reference Images" is None'],
			undefined,
		]);
	});

	test('what a lite model does not have is sent, and the item says so', async () => {
		const given = { ...generate, ...byUrl(front), model: byId('={{ "lite-2-lite" }}') };
		const { json } = await runNew({ ...given, ...more({ maskUrl: side, quality: 'high' }) });
		expect(sent()).toMatchObject([{ mask_url: side, quality: 'high' }]);
		expect(json[0]?.notes).toEqual([
			'"Quality" was sent, but a lite model does not support it',
			'"Mask" was sent, but a lite model does not support it',
		]);
	});
});

const pixels = more({ pixelSize: '640x480' });
const litePixels = { model: byId('={{ "lite-2-lite" }}'), ...pixels };
const wideLite = { model: 'lite-2-lite', size: '={{ "2:1" }}' };
const ratios = '"Size" must be one of auto, 1:1';

test.each<[string, INodeParameters, string]>([
	['a ratio that the official model does not have', { size: '={{ "7:3" }}' }, ratios],
	['a ratio that a lite model does not have', wideLite, ratios],
	['pixels for a lite model', litePixels, '"Pixel Size" must not be set for a lite model'],
	['two sizes', { size: '3:2', ...pixels }, '"Pixel Size" must not be set together with "Size"'],
])('refused before anything is sent: %s', async (_, given, message) => {
	expectRefused(service, await runNew({ operation: 'generate', prompt: 'x', ...given }), message);
});

describe('Edit', () => {
	const edit = { operation: 'edit', prompt: 'Replace the sky' };
	const byUrl = (imageUrl: string) => ({ imageSource: 'url', imageUrl });

	test('an item with a photo and a mask becomes an edited photo, with one task', async () => {
		const parameters = { ...edit, maskSource: 'binary', waitMode: 'poll' };
		const { items, json } = ok(await runNew(parameters, [await photoAndMask()]));
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
		const mask = { maskSource: 'url', maskUrl: side };
		await runNew({ ...edit, ...byUrl(front), ...mask, size: '3:2', n: 2 });
		await runNew({ ...edit, ...byUrl(`={{ { url: "${front}" } }}`) });
		const common = { model: 'imagegen-2-official', prompt: 'Replace the sky', image_urls: [front] };
		expect(sent()).toEqual([{ ...common, mask_url: side, size: '3:2', n: 2 }, common]);
	});

	const noPhoto =
		'"Image Input Data Field Name": the input item has no binary data in the field "photo"';
	const dataUri = byUrl('data:image/png;base64,AAAA');
	const onlyLite = 'must be a URL: only the lite models take a data URI';

	test.each<[string, INodeParameters, string]>([
		['no URL', { imageSource: 'url' }, '"Image URL" is required'],
		['no address', byUrl('front.png'), '"Image URL" must be a full http or https URL'],
		['no field name', { imageBinaryProperty: '' }, '"Image Input Data Field Name" is required'],
		['a field that is not there', { imageBinaryProperty: 'photo' }, noPhoto],
		['a mask without its URL', { ...byUrl(front), maskSource: 'url' }, '"Mask URL" is required'],
		['no prompt', { ...byUrl(front), prompt: '={{ "" }}' }, '"Prompt" is required'],
		['a data URI for the official model', dataUri, `"Image URL" ${onlyLite}`],
	])('%s: refused before anything is sent', async (_, given, message) => {
		expectRefused(service, await runNew({ ...edit, ...given }), message);
	});

	const lite = { model: 'lite-2-lite' };
	test('a lite model takes a data URI', async () => {
		const dataUri = `data:image/png;base64,${(await picture(8, 8)).toString('base64')}`;
		ok(await runNew({ ...edit, ...lite, ...byUrl(dataUri) }));
		expect(sent()).toMatchObject([{ image_urls: [dataUri] }]);
	});

	test('a lite model refuses a picture of the input with more bytes than it takes', async () => {
		const head = await picture(8, 8);
		const bytes = REFERENCE_LIMITS.lite.bytes + 1;
		const item = await fileItem(Buffer.concat([head, Buffer.alloc(bytes - head.length)]));
		const result = await runNew({ ...edit, ...lite }, [item]);
		expectRefused(service, result, `has ${bytes} bytes, and 10485760 are the limit`);
	});

	test('a mask of a row whose "Mask" is None is not sent, and the item says so', async () => {
		const mask = { maskSource: '={{ "none" }}', maskUrl: `={{ "${side}" }}` };
		const { json } = await runNew({ ...edit, ...byUrl(front), ...mask });
		expect(sent()).toEqual([
			{ model: 'imagegen-2-official', prompt: 'Replace the sky', image_urls: [front] },
		]);
		expect(json[0]?.notes).toEqual(['"Mask URL" is set and was not sent: "Mask" is None']);
	});
});
