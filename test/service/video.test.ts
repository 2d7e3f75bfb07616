import type { OriginalVideoOptions } from '../../sandbox/service';
import { IMAGES, OFFICIAL, uploaded } from './support/images';
import { probe } from './support/media';
import { ask, download, refusalOf, text, useBench, type Json } from './support/sandbox';

const VIDEOS = '/v1/videos/generations';
const BASIC = { model: 'vidomni-v3-omni', prompt: 'waves' };
const image = (number: number) => `https://pictures.example.com/${number}.png`;
const video = (more: object = {}) => [{ video_url: 'https://videos.example.com/a.mp4', ...more }];
const beside = (refer_type: string) => ({ video_list: video({ refer_type }) });
const shots = (...durations: unknown[]) =>
	durations.map((duration, at) => ({ index: at + 1, prompt: 'a shot', duration }));
const element = (urls: number) => ({
	name: 'cat',
	description: 'a cat',
	element_input_urls: Array.from({ length: urls }, (_, at) => image(at)),
});
const frame = (role: string) => ({ url: image(1), role });
const withRoles = (...roles: string[]) => ({ image_with_roles: roles.map(frame) });
const custom = { multi_shot: true, shot_type: 'customize' };
const customShots = (...durations: unknown[]) => ({ ...custom, multi_prompt: shots(...durations) });
const numbered = (...of: Array<[index: number, duration: number]>) => ({
	...custom,
	multi_prompt: of.map(([index, duration]) => ({ index, prompt: 'x', duration })),
});
const elements = (...urls: number[]) => ({ element_list: urls.map(element) });
const subject = (fields: object) => ({ element_list: [{ ...element(2), ...fields }] });
const unseen = subject({ element_input_urls: undefined });
const two = { image_urls: [image(1), image(2)] };
const bothKinds = { image_urls: [image(1)], ...withRoles('reference') };
const firstFrame = withRoles('first_frame');
const bothFrames = withRoles('first_frame', 'last_frame');
const roleAlone = { image_with_roles: [{ role: 'reference' }] };
const soundOfTrue = { video_list: video({ keep_original_sound: true }) };
const featured = video({ refer_type: 'feature', keep_original_sound: 'yes' });
const noAddress = /^video_list\[0\]\.video_url/;

const it = useBench();

const own = (options: OriginalVideoOptions) => it.sandbox.originals.video(options).urls[0] ?? '';

/** What ffprobe says of the video that a task has made. */
const filmOf = async (task: Json) => probe(await download(text(task.result?.video_url)));

const REFUSED: ReadonlyArray<readonly [string, object, RegExp]> = [
	['no model', { model: undefined }, /^model/],
	['a long negative prompt', { negative_prompt: 'x'.repeat(2501) }, /^negative_prompt/],
	['another mode', { mode: '8k' }, /^mode/],
	['a duration of 2', { duration: 2 }, /^duration/],
	['a duration of 16', { duration: 16 }, /^duration/],
	['a duration as a text', { duration: '5' }, /^duration: .*JSON number/],
	['a broken duration', { duration: 5.5 }, /^duration/],
	['another ratio', { aspect_ratio: '4:3' }, /^aspect_ratio/],
	['a picture that is no URL', { image_urls: ['a.png'] }, /^image_urls\[0\]/],
	['a picture as data', { image_urls: ['data:image/png;base64,iVBORw0KGgo='] }, /^image_urls\[0\]/],
	['rule 1: both kinds of pictures', bothKinds, /mutually exclusive/],
	['rule 3: a last frame without a first', withRoles('last_frame'), /first frame/],
	['an unknown role', withRoles('middle'), /^image_with_roles\[0\]\.role/],
	['a role without a picture', roleAlone, /^image_with_roles\[0\]\.url/],
	['rule 4: a first frame with editing', { ...firstFrame, video_list: video() }, /editing/],
	['rule 4: both frames with editing by name', { ...bothFrames, ...beside('base') }, /editing/],
	['two videos', { video_list: [...video(), ...video()] }, /^video_list/],
	['rule 6: an empty address', { video_list: video({ video_url: '' }) }, noAddress],
	['rule 6: no address', { video_list: [{}] }, noAddress],
	['rule 6: a text that is no address', { video_list: video({ video_url: 'a.mp4' }) }, noAddress],
	['another refer_type', { video_list: video({ refer_type: 'style' }) }, /refer_type/],
	['another keep_original_sound', soundOfTrue, /keep_original_sound/],
	['rule 6: two pictures beside a feature video', { ...two, ...beside('feature') }, /^image_urls/],
	['multi-shot without a shot type', { multi_shot: true }, /^shot_type/],
	['another shot type', { multi_shot: true, shot_type: 'many' }, /^shot_type/],
	['customized shots without prompts', custom, /^multi_prompt/],
	['no shots', customShots(), /^multi_prompt/],
	['seven shots', { duration: 7, ...customShots(1, 1, 1, 1, 1, 1, 1) }, /^multi_prompt/],
	['rule 7: durations that do not sum up', customShots(2, 2), /sum to 4/],
	['rule 7: a shot of 0 seconds', customShots(5, 0), /multi_prompt\[1\]\.duration/],
	['rule 7: a shot of 2.5 seconds', customShots(2.5, 2.5), /multi_prompt\[0\]\.duration/],
	['rule 7: an index that does not begin at 1', numbered([0, 5]), /multi_prompt\[0\]\.index/],
	['rule 7: an index that skips', numbered([1, 3], [3, 2]), /multi_prompt\[1\]\.index/],
	['four subjects', elements(2, 2, 2, 2), /^element_list/],
	['rule 8: a subject with one picture', elements(1), /2 to 4/],
	['rule 8: a subject with five pictures', elements(2, 5), /^element_list\[1\]/],
	['rule 8: a subject without a name', subject({ name: undefined }), /name/],
	['rule 8: a subject without a description', subject({ description: '' }), /description/],
	['rule 8: a subject without pictures', unseen, /element_input_urls/],
	['a watermark that is no boolean', { watermark: 'yes' }, /^watermark/],
	['sound that is no boolean', { audio: 1 }, /^audio/],
];

const ACCEPTED: ReadonlyArray<readonly [string, object]> = [
	['a prompt alone', {}],
	['3 seconds', { duration: 3 }],
	['15 seconds', { duration: 15 }],
	['a negative prompt of 2500 characters', { negative_prompt: 'x'.repeat(2500) }],
	['pictures without a prompt', { prompt: undefined, image_urls: [image(1)] }],
	['a first frame', firstFrame],
	['both frames', bothFrames],
	['a reference picture with editing', { ...withRoles('reference'), video_list: video() }],
	['a first frame with a feature video', { ...firstFrame, ...beside('feature') }],
	['one picture with a feature video', { image_urls: [image(1)], video_list: featured }],
	['shots that sum up', { duration: 9, ...customShots(1, 1, 1, 1, 1, 4) }],
	['shots that the service thinks of', { multi_shot: true, shot_type: 'intelligence' }],
	['shots that take no effect', { multi_shot: false, shot_type: 'nonsense', multi_prompt: [] }],
	['three subjects', { prompt: '@cat', element_list: [element(2), element(3), element(4)] }],
	['sound and watermark', { audio: true, watermark: false }],
];

describe('video generation refuses', () => {
	test.each(REFUSED)('%s', async (_what, fields, reason) => {
		const answer = await it.client.post(VIDEOS, { ...BASIC, ...fields });
		expect(refusalOf(answer)).toEqual([400, 400, 'invalid_request_error']);
		expect(answer.body.error?.message).toMatch(reason);
		expect(it.sandbox.ledger().accepted).toBe(0);
	});

	test.each([
		['too short a base video', 'base', { seconds: 2.5 }, 400],
		['a base video of 3 s', 'base', { seconds: 3 }, 200],
		['a base video of 10 s', 'base', { seconds: 10 }, 200],
		['too long a base video', 'base', { seconds: 11 }, 400],
		['a feature video of 11 s', 'feature', { seconds: 11 }, 200],
		['too short a feature video', 'feature', { seconds: 2.5 }, 400],
		['a feature video of too few pixels', 'feature', { width: 640, height: 480 }, 400],
		['a feature video of too many pixels', 'feature', { width: 4096, height: 2162 }, 400],
		['a feature video of 23 fps', 'feature', { fps: 23 }, 400],
		['a feature video of 61 fps', 'feature', { fps: 61 }, 400],
		['a feature video of 200 MB', 'feature', { bytes: 200 * 1024 * 1024 }, 200],
		['a feature video of more', 'feature', { bytes: 200 * 1024 * 1024 + 1 }, 400],
	] as const)('or takes rule 6: %s', async (_what, refer_type, options, status) => {
		const video_list = [{ video_url: own(options), refer_type }];
		expect((await it.client.post(VIDEOS, { ...BASIC, video_list })).status).toBe(status);
	});

	test('rule 6: a file that does not exist, or is no video', async () => {
		const picture = await uploaded(it.sandbox, 'png');
		for (const video_url of [`${it.sandbox.url}/files/none.mp4`, picture]) {
			const { status } = await it.client.post(VIDEOS, { ...BASIC, video_list: [{ video_url }] });
			expect(status).toBe(400);
		}
	});
});

test.each(ACCEPTED)('video generation accepts %s', async (_what, fields) => {
	expect((await it.client.post(VIDEOS, { ...BASIC, ...fields })).body).toMatchObject({
		code: 200,
		data: [{ status: 'submitted' }],
	});
});

describe('what video generation changes silently', () => {
	async function made(fields: object) {
		const task = it.sandbox.tasks.get(await it.client.submit(VIDEOS, { ...BASIC, ...fields }));
		return { applied: (task?.applied ?? {}) as Json, ignored: task?.ignored, notes: task?.notes };
	}

	test('puts <<<image_1>>> in front of a prompt that names no picture', async () => {
		expect((await made({ image_urls: [image(1)] })).applied.prompt).toBe('<<<image_1>>>waves');
		expect((await made(withRoles('first_frame'))).applied.prompt).toBe('<<<image_1>>>waves');
		const named = 'first <<<image_2>>>';
		expect((await made({ prompt: named, ...two })).applied.prompt).toBe(named);
		expect((await made({})).applied.prompt).toBe('waves');
	});

	test('ignores sound beside a video, and shots without multi_shot', async () => {
		expect((await made({ audio: true, video_list: video() })).ignored).toEqual(['audio']);
		expect((await made({ audio: true })).applied.audio).toBe(true);
		expect((await made({ shot_type: 'customize', multi_prompt: shots(1) })).ignored).toEqual([
			'shot_type',
			'multi_prompt',
		]);
	});
});

describe('a video task', () => {
	test('goes to success, with a link that lives for a day', async () => {
		const id = await it.client.submit(VIDEOS, BASIC);
		expect(await it.client.task(id)).toMatchObject({ id, status: 'submitted', progress: 0 });
		await it.clock.advance(5_000);
		expect(await it.client.task(id)).toMatchObject({ status: 'processing', progress: 50 });
		await it.clock.advance(5_000);
		const { result, ...record } = await it.client.task(id);
		expect(record).toMatchObject({
			...{ id, status: 'success', progress: 100 },
			...{ credits_cost: 300, cost: 0.3, actual_time: 10 },
		});
		expect(result?.expires_at).toBe(it.clock.now() / 1000 + 24 * 3600);
		await it.clock.advance(24 * 3600 * 1000);
		expect((await ask(text(result?.video_url))).status).toBe(410);
	});

	test.each([
		['std', '16:9', 1280, 720],
		['std', '9:16', 720, 1280],
		['std', '1:1', 720, 720],
		['pro', '16:9', 1920, 1080],
	])('of mode %s and ratio %s plays at %i x %i', async (mode, aspect_ratio, width, height) => {
		const task = await it.finished(VIDEOS, { ...BASIC, mode, aspect_ratio, duration: 4 });
		expect(await filmOf(task)).toEqual({ codec: 'h264', width, height, seconds: 4 });
	});

	test('of mode 4k has 3840 x 2160', async () => {
		const task = await it.finished(VIDEOS, { ...BASIC, mode: '4k', duration: 3 });
		expect(await filmOf(task)).toMatchObject({ width: 3840, height: 2160, seconds: 3 });
	});

	test('made from a picture takes its ratio', async () => {
		const tall = await uploaded(it.sandbox, 'png', { width: 90, height: 160 });
		const task = await it.finished(VIDEOS, { ...BASIC, image_urls: [tall], duration: 3 });
		expect(await filmOf(task)).toMatchObject({ width: 720, height: 1280 });
	});

	test('made from a base video is as long as that, and costs as much', async () => {
		const video_list = [{ video_url: own({ seconds: 4 }) }];
		const task = await it.finished(VIDEOS, { ...BASIC, duration: 15, video_list });
		expect((await filmOf(task)).seconds).toBe(4);
		expect(task.credits_cost).toBe(240);
	});
});

describe('a video is extended', () => {
	const FAST = { model: 'vidgen3.1-fast' };
	const remix = (id: string) => `/v1/videos/${id}/remix`;
	const original = (options: OriginalVideoOptions = {}) => it.sandbox.originals.video(options).id;

	test.each([
		[false, 15],
		[undefined, 15],
		[true, 7],
	])('with raw %s to %i seconds', async (raw, seconds) => {
		const task = await it.finished(remix(original()), { ...FAST, prompt: 'on', raw });
		expect(await filmOf(task)).toEqual({ codec: 'h264', width: 1280, height: 720, seconds });
	});

	test('in the ratio of the original unless told otherwise', async () => {
		const tall = original({ aspectRatio: '9:16' });
		const same = await it.finished(remix(tall), { ...FAST, raw: true });
		expect(await filmOf(same)).toMatchObject({ width: 720, height: 1280 });
		const wide = { aspect_ratio: '16:9', resolution: '1080p' };
		const other = await it.finished(remix(tall), { ...FAST, raw: true, ...wide });
		expect(await filmOf(other)).toMatchObject({ width: 1920, height: 1080 });
	});

	test.each([
		['vidgen3.1-fast', 'vidgen3.1-fast', 200],
		['vidgen3.1-fast', 'vidgen3.1-fast-ext', 200],
		['vidgen3.1-quality', 'vidgen3.1-quality-ext', 200],
		['vidgen3.1-quality', 'vidgen3.1-fast', 400],
		['vidgen3.1-fast', 'vidgen3.1-quality-ext', 400],
		['vidgen3.1-fast', 'vidgen3.1', 400],
	] as const)('an original of %s as %s: %i', async (model, asked, status) => {
		const answer = await it.client.post(remix(original({ model })), { model: asked });
		expect(answer.status).toBe(status);
	});

	test('only in status success', async () => {
		for (const state of ['running', 'failed'] as const) {
			const answer = await it.client.post(remix(original({ state })), FAST);
			expect(answer.status).toBe(400);
			expect(answer.body.error?.message).toMatch(/success/);
		}
		expect(it.sandbox.ledger().accepted).toBe(0);
	});

	test.each([
		['no model', { model: undefined }],
		['another ratio', { aspect_ratio: '1:1' }],
		['another resolution', { resolution: '2k' }],
		['raw as a text', { raw: 'true' }],
	])('not with %s', async (_what, fields) => {
		const answer = await it.client.post(remix(original()), { ...FAST, ...fields });
		expect(answer.status).toBe(400);
	});

	test('not when it does not exist, is no video, or is of another model family', async () => {
		const picture = await it.client.submit(IMAGES, OFFICIAL);
		const foreign = original({ key: 'sandbox-key-unlimited' });
		for (const id of ['task_unknown', picture, foreign]) {
			const answer = await it.client.post(remix(id), FAST);
			expect([answer.status, answer.body.error?.type]).toEqual([404, 'not_found_error']);
		}
		const generated = text((await it.finished(VIDEOS, BASIC)).id);
		expect((await it.client.post(remix(generated), FAST)).status).toBe(400);
	});
});

test('originals can be made over HTTP, free and out of the ledger', async () => {
	const made = async (path: string, body: object) => (await it.admin('POST', path, body)).body;
	const upload = { family: 'music', operation: 'upload', stage: 'completed' };
	expect(await made('/tracks', { seconds: 12 })).toMatchObject(upload);
	const running = { family: 'grid', stage: 'running' };
	expect(await made('/grids', { state: 'running' })).toMatchObject(running);
	for (const model of ['vidgen3.1-quality', 'other'])
		expect(await made('/videos', { model })).toMatchObject({ family: 'video', stage: 'completed' });
	expect((await it.admin('POST', '/videos', { model: 7 })).status).toBe(400);
	expect(it.sandbox.ledger().accepted).toBe(0);
	expect((await it.client.get('/balance')).body.used_credits).toBe(0);
});
