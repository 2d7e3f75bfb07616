import sharp from 'sharp';

import { MediaGenImage } from '../../nodes/MediaGenImage/MediaGenImage.node';
import { readBinary, runNode } from './support/engine';
import { generatePicture, prompts } from './support/generatePicture';
import { fileItem, picture, submissions, useSandbox } from './support/sandbox';

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
	const { json, items, error } = await run({ options: { pollInterval: 4, concurrency: 10 } }, prompts(20));
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
	const { json } = await run({ additionalFields: { n: 2 } });
	const [charge] = service.sandbox.ledger().entries;
	expect(json).toEqual([
		expect.objectContaining({
			taskId: expect.stringMatching(/\S+/),
			family: 'image',
			operation: 'generate',
			status: 'completed',
			serviceStatus: 'completed',
			progress: 100,
			error: null,
			cost: expect.any(Number),
			creditsCost: charge?.credits,
			usage: expect.objectContaining({ total_tokens: expect.any(Number) }),
		}),
	]);
	expect(json[0]?.results).toEqual([
		{ index: 1, kind: 'image', url: expect.stringMatching(/^http/), expiresAt: expect.stringMatching(/Z$/) },
		{ index: 2, kind: 'image', url: expect.stringMatching(/^http/), expiresAt: expect.stringMatching(/Z$/) },
	]);
});

test('only what the user set is sent', async () => {
	await run({ additionalFields: { quality: 'high', maskUrl: '', n: '={{ "3" }}' } });
	expect(submissions(service.sandbox)[0]?.body).toEqual({
		model: 'imagegen-2-official',
		prompt: 'Picture 0',
		quality: 'high',
		n: 3,
	});
});

test('one item per result file, each with its file', async () => {
	const { items } = await run({
		additionalFields: { n: 2, size: '3:2', outputFormat: 'jpeg', outputCompression: 80 },
		options: { output: 'result', downloadResults: true, binaryPropertyName: 'picture' },
	});
	expect(items.map(({ json }) => [json.index, json.kind, json.status])).toEqual([
		[1, 'image', 'completed'],
		[2, 'image', 'completed'],
	]);
	for (const item of items) {
		expect(item.pairedItem).toEqual({ item: 0 });
		const { width, height, format } = await sharp(await readBinary(item.binary?.picture)).metadata();
		expect({ width, height, format }).toEqual({ width: 1536, height: 1024, format: 'jpeg' });
	}
});

test('all files of a task at one item, under numbered fields', async () => {
	const { items } = await run({ additionalFields: { n: 3 }, options: { downloadResults: true } });
	expect(Object.keys(items[0]?.binary ?? {})).toEqual(['data', 'data2', 'data3']);
});

test('without Simplify the record comes as the service sent it', async () => {
	const { json } = await run({ options: { simplify: false } });
	expect(json[0]).toMatchObject({ id: expect.any(String), credits_cost: expect.any(Number), result: { images: [{ url: [expect.any(String)] }] } });
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

	expect(await look()).toMatchObject({ taskId, status: expect.stringMatching(/submitted|running/) });
	service.sandbox.tasks.finish(String(taskId), { message: 'The brush broke' });
	expect(await look()).toMatchObject({ status: 'failed', error: { message: 'The brush broke' } });
});

test('a callback address is sent along and the service calls it', async () => {
	service.sandbox.settings.set({ allowPrivateCallbacks: true });
	await run({ options: { callbackBaseUrl: `${service.sandbox.url}/elsewhere` } });
	expect(submissions(service.sandbox)[0]?.body).toMatchObject({ webhook: `${service.sandbox.url}/elsewhere` });
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

test('what the service changes without a word is said, and the run is summed up', async () => {
	const official = await run({ additionalFields: { background: 'transparent' } });
	const lite = await run({ model: 'lite-2-lite', additionalFields: { resolution: '4K' } });
	const said = [...official.hints, ...lite.hints].map(({ message }) => message).join('\n');
	expect(said).toContain('transparent background as Auto');
	expect(said).toContain('4K of a lite model as 1K');
	expect(said).toMatch(/1 task, \d+ credits/);
});

test('a deployment with words of its own gets these, and its answers read the same', async () => {
	const { error } = await runNode({
		node: new MediaGenImage(),
		parameters: { ...generatePicture, prompt: 'x' },
		credential: { ...service.credential(), brandWords: '{"imagegen": "acmepix"}' },
	});
	const sent = service.sandbox.requests.list({ path: '/v1/images/generations' });
	expect(sent.map(({ body }) => body)).toEqual([{ model: 'acmepix-2-official', prompt: 'x' }]);
	expect(error?.message).toMatch(/refused the request/);
});
