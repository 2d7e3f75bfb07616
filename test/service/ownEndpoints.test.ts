import { listen } from './support/media';
import { IMAGES } from './support/images';
import { receiver } from './support/receiver';
import { ask, download, text, until, useBench, type Json } from './support/sandbox';

const CREATE = '/v1/music/generations/create';
const COVER = '/v1/music/generations/coverSong';
const ACCOMPANIMENT = '/v1/music/generations/addInstrumental';
const UPLOADS = '/v1/music/uploads';
const IMAGINE = '/v1/gridart/generations/imagine';
const UPSCALE = '/v1/gridart/generations/upscale';
const VARIATION = '/v1/gridart/generations/low-variation';

const it = useBench();

const music = async (id: string): Promise<Json> =>
	(await it.client.get(`/v1/music/tasks/${id}`)).body.data ?? {};

async function uploaded(bytes: Uint8Array<ArrayBuffer>, fields: Record<string, string> = {}) {
	const form = new FormData();
	for (const [name, value] of Object.entries(fields)) form.append(name, value);
	form.append('file', new Blob([bytes], { type: 'audio/wav' }), 'voice.wav');
	return await ask(`${it.sandbox.url}${UPLOADS}`, {
		method: 'POST',
		headers: { authorization: `Bearer ${it.sandbox.key}` },
		body: form,
	});
}

describe('a song from nothing', () => {
	const sung = { prompt: 'la la', title: 'Blue', tags: 'jazz', version: 'v4' };
	const described = { gpt_description: 'a slow song', instrumental: true };

	test.each([
		['lyrics', sung, { custom: true, title: 'Blue', version: 'v4' }],
		['a description', described, { custom: false, instrumental: true, version: 'v5.5' }],
	])('is made of %s: two tracks, charged by version', async (_what, body, applied) => {
		const id = await it.client.submit(CREATE, body);
		await it.clock.advance(8_000);
		expect((await music(id)).result?.music).toHaveLength(2);
		const task = { family: 'music', operation: 'create', applied };
		expect(it.sandbox.tasks.get(id)).toMatchObject(task);
		expect(it.sandbox.ledger().entries).toMatchObject([
			{ type: 'charge', taskId: id, item: `musicgen@song-${applied.version}` },
		]);
	});

	test('is a source for covers, not for an accompaniment', async () => {
		const task_id = await it.client.submit(CREATE, { prompt: 'la la' });
		await it.clock.advance(8_000);
		const body = { task_id, tags: 'jazz' };
		const cover = await it.client.submit(COVER, { ...body, audio_index: 2 });
		const accompanied = await it.client.submit(ACCOMPANIMENT, body);
		await it.clock.advance(8_000);
		expect(it.sandbox.tasks.get(cover)?.stage).toBe('completed');
		expect(it.sandbox.tasks.get(accompanied)?.stage).toBe('failed');
	});

	test('needs a description when custom is false', async () => {
		const { error } = (await it.client.post(CREATE, { custom: false })).body;
		expect(error?.message).toMatch(/^gpt_description/);
	});
});

describe('an uploaded track', () => {
	test('from a file has its own audio, and is a source for an accompaniment of its length', async () => {
		const wav = await download(it.sandbox.originals.track({ seconds: 3 }).urls[0] ?? '');
		const answer = await uploaded(new Uint8Array(wav), { title: 'Voice' });
		const id = text(answer.body.data?.[0]?.task_id);
		const record = await music(id);
		expect(record).toMatchObject({ status: 'completed', progress: 100 });
		expect((await download(text(record.result?.music?.[0]?.audio_url))).equals(wav)).toBe(true);
		const task = { operation: 'upload', applied: { title: 'Voice' } };
		expect(it.sandbox.tasks.get(id)).toMatchObject(task);
		expect(it.sandbox.ledger().entries).toMatchObject([{ item: 'musicgen@upload', taskId: id }]);

		const accompanied = await it.client.submit(ACCOMPANIMENT, { task_id: id, tags: 'jazz' });
		await it.clock.advance(8_000);
		const { result } = await music(accompanied);
		expect(listen(await download(text(result?.music?.[0]?.audio_url))).seconds).toBeCloseTo(3, 1);
	});

	test('from a link is completed at once and calls back', async () => {
		it.sandbox.settings.set({ allowPrivateCallbacks: true });
		const { url, arrivals } = await receiver();
		const audio_url = 'https://audio.example.com/a.mp3';
		const id = await it.client.submit(UPLOADS, { audio_url, webhook: url });
		expect((await music(id)).status).toBe('completed');
		await until('it has arrived', () => arrivals.length === 1);
		expect(arrivals[0]?.body).toMatchObject({ id, status: 'completed' });
	});

	test('needs a file or an http link, and a key', async () => {
		for (const audio_url of [undefined, 'a.mp3', `${it.sandbox.url}/files/none.wav`])
			expect((await it.client.post(UPLOADS, { audio_url })).status).toBe(400);
		expect((await uploaded(new Uint8Array())).status).toBe(400);
		expect((await ask(`${it.sandbox.url}${UPLOADS}`, { method: 'POST' })).status).toBe(401);
		expect(it.sandbox.ledger().accepted).toBe(0);
	});
});

describe('a first grid', () => {
	test('has four pictures, action IMAGINE, and buttons for every follow-up', async () => {
		const body = { prompt: 'two owls', speed: 'fast', version: '6.1', seed: 7 };
		const id = await it.client.submit(IMAGINE, body);
		await it.clock.advance(5_000);
		const record = await it.client.task(id);
		expect(record).toMatchObject({
			status: 'SUCCESS',
			action: 'IMAGINE',
			grid_image_url: expect.stringMatching(/^http/) as string,
		});
		expect(record.image_urls).toHaveLength(4);
		expect(it.sandbox.tasks.get(id)?.ignored).toEqual(['seed']);
		expect(it.sandbox.ledger().entries).toMatchObject([{ item: 'gridart@imagine-fast' }]);

		for (const operation of ['variation', 'low-variation', 'reroll', 'upscale']) {
			const followed = `/v1/gridart/generations/${operation}`;
			const followUp = await it.client.submit(followed, { task_id: id, index: 2 });
			if (operation !== 'upscale')
				expect(it.sandbox.tasks.get(followUp)?.applied.inherited).toEqual({ version: '6.1' });
		}
		expect(it.sandbox.ledger().accepted).toBe(5);
	});

	test('needs a prompt that passes the safety review', async () => {
		for (const prompt of [undefined, '', 'sandbox:unsafe'])
			expect((await it.client.post(IMAGINE, { prompt })).status).toBe(400);
	});

	test('is upscaled by index or by button to one picture, which can be varied', async () => {
		const grid = await it.client.submit(IMAGINE, { prompt: 'two owls' });
		await it.clock.advance(5_000);
		const custom_id = text((await it.client.task(grid)).buttons?.[2]?.custom_id);
		for (const choice of [{ index: 3 }, { custom_id }]) {
			const id = await it.client.submit(UPSCALE, { task_id: grid, ...choice });
			expect(it.sandbox.tasks.get(id)?.applied.custom_id).toBe(custom_id);
			await it.clock.advance(5_000);
			const record = await it.client.task(id);
			expect(record).toMatchObject({ status: 'SUCCESS', action: 'UPSCALE' });
			expect(record.image_urls).toHaveLength(1);
			expect((await it.client.post(VARIATION, { task_id: id, index: 1 })).status).toBe(200);
			expect((await it.client.post(UPSCALE, { task_id: id, index: 1 })).status).toBe(400);
		}
		expect((await it.client.post(UPSCALE, { task_id: grid })).status).toBe(400);
		const picture = await it.client.submit(IMAGES, { model: 'm', prompt: 'x' });
		expect((await it.client.post(UPSCALE, { task_id: picture, index: 1 })).status).toBe(404);
	});
});
