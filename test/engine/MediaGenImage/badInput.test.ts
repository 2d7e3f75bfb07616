import type { INodeExecutionData } from 'n8n-workflow';

import { MediaGenImage } from '../../../nodes/MediaGenImage/MediaGenImage.node';
import { UPLOAD_MAX_BYTES } from '../../../nodes/shared/api/image';
import { runNode } from '../support/engine';
import { generatePicture } from '../support/generatePicture';
import { fileItem, picture, useSandbox } from '../support/sandbox';

const service = useSandbox();

const url = 'https://example.com/picture.png';
const dataUri = 'data:image/png;base64,iVBORw0KGgo=';

interface Case {
	model?: string;
	prompt?: string;
	n?: unknown;
	size?: string;
	referenceImages?: string;
	imageUrls?: unknown[];
	additionalFields?: Record<string, unknown>;
	options?: Record<string, unknown>;
}

async function run(parameters: Case, items: INodeExecutionData[] = [{ json: {} }], settings = {}) {
	return await runNode({
		node: new MediaGenImage(),
		parameters: { ...generatePicture, ...(parameters as object) },
		items,
		credential: service.credential(),
		settings,
	});
}

const lite = { model: 'lite-2-lite' };
const withUrl = { referenceImages: 'url', imageUrls: [url] };

test.each<[string, Case, string]>([
	['no model', { model: '={{ "" }}' }, '"Model" is required'],
	['no prompt', { prompt: '={{ "" }}' }, '"Prompt" is required'],
	['a blank prompt', { prompt: '   ' }, '"Prompt" is required'],
	['no images at all', { n: 0 }, '"Number of Images" must be a whole number from 1 to 4'],
	['five images', { n: 5 }, '"Number of Images" must be a whole number from 1 to 4'],
	['a number that is none', { n: '={{ "two" }}' }, '"Number of Images" must be a whole number'],
	['half an image', { n: 1.5 }, '"Number of Images" must be a whole number'],
	['an unknown size', { size: '={{ "7:5" }}' }, '"Size" must be one of auto, 1:1'],
	[
		'pixels that are none',
		{ additionalFields: { pixelSize: '10by10' } },
		'"Pixel Size" must be pixels',
	],
	[
		'two sizes',
		{ size: '1:1', additionalFields: { pixelSize: '512x512' } },
		'"Pixel Size" must not be set together',
	],
	[
		'an unknown resolution',
		{ additionalFields: { resolution: '={{ "8k" }}' } },
		'"Resolution" must be one of 1k, 2k, 4k',
	],
	[
		'too much compression',
		{ additionalFields: { outputFormat: 'webp', outputCompression: 101 } },
		'"Output Compression" must be a whole number from 0 to 100',
	],
	[
		'compression of a PNG',
		{ additionalFields: { outputFormat: '={{ "png" }}', outputCompression: 50 } },
		'"Output Compression" must come with the output format jpeg or webp',
	],
	[
		'a mask without a reference',
		{ referenceImages: '={{ "none" }}', additionalFields: { maskUrl: url } },
		'"Mask URL" must come with a reference image',
	],
	[
		'a mask that is no URL',
		{ ...withUrl, additionalFields: { maskUrl: 'mask.png' } },
		'"Mask URL" must be a full http',
	],
	[
		'a reference that is no URL',
		{ ...withUrl, imageUrls: ['picture.png'] },
		'"Image URLs › 1" must be a full http',
	],
	[
		'a data URI for the official model',
		{ ...withUrl, imageUrls: [url, dataUri] },
		'"Image URLs › 2" must be a URL: only the lite',
	],
	[
		'17 references',
		{ ...withUrl, imageUrls: Array<string>(17).fill(url) },
		'"Image URLs" must have at most 16',
	],
	[
		'15 references for a lite model',
		{ ...lite, ...withUrl, imageUrls: Array<string>(15).fill(url) },
		'"Image URLs" must have at most 14',
	],
	[
		'a data URI of another type',
		{ ...lite, ...withUrl, imageUrls: ['data:image/gif;base64,R0lGODlh'] },
		'"Image URLs › 1" must be a data URI',
	],
	[
		'a size the lite models lack',
		{ ...lite, size: '={{ "3:1" }}' },
		'"Size" must be one of auto, 1:1',
	],
	['no URL at all', { ...withUrl, imageUrls: [] }, '"Image URLs" is required'],
	['no concurrency', { options: { concurrency: 0 } }, '"Concurrency" must be a whole number'],
	[
		'too short an interval',
		{ options: { pollInterval: 0.1 } },
		'"Poll Interval (Seconds)" must be a number of at least 1',
	],
	[
		'a callback address that is none',
		{ options: { callbackBaseUrl: 'n8n' } },
		'"Callback Base URL" must be a full http',
	],
])('%s is refused before anything is sent', async (_, parameters, message) => {
	const { error } = await run(parameters);
	expect(error?.message).toContain(message);
	expect(service.sandbox.requests.list()).toEqual([]);
});

test.each<[string, Case, object, string]>([
	[
		'quality',
		{ additionalFields: { quality: '={{ "best" }}' } },
		{ quality: 'best' },
		'The quality "best"',
	],
	[
		'background',
		{ additionalFields: { background: '={{ "red" }}' } },
		{ background: 'red' },
		'The background "red"',
	],
	[
		'moderation',
		{ additionalFields: { moderation: '={{ "off" }}' } },
		{ moderation: 'off' },
		'The moderation "off"',
	],
	[
		'format',
		{ additionalFields: { outputFormat: '={{ "avif" }}' } },
		{ output_format: 'avif' },
		'The output format "avif"',
	],
	[
		'format that is compressed',
		{ additionalFields: { outputFormat: '={{ "avif" }}', outputCompression: 50 } },
		{ output_format: 'avif', output_compression: 50 },
		'The output format "avif"',
	],
	[
		'resolution of a lite model',
		{ ...lite, additionalFields: { resolution: '={{ "8K" }}' } },
		{ resolution: '8K' },
		'The resolution "8K"',
	],
])('an unknown %s is sent as it is, and the item says so', async (_, parameters, body, value) => {
	const { json } = await run(parameters, [{ json: {} }], { onError: 'continueRegularOutput' });
	expect(
		service.sandbox.requests
			.list({ path: '/v1/images/generations' })
			.map((request) => request.body),
	).toEqual([expect.objectContaining(body)]);
	expect(json[0]?.notes).toEqual([`${value} is not in this package's list: it is sent as it is`]);
});

test('a data URI above 10 MB is refused', async () => {
	const big = `data:image/png;base64,${'A'.repeat(14_000_000)}`;
	const { error } = await run({ ...lite, ...withUrl, imageUrls: [big] });
	expect(error?.message).toContain('"Image URLs › 1" must have at most 10485760 bytes');
	expect(service.sandbox.requests.list()).toEqual([]);
});

test('the item is named, and the good ones before it cost nothing', async () => {
	const items = [{ json: { n: 1 } }, { json: { n: 2 } }, { json: { n: 7 } }];
	const { error } = await run({ n: '={{ $json.n }}' }, items);
	expect(error?.message).toBe('"Number of Images" must be a whole number from 1 to 4 [item 2]');
	expect(service.sandbox.requests.list()).toEqual([]);
});

test('with Continue On Fail only the bad item is left out', async () => {
	const items = [{ json: { n: 1 } }, { json: { n: 7 } }];
	const { json } = await run({ n: '={{ $json.n }}' }, items, { onError: 'continueRegularOutput' });
	expect(json.map(({ status }) => status)).toEqual(['completed', 'not submitted']);
	expect(service.sandbox.ledger().accepted).toBe(1);
});

const withCallback = async (callbackBaseUrl: string) =>
	await runNode({
		node: new MediaGenImage(),
		parameters: {
			resource: 'image',
			operation: 'generate',
			model: 'imagegen-2-official',
			prompt: 'x',
			options: { callbackBaseUrl },
		},
		credential: { ...service.credential(), allowPrivateCallbacks: false },
	});

test('a callback address that the service would silently drop is refused', async () => {
	const { error } = await withCallback('http://10.0.0.5/hook');
	expect(error?.message).toContain('private host 10.0.0.5');
	expect(service.sandbox.requests.list()).toEqual([]);
});

test('a callback port that the service may block is sent, and the item says so', async () => {
	const { json, error } = await withCallback('https://n8n.example.com:5678/webhook/x');
	expect(error).toBeUndefined();
	expect(String(json[0]?.notes)).toContain('port');
});

test('a pause is refused where the service could not reach this n8n, with the fix', async () => {
	const { error } = await runNode({
		node: new MediaGenImage(),
		parameters: {
			resource: 'image',
			operation: 'generate',
			model: 'imagegen-2-official',
			prompt: 'x',
			waitMode: 'callback',
		},
		credential: { ...service.credential(), allowPrivateCallbacks: false },
	});
	expect(error?.message).toContain('The service would not call back');
	expect(error?.description).toContain('WEBHOOK_URL');
	expect(service.sandbox.requests.list()).toEqual([]);
});

describe('pictures from the input', () => {
	const binary = { referenceImages: 'binary', imageBinaryProperties: 'data' };

	test('a field that is not there', async () => {
		const { error } = await run(binary);
		expect(error?.message).toBe(
			'"Input Data Field Name": the input item has no binary data in the field "data" [item 0]',
		);
		expect(service.sandbox.requests.list()).toEqual([]);
	});

	test('a file that is no picture, whatever its name says', async () => {
		const { error } = await run(binary, [await fileItem(Buffer.from('%PDF-1.7'), 'picture.png')]);
		expect(error?.message).toContain('is not a picture that the service accepts');
		expect(service.sandbox.requests.list()).toEqual([]);
	});

	test('a picture above 20 971 520 bytes', async () => {
		const content = Buffer.concat([await picture(8, 8), Buffer.alloc(UPLOAD_MAX_BYTES)]);
		const { error } = await run(binary, [await fileItem(content)]);
		expect(error?.message).toContain(`and ${UPLOAD_MAX_BYTES} are the limit`);
		expect(service.sandbox.requests.list()).toEqual([]);
	});
});

test.each([
	['a base URL that is none', { baseUrl: 'api' }, 'full address'],
	['plain http to a public host', { baseUrl: 'http://api.example.com' }, 'never sent unencrypted'],
	[
		'brand words that are none',
		{ brandWords: '{"cloud": "x"}' },
		'"Brand Words" must be a JSON object',
	],
])('a credential with %s is refused', async (_, change, words) => {
	const { error } = await runNode({
		node: new MediaGenImage(),
		parameters: { resource: 'task', operation: 'get', taskId: 'x' },
		credential: { ...service.credential(), ...change },
	});
	expect(error?.description).toContain(words);
});

test('a task without an id is refused', async () => {
	const { error } = await runNode({
		node: new MediaGenImage(),
		parameters: { resource: 'task', operation: 'wait' },
		credential: service.credential(),
	});
	expect(error?.message).toBe('"Task ID" is required [item 0]');
	expect(service.sandbox.requests.list()).toEqual([]);
});
