import type { INodeExecutionData, INodeParameters } from 'n8n-workflow';

import { UPLOAD_MAX_BYTES } from '../../../nodes/shared/api/uploads';
import { runnerOf } from '../support/operations';
import { expectRefused, fileItem, picture, useSandbox } from '../support/sandbox';

const service = useSandbox();

const url = 'https://example.com/picture.png';
const dataUri = 'data:image/png;base64,iVBORw0KGgo=';

const runOperation = runnerOf(service);

const run = async (given: INodeParameters, items?: INodeExecutionData[], settings = {}) =>
	await runOperation('image.generate', given, { items, settings });

const lite = { model: 'lite-2-lite' };
const withUrl = { referenceImages: 'url', imageUrls: [url] };

const more = (additionalFields: INodeParameters) => ({ additionalFields });
const compressed = (outputFormat: string, outputCompression: number) =>
	more({ outputFormat, outputCompression });
const urls = (...imageUrls: string[]) => ({ ...withUrl, imageUrls });
const masked = { ...withUrl, ...more({ maskUrl: 'mask.png' }) };
const gif = { ...lite, ...urls('data:image/gif;base64,R0lGODlh') };
const unchosen = { referenceImages: '={{ $json.from }}' };
const impatient = { options: { pollInterval: 0.1 } };
const isEmpty = 'is required: its expression is empty';
const percent = 'must be a whole number from 0 to 100';
const atLeastOne = 'must be a number of at least 1';
const onlyLite = '"Image URLs › 2" must be a URL: only the lite';

test.each<[string, INodeParameters, string]>([
	['no prompt', { prompt: '={{ "" }}' }, '"Prompt" is required'],
	['a blank prompt', { prompt: '   ' }, '"Prompt" is required'],
	['no images at all', { n: 0 }, '"Number of Images" must be a whole number from 1 to 4'],
	['five images', { n: 5 }, '"Number of Images" must be a whole number from 1 to 4'],
	['a number that is none', { n: '={{ "two" }}' }, '"Number of Images" must be a whole number'],
	['half an image', { n: 1.5 }, '"Number of Images" must be a whole number'],
	['pixels that are none', more({ pixelSize: '10by10' }), '"Pixel Size" must be pixels'],
	['an 8k picture', more({ resolution: '={{ "8k" }}' }), '"Resolution" must be one of 1k, 2k, 4k'],
	['too much compression', compressed('webp', 101), `"Output Compression" ${percent}`],
	['a mask that is no URL', masked, '"Mask URL" must be a full http'],
	['a data URI for the official model', urls(url, dataUri), onlyLite],
	['a data URI of another type', gif, '"Image URLs › 1" must be a data URI'],
	['a choice of reference images that gives nothing', unchosen, `"Reference Images" ${isEmpty}`],
	['too short an interval', impatient, `"Poll Interval (Seconds)" ${atLeastOne}`],
])('%s is refused before anything is sent', async (_, parameters, message) => {
	const { error } = await run(parameters);
	expect(error?.message).toContain(message);
	expect(service.sandbox.requests.list()).toEqual([]);
});

const avif = '={{ "avif" }}';
const sentAvif = { output_format: 'avif', output_compression: 50 };
const largeLite = { ...lite, ...more({ resolution: '={{ "8K" }}' }) };

test.each<[string, string, INodeParameters, object]>([
	['quality', 'best', more({ quality: '={{ "best" }}' }), { quality: 'best' }],
	['background', 'red', more({ background: '={{ "red" }}' }), { background: 'red' }],
	['moderation', 'off', more({ moderation: '={{ "off" }}' }), { moderation: 'off' }],
	['output format', 'avif', more({ outputFormat: avif }), { output_format: 'avif' }],
	// Of a format that is not known, it is not known either whether it is compressed.
	['output format', 'avif', compressed(avif, 50), sentAvif],
	['resolution', '8K', largeLite, { resolution: '8K' }],
])('an unknown %s "%s" is sent as it is, and the item says so', async (...row) => {
	const [label, value, parameters, body] = row;
	const { json } = await run(parameters, [{ json: {} }], { onError: 'continueRegularOutput' });
	const requests = service.sandbox.requests.list({ path: '/v1/images/generations' });
	expect(requests.map((request) => request.body)).toStrictEqual([expect.objectContaining(body)]);
	expect(json[0]?.notes).toEqual([
		`The ${label} "${value}" is not in this package's list: it is sent as it is`,
	]);
});

test('an edit whose choice of a mask gives nothing is refused: it would change the whole picture', async () => {
	const mask = { maskSource: '={{ $json.maskKind }}', maskBinaryProperty: 'mask' };
	const given = { operation: 'edit', imageSource: 'url', imageUrl: url, ...mask };
	expectRefused(service, await run(given), `"Mask" ${isEmpty}`);
});

test('a data URI above 10 MB is refused', async () => {
	const big = `data:image/png;base64,${'A'.repeat(14_000_000)}`;
	const result = await run({ ...lite, ...withUrl, imageUrls: [big] });
	expectRefused(service, result, '"Image URLs › 1" must have at most 10485760 bytes');
});

test('the item is named, and the good ones before it cost nothing', async () => {
	const items = [{ json: { n: 1 } }, { json: { n: 2 } }, { json: { n: 7 } }];
	const { error } = await run({ n: '={{ $json.n }}' }, items);
	expect(error?.message).toBe(
		'"Number of Images" must be a whole number from 1 to 4, not 7 [row 3 (item 2)]',
	);
	expect(service.sandbox.requests.list()).toEqual([]);
});

describe('pictures from the input', () => {
	const binary = { referenceImages: 'binary', imageBinaryProperties: 'data' };

	test('a file that is no picture, whatever its name says', async () => {
		const words =
			'"Input Data Field Name": the file in "data" is not a picture that the service accepts';
		const item = await fileItem(Buffer.from('%PDF-1.7'), 'picture.png');
		expectRefused(service, await run(binary, [item]), words);
	});

	test('a picture above 20 971 520 bytes', async () => {
		const content = Buffer.concat([await picture(8, 8), Buffer.alloc(UPLOAD_MAX_BYTES)]);
		const result = await run(binary, [await fileItem(content)]);
		expectRefused(service, result, `and ${UPLOAD_MAX_BYTES} are the limit`);
	});
});

describe('A picture on a private host', () => {
	const urls = [url, 'http://[::ffff:10.0.0.1]/picture.png'];
	const elsewhere = { baseUrl: 'https://api.example.com', allowPrivateCallbacks: false };
	const withUrls = { referenceImages: 'url', imageUrls: urls };
	const runWith = async (credential: object, given: INodeParameters = withUrls) =>
		await runOperation(
			'image.generate',
			{ waitMode: 'none', ...given },
			{ credential: { ...service.credential(), ...credential } },
		);

	test('is refused where the service is public', async () => {
		const { error } = await runWith(elsewhere);
		expect(error?.message).toMatch(
			/^"Image URLs › 2" is not public: the service cannot reach \[::ffff:a00:1\]/,
		);
		expect(error?.description).toContain('switch on "Allow Private Callbacks" in the credential');
	});

	test('is refused by the name of its field in the panel', async () => {
		const image = { imageSource: 'url', imageUrl: 'http://192.168.1.5/a.png' };
		const credential = { ...service.credential(), ...elsewhere };
		const { error } = await runOperation('image.edit', image, { credential });
		expect(error?.message).toMatch(/^"Image URL" is not public: the service cannot reach/);
	});

	test('is refused among the additional body fields, too', async () => {
		const additionalBodyFields = JSON.stringify({ style: { url: 'http://nas/a.png' } });
		const { error } = await runWith(elsewhere, { options: { additionalBodyFields } });
		expect(error?.message).toContain('is not public: the service cannot reach nas');
	});

	test('is sent in the metadata of a grid, which the service keeps and does not read', async () => {
		const credential = { ...service.credential(), ...elsewhere };
		const options = {
			additionalBodyFields: '{"metadata":{"ticket":"http://nas/7"}}',
			checkOnly: true,
		};
		const { json } = await runOperation('grid.reroll', { taskId: 't', options }, { credential });
		expect(json[0]).toMatchObject({ problems: [] });
	});

	test('is sent to a service that is private itself', async () => {
		expect((await runWith({ allowPrivateCallbacks: false })).error).toBeUndefined();
		const [request] = service.sandbox.requests.list({ method: 'POST' });
		expect(request?.body).toMatchObject({ image_urls: urls });
	});
});

describe('A field for one picture', () => {
	const ask = async (given: INodeParameters, items?: INodeExecutionData[]) =>
		await runOperation('image.edit', { waitMode: 'none', ...given }, { items });

	test('that gives two is refused: one of them would be left out', async () => {
		const { error } = await ask({ imageSource: 'url', imageUrl: `={{ ["${url}", "${url}"] }}` });
		expect(error?.message).toContain('"Image URL" must be one picture, and it gives 2');
		const { error: ofText } = await ask({ imageSource: 'url', imageUrl: `${url}, ${url}` });
		expect(ofText?.message).toContain('must be one picture, and it gives 2');
		const item = await fileItem(await picture(8, 8));
		const files = { ...item, binary: { ...item.binary, second: item.binary?.data ?? [] } };
		const two = { imageSource: 'binary', imageBinaryProperty: 'data, second' };
		const { error: ofFiles } = await ask(two, [files as INodeExecutionData]);
		expect(ofFiles?.message).toContain('must be one picture, and it gives 2');
		expect(service.sandbox.requests.list()).toEqual([]);
	});

	test('is sent without the blanks of its cell', async () => {
		const { error } = await ask({ imageSource: 'url', imageUrl: ` ${url}\n` });
		expect(error).toBeUndefined();
		expect(service.sandbox.requests.list({ method: 'POST' })[0]?.body).toMatchObject({
			image_urls: [url],
		});
	});
});
