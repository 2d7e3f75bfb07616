import sharp from 'sharp';
import { createSandbox } from '../../sandbox/service';
import { officialSize, RESOLUTIONS } from '../../sandbox/service/image/sizes';
import { firstUrl, IMAGES, LITE, OFFICIAL, uploaded } from './support/images';
import {
	ask,
	bench,
	clientOf,
	download,
	refusalOf,
	text,
	useBench,
	type Json,
} from './support/sandbox';

const it = useBench();

/** The spec's table, read once more. */
const SIZES = `
1:1 1024x1024 2048x2048 2880x2880
3:2 1536x1024 2048x1360 3520x2336
2:3 1024x1536 1360x2048 2336x3520
4:3 1024x768 2048x1536 3312x2480
3:4 768x1024 1536x2048 2480x3312
5:4 1280x1024 2560x2048 3216x2576
4:5 1024x1280 2048x2560 2576x3216
16:9 1536x864 2048x1152 3840x2160
9:16 864x1536 1152x2048 2160x3840
2:1 2048x1024 2688x1344 3840x1920
1:2 1024x2048 1344x2688 1920x3840
3:1 1536x512 3072x1024 3840x1280
1:3 512x1536 1024x3072 1280x3840
21:9 2016x864 2688x1152 3840x1648
9:21 864x2016 1152x2688 1648x3840
auto 1024x1024 2048x2048 2880x2880`
	.trim()
	.split('\n')
	.map((line) => line.split(' ') as [string, string, string, string]);

describe('the pictures that come out', () => {
	const metadataOf = async (task: Json) => await sharp(await download(firstUrl(task))).metadata();

	test.each(SIZES)('%s is %s, %s or %s pixels', (size, ...expected) => {
		const sizes = RESOLUTIONS.map((resolution) => officialSize(size, resolution));
		expect(sizes.map(({ width, height }) => `${width}x${height}`)).toEqual(expected);
	});

	// To draw them all takes a minute.
	test.each([
		['3:1', '1k'],
		['3:4', '2k'],
		['21:9', '2k'],
		['9:16', '4k'],
		['auto', '4k'],
	] as const)('have these pixels: %s in %s', async (size, resolution) => {
		const body = { ...OFFICIAL, size, resolution, output_format: 'jpeg', output_compression: 40 };
		const task = await it.finished(IMAGES, body);
		const { width, height } = await metadataOf(task);
		const [, ...expected] = SIZES.find(([ratio]) => ratio === size) ?? [];
		expect(`${width}x${height}`).toBe(expected[RESOLUTIONS.indexOf(resolution)]);
	});

	test('have the pixels that were asked for by number', async () => {
		const task = await it.finished(IMAGES, { ...OFFICIAL, size: '1040x784', resolution: '4k' });
		expect(await metadataOf(task)).toMatchObject({ width: 1040, height: 784, format: 'png' });
	});

	test.each(['png', 'jpeg', 'webp'])('are %s when it is asked for, and say so', async (format) => {
		const task = await it.finished(IMAGES, { ...OFFICIAL, output_format: format });
		expect((await fetch(firstUrl(task))).headers.get('content-type')).toBe(`image/${format}`);
		expect((await metadataOf(task)).format).toBe(format);
	});

	test('are smaller with lower compression quality', async () => {
		const { finished } = await bench({ seed: 1 });
		const size = async (output_compression: number) => {
			const body = { ...OFFICIAL, output_format: 'jpeg', output_compression };
			return (await download(firstUrl(await finished(IMAGES, body)))).length;
		};
		expect(await size(5)).toBeLessThan(await size(95));
	});

	test('differ from one another, and come again in every run, whatever the seed', async () => {
		const seen: Buffer[][] = [];
		for (const seed of ['a', 'a', 'b']) {
			const { finished } = await bench({ seed });
			const { result } = await finished(IMAGES, { ...OFFICIAL, n: 2 });
			seen.push(
				await Promise.all([0, 1].map((index) => download(text(result?.images?.[index]?.url?.[0])))),
			);
		}
		const [first, again, other] = seen;
		expect(first?.[0]?.equals(again?.[0] ?? Buffer.alloc(0))).toBe(true);
		expect(first?.[1]?.equals(again?.[1] ?? Buffer.alloc(0))).toBe(true);
		expect(first?.[0]?.equals(first?.[1] ?? Buffer.alloc(0))).toBe(false);
		expect(first?.[0]?.equals(other?.[0] ?? Buffer.alloc(0))).toBe(true);
	});

	test('have the ratio of the first reference for a lite model with size auto', async () => {
		const wide = await uploaded(it.sandbox, 'png', { width: 320, height: 180 });
		const task = await it.finished(IMAGES, { ...LITE, image_urls: [wide] });
		expect(await metadataOf(task)).toMatchObject({ width: 1536, height: 864 });
	});
});

describe('an image task', () => {
	test('goes from submitted over in_progress to completed, with the record of the spec', async () => {
		const created = Math.floor(it.clock.now() / 1000);
		const id = await it.client.submit(IMAGES, { ...OFFICIAL, n: 2 });
		expect(await it.client.task(id)).toMatchObject({
			id,
			status: 'submitted',
			progress: 0,
			created,
		});

		await it.clock.advance(1_500);
		const running = { status: 'in_progress', progress: 50, estimated_time: 3 };
		expect(await it.client.task(id)).toMatchObject(running);

		await it.clock.advance(1_500);
		const done = await it.client.task(id);
		expect(done).toMatchObject({
			...{ id, status: 'completed', progress: 100, cost: 0.08, credits_cost: 80 },
			...{ created, completed: created + 3, actual_time: 3 },
		});
		expect(done.result?.images).toHaveLength(2);
		expect(done.result?.images?.[1]).toEqual({
			url: [expect.stringMatching(/^http.*-2\.png$/)],
			expires_at: created + 3 + 24 * 3600,
		});
		const { usage } = done;
		expect(usage?.total_tokens).toBe(Number(usage?.input_tokens) + Number(usage?.output_tokens));
		expect(usage?.output_tokens_details?.image_tokens).toBe(usage?.output_tokens);
		expect(usage?.input_tokens).toBe(
			Number(usage?.input_tokens_details?.text_tokens) +
				Number(usage?.input_tokens_details?.image_tokens),
		);
	});

	test('says about 1120 output tokens for a 1K picture of a lite model', async () => {
		expect((await it.finished(IMAGES, LITE)).usage?.output_tokens).toBe(1120);
	});

	test('fails with its reason, and without results', async () => {
		const id = await it.client.submit(IMAGES, { ...OFFICIAL, prompt: 'sandbox:fail' });
		await it.clock.advance(3_000);
		const { error, ...record } = await it.client.task(id);
		const time = expect.any(Number) as number;
		const failed = { id, status: 'failed', progress: 99, created: time, completed: time };
		expect(record).toEqual(failed);
		expect(error).toEqual({ message: expect.stringMatching(/./) as string, code: '' });
	});

	test('that does not exist is 404 not_found_error', async () => {
		for (const path of ['/v1/tasks/none', `${IMAGES}/none`]) {
			const answer = await it.client.get(path);
			expect(refusalOf(answer)).toEqual([404, 404, 'not_found_error']);
		}
	});
});

test('links of results expire after a day, on the clock', async () => {
	const id = await it.client.submit(IMAGES, OFFICIAL);
	await it.clock.advance(3_000);
	const url = firstUrl(await it.client.task(id));
	await it.clock.advance(24 * 3600 * 1000 - 1);
	expect((await fetch(url)).status).toBe(200);
	await it.clock.advance(1);
	const expired = await ask(url);
	expect([expired.status, expired.body.error?.type]).toEqual([410, 'invalid_request_error']);
});

test('a public address is what the links of results begin with', async () => {
	const sandbox = await createSandbox({ publicUrl: 'http://media.example.com/' });
	try {
		expect(sandbox.url).toBe('http://media.example.com');
		const local = { ...sandbox, url: sandbox.adminUrl.replace('/_sandbox', '') };
		const client = clientOf(local, sandbox.key);
		const id = await client.submit(IMAGES, OFFICIAL);
		sandbox.tasks.finish(id);
		expect(firstUrl(await client.task(id))).toMatch(/^http:\/\/media\.example\.com\/files\//);
	} finally {
		await sandbox.close();
	}
});
