import { DIALECTS, type DialectName } from '../../sandbox/service';
import { IMAGES, LITE, OFFICIAL } from './support/images';
import { receiver } from './support/receiver';
import { text, until, useBench, type Answer, type Json } from './support/sandbox';

const MUSIC = '/v1/music/generations';
const REROLL = '/v1/gridart/generations/reroll';
const image_urls = ['https://pictures.example.com/1.png'];
const VIDEO = {
	path: '/v1/videos/generations',
	body: { model: 'vidomni-v3-omni', prompt: 'waves', image_urls },
};

const LINK = expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/files\//) as string;
const LINKS = [LINK, LINK, LINK, LINK];

const it = useBench();

/** Any form of an acknowledgement. */
function idOf({ body }: Answer): string {
	const { data } = body;
	return String(body.task_id ?? data?.task_id ?? data?.[0]?.task_id);
}

const recordOf = ({ body }: Pick<Answer, 'body'>): Json =>
	body.code === (200 as unknown) && body.data ? body.data : body;

async function submitted(path: string, body: object): Promise<string> {
	const answer = await it.client.post(path, body);
	expect(answer.status).toBe(200);
	return idOf(answer);
}

async function ended(path: string, body: object): Promise<Answer> {
	const id = await submitted(path, body);
	await it.clock.advance(10_000);
	return await it.client.get(
		path.startsWith('/v1/music/') ? `/v1/music/tasks/${id}` : `/v1/tasks/${id}`,
	);
}

type Expected = Record<DialectName, object>;

describe.each(DIALECTS)('in the dialect %s', (dialect) => {
	beforeEach(() => it.sandbox.settings.set({ dialect }));

	test('the submission is acknowledged', async () => {
		const id = expect.stringMatching(/^task_/) as string;
		const verbose = { status: 'submitted', task_id: id, result: null, error: false };
		const expected: Expected = {
			plain: { code: 200, data: [{ status: 'submitted', task_id: id }] },
			enveloped: { code: 200, message: 'ok', data: { status: 'submitted', task_id: id } },
			flat: { task_id: id },
			nested: { code: 200, data: [{ task_id: expect.any(Number) as number }] },
			verbose: { code: 200, message: '', error: null, data: [verbose] },
		};
		expect((await it.client.post(IMAGES, OFFICIAL)).body).toEqual(expected[dialect]);
	});

	test('an image record keeps what the spec shows in its place', async () => {
		const { body } = await ended(IMAGES, { ...OFFICIAL, n: 2 });
		const url = dialect === 'flat' ? LINK : [LINK];
		expect(body.code).toBe(200);
		const result = { images: [{ url }, { url }] };
		expect(body.data).toMatchObject({ status: 'completed', result });
		expect(Number(body.data?.cost)).toBe(0.08);
		expect(Number.parseInt(String(body.data?.progress), 10)).toBe(100);
		expect(Number(body.data?.usage?.output_tokens)).toBe(2240);
		const expires = body.data?.result?.images?.[0]?.expires_at;
		const types = { plain: 'number', enveloped: 'string', flat: 'string', nested: 'number' };
		expect(typeof expires).toBe({ ...types, verbose: 'object' }[dialect]);
	});

	test('numbers and times have the type of the dialect', async () => {
		const created = it.clock.now();
		const { data } = (await ended(IMAGES, OFFICIAL)).body;
		const expected: Expected = {
			plain: { progress: 100, cost: 0.04, created: created / 1000 },
			enveloped: { progress: 100, cost: 0.04, created: new Date(created).toISOString() },
			flat: { progress: '100%', cost: '0.04', created: String(created) },
			nested: { progress: 100, cost: 0.04, created: created * 1000 },
			verbose: { progress: 100, cost: 0.04, created: created / 1000, ...OFFICIAL },
		};
		expect(data).toMatchObject(expected[dialect]);
		expect('prompt' in (data ?? {})).toBe(dialect === 'verbose');
	});

	test('what a running task does not have yet is left out, null or empty', async () => {
		const id = await submitted(VIDEO.path, VIDEO.body);
		const record = recordOf(await it.client.get(`/v1/tasks/${id}`));
		const expected: Expected = {
			plain: {},
			enveloped: { completed: null, cost: null, error: { message: null, code: null }, result: {} },
			flat: { completed: null, cost: null, error: false, result: [] },
			nested: { completed: null, cost: null, error: null, result: null },
			verbose: { completed: null, cost: null, error: '', result: [] },
		};
		const fields = ['completed', 'cost', 'error', 'result'];
		const shown = Object.entries(record).filter(([name]) => fields.includes(name));
		expect(Object.fromEntries(shown)).toEqual(expected[dialect]);
	});

	test('a video has its link in the place of the dialect', async () => {
		const answer = await ended(VIDEO.path, VIDEO.body);
		const record = recordOf(answer);
		const repeated = { image_urls: VIDEO.body.image_urls, prompt: 'waves' };
		const expected: Expected = {
			plain: { status: 'success', result: { video_url: LINK } },
			enveloped: { status: 'succeed', result: { images: [], videos: [{ url: [LINK] }] } },
			flat: { status: 'SUCCEEDED', video_url: LINK, result: [], usage: [] },
			nested: { status: 'done', result: { output: { video: { url: LINK } } } },
			verbose: { status: 'finished', result: { images: [], urls: [LINK] }, ...repeated },
		};
		expect(record).toMatchObject(expected[dialect]);
		expect('data' in answer.body).toBe(dialect !== 'flat');
		expect(typeof record.id).toBe(dialect === 'nested' ? 'number' : 'string');
	});

	test('a grid keeps its four pictures; action, buttons and states differ', async () => {
		const answer = await ended(REROLL, { task_id: it.sandbox.originals.grid().id });
		const record = recordOf(answer);
		expect(record).toMatchObject({ grid_image_url: LINK, image_urls: LINKS });
		const expected: Expected = {
			plain: { status: 'SUCCESS', action: 'REROLL' },
			enveloped: { status: 'success', action: 'REROLL', error: { message: null, code: null } },
			flat: { status: 'SUCCEEDED', action: 'REROLL', error: false },
			nested: { status: 'done', action: 'REROLL' },
			verbose: { status: 'Finished', action: null },
		};
		expect(record).toMatchObject(expected[dialect]);
		const button = record.buttons?.[0];
		const id: unknown =
			dialect === 'verbose' ? button : dialect === 'nested' ? button?.customId : button?.custom_id;
		expect(id).toMatch(/^GRIDART::JOB::/);
		expect('data' in answer.body).toBe(dialect !== 'flat');
	});

	test('a single picture of a grid family has its link in the place of the dialect', async () => {
		const { id } = it.sandbox.originals.grid({ action: 'UPSCALE' });
		const record = recordOf(await it.client.get(`/v1/tasks/${id}`));
		const flat = { image_url: LINK, image_urls: [] };
		expect(record).toMatchObject(dialect === 'flat' ? flat : { image_urls: [LINK] });
	});

	test('a song has its tracks in result.music', async () => {
		const { body } = await ended(`${MUSIC}/sounds`, { prompt: 'rain' });
		const track = { audio_url: dialect === 'enveloped' ? [LINK] : LINK };
		const withGap = [track, { audio_url: null }, track];
		const expected: Expected = {
			plain: { status: 'completed', progress: 100, result: { music: [track, track] } },
			enveloped: { status: 'succeed', progress: 100, result: { music: [track, track], stems: [] } },
			flat: { status: 'COMPLETED', progress: '100%', result: { music: [track, track] } },
			nested: { status: 'done', progress: 100, result: { music: [track, track] } },
			verbose: { status: 'finished', progress: 100, prompt: 'rain', result: { music: withGap } },
		};
		expect(body.data).toMatchObject(expected[dialect]);
	});

	test('separated stems have their links in the place of the dialect', async () => {
		const track = it.sandbox.originals.track().id;
		const { body } = await ended(`${MUSIC}/stems`, { task_id: track, stem_type: 'drum_kit' });
		const named = ['drum_kit', 'backing_track'].map((name) => ({ name, url: [LINK] }));
		const link = { url: LINK };
		const expected: Expected = {
			plain: { result: { stems: { drum_kit_url: LINK, backing_track_url: LINK } } },
			enveloped: { result: { music: [], stems: named } },
			flat: { drum_kit_url: LINK, backing_track_url: LINK, result: { music: [] } },
			nested: { result: { output: { stems: { drum_kit: link, backing_track: link } } } },
			verbose: {
				result: { music: [{ audio_url: null, drums_url: LINK, instrumental_url: LINK }] },
			},
		};
		expect(body.data).toMatchObject(expected[dialect]);
	});

	test('a failed task has its reason, a state word of the dialect, and is refunded', async () => {
		const grid = it.sandbox.originals.grid({ prompt: 'sandbox:fail' });
		const records = [
			recordOf(await ended(VIDEO.path, { ...VIDEO.body, prompt: 'sandbox:fail' })),
			recordOf(await ended(`${MUSIC}/sounds`, { prompt: 'sandbox:fail' })),
			recordOf(await ended(IMAGES, { ...OFFICIAL, prompt: 'sandbox:fail' })),
			recordOf(await ended(REROLL, { task_id: grid.id })),
		];
		expect(it.sandbox.ledger().netCredits).toBe(0);
		for (const record of records) expect(record.error?.message).toMatch(/failed/);
		const expected: Record<DialectName, string[]> = {
			plain: ['failed', 'failed', 'failed', 'FAILURE'],
			enveloped: ['cancelled', 'failed', 'failed', 'cancelled'],
			flat: ['CANCELLED', 'FAILED', 'failed', 'FAILED'],
			nested: ['expired', 'error', 'failed', 'error'],
			verbose: ['expired', 'canceled', 'failed', 'Rejected'],
		};
		expect(records.map(({ status }) => status)).toStrictEqual(expected[dialect]);
	});

	test('a callback has the record of the dialect', async () => {
		it.sandbox.settings.set({ allowPrivateCallbacks: true });
		const { url, arrivals } = await receiver();
		const id = await submitted(VIDEO.path, { ...VIDEO.body, webhook: url });
		await it.clock.advance(10_000);
		await until('it has arrived', () => arrivals.length === 1);
		const record = recordOf(await it.client.get(`/v1/tasks/${id}`));
		const enveloped = { code: 200, data: record };
		expect(arrivals[0]?.body).toEqual(dialect === 'enveloped' ? enveloped : record);
	});

	test('a task is found by its id in every request', async () => {
		const first = recordOf(await ended(REROLL, { task_id: it.sandbox.originals.grid().id }));
		expect((await it.client.post(REROLL, { task_id: first.id })).status).toBe(200);
		expect((await it.client.get(`/v1/tasks/${String(first.id)}`)).status).toBe(200);
		if (dialect === 'nested') expect(String(first.id)).toMatch(/^\d+$/);
	});

	test('the second track of a song is addressed by its place in the list', async () => {
		const song = await submitted(`${MUSIC}/sounds`, { prompt: 'rain' });
		await it.clock.advance(10_000);
		const cover = (audio_index: number) =>
			it.client.post(`${MUSIC}/coverSong`, { task_id: song, tags: 'jazz', audio_index });
		expect((await cover(dialect === 'verbose' ? 3 : 2)).status).toBe(200);
		expect((await cover(dialect === 'verbose' ? 2 : 3)).status).toBe(400);
		const indexes = it.sandbox.tasks.get(song)?.results.map(({ index }) => index);
		expect(indexes).toEqual(dialect === 'verbose' ? [1, 3] : [1, 2]);
	});

	test('tag enhancement answers with its tags', async () => {
		const { body } = await it.client.post(`${MUSIC}/upsampleTags`, { tags: 'jazz' });
		const result = { upsampled_tags: expect.any(String) as string };
		const expected: Expected = {
			plain: { data: [{ status: 'completed', result }] },
			enveloped: { data: { status: 'succeed', result } },
			flat: { status: 'COMPLETED', progress: '100%', result },
			nested: { data: [{ status: 'done', result }] },
			verbose: { data: [{ status: 'finished', tags: 'jazz', result }] },
		};
		expect(body).toMatchObject(expected[dialect]);
	});

	test('the record of GET /v1/images/generations names status, url and fail_reason', async () => {
		const id = await submitted(IMAGES, LITE);
		await it.clock.advance(10_000);
		const { body } = await it.client.get(`${IMAGES}/${id}`);
		const url = dialect === 'enveloped' ? [LINK] : LINK;
		expect(recordOf({ body })).toMatchObject({ status: 'completed', url, fail_reason: '' });
		expect('data' in body).toBe(dialect === 'enveloped');
		const other = await submitted(IMAGES, { ...LITE, prompt: 'sandbox:fail' });
		const read = async () => recordOf(await it.client.get(`${IMAGES}/${other}`));
		expect(await read()).toMatchObject({ status: 'submitted', url: '', fail_reason: '' });
		await it.clock.advance(10_000);
		const fail_reason = expect.stringMatching(/./) as string;
		expect(await read()).toMatchObject({ status: 'failed', url: '', fail_reason });
	});

	test('chat answers have content and usage of the dialect', async () => {
		const messages = [{ role: 'user', content: 'hello' }];
		const said = 'Sample answer to: hello';
		const headers = { 'x-api-key': it.sandbox.key, 'vendor-version': '2023-06-01' };
		const asked = { model: 'm', max_tokens: 50, messages };
		const one = (await it.client.post('/v1/messages', asked, headers)).body;
		const other = (await it.client.post('/v1/chat/completions', { model: 'm', messages })).body;
		const blocks = [{ type: 'text', text: said }];
		expect(one.content).toEqual(dialect === 'flat' ? said : blocks);
		expect(other.choices?.[0]?.message?.content).toEqual(dialect === 'nested' ? blocks : said);
		const type = dialect === 'flat' ? 'string' : 'number';
		expect(typeof one.usage?.input_tokens).toBe(type);
		expect(typeof other.usage?.prompt_tokens_details?.cached_tokens).toBe(type);
	});
});

describe('the dialect', () => {
	test('can be changed while the sandbox runs, and is back after a reset', async () => {
		expect((await it.admin('PUT', '/settings', { dialect: 'flat' })).body.dialect).toBe('flat');
		const task_id = expect.any(String) as string;
		expect((await it.client.post(IMAGES, OFFICIAL)).body).toEqual({ task_id });
		expect((await it.admin('PUT', '/settings', { dialect: 'latin' })).status).toBe(400);
		it.sandbox.settings.set({ dialect: 'enveloped' });
		expect(text((await it.client.post(IMAGES, OFFICIAL)).body.data?.status)).toBe('submitted');
		it.sandbox.reset();
		expect(it.sandbox.settings.get().dialect).toBe('plain');
	});

	test('of a task accepted before the change applies to its record too', async () => {
		const id = await submitted(VIDEO.path, VIDEO.body);
		await it.clock.advance(10_000);
		it.sandbox.settings.set({ dialect: 'nested' });
		const { data } = (await it.client.get(`/v1/tasks/${id}`)).body;
		expect(data).toMatchObject({ id, status: 'done' });
	});
});
