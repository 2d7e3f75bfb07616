import { IMAGES, LITE, OFFICIAL } from './support/images';
import { useBench } from './support/sandbox';

const it = useBench();

const music = (operation: string) => `/v1/music/generations/${operation}`;
const VIDEOS = '/v1/videos/generations';
const VIDEO = { model: 'vidomni-v3-omni', prompt: 'waves' };
const picture = 'https://pictures.example.com/1.png';
const track = () => it.sandbox.originals.track().id;

const officialLite = { ...LITE, model: `${LITE.model}-official` };
const hugeImage = { model: 'imagegen-3', prompt: 'x', size: 'huge', resolution: '8K' };
const maskedLite = { ...LITE, image_urls: [picture], mask_url: picture };
const of = (body: object) => () => ({ task_id: track(), ...body });
const newer = { model: 'vidomni-v4', duration: 20, mode: '8k', aspect_ratio: '4:3' };
const nextVideo = { ...VIDEO, ...newer };
const marked = (prompt: string) => ({ ...VIDEO, prompt, image_urls: [picture] });
const slowGrid = () => ({ task_id: it.sandbox.originals.grid().id, speed: 'slow' });

type Row = readonly [what: string, path: string, body: () => object, reason: RegExp];

/** What the spec restricts or does not name without calling it an error. */
const ROWS: readonly Row[] = [
	['an unknown image model', IMAGES, () => ({ ...OFFICIAL, model: 'imagegen-3' }), /^model/],
	['an -official variant of a lite model', IMAGES, () => officialLite, /^model/],
	['an unknown image model with a size of its own', IMAGES, () => hugeImage, /^model/],
	['a mask for a lite model', IMAGES, () => maskedLite, /^mask_url/],
	['an unknown music model', music('coverSong'), of({ tags: 'x', model: 'musicgen-2' }), /^model/],
	['a sample that ends before it starts', music('sample'), of({ start_s: 5, end_s: 5 }), /^end_s/],
	['an unknown video model', VIDEOS, () => nextVideo, /^model/],
	['an image mark beyond the images', VIDEOS, () => marked('<<<image_2>>>'), /<<<image_2>>>/],
	['an image mark of number 0', VIDEOS, () => marked('<<<image_0>>>'), /<<<image_0>>>/],
	['a video without any input', VIDEOS, () => ({ model: VIDEO.model }), /^prompt/],
	['an unknown speed', '/v1/gridart/generations/reroll', slowGrid, /^speed/],
];

describe('the sandbox', () => {
	test.each(ROWS)('accepts %s, and the task completes', async (_what, path, body) => {
		const id = await it.client.submit(path, body());
		await it.clock.advance(10_000);
		expect(it.sandbox.tasks.get(id)?.stage).toBe('completed');
		expect(it.sandbox.tasks.get(id)?.urls).not.toEqual([]);
		expect(it.sandbox.ledger()).toMatchObject({ accepted: 1, refundedCredits: 0 });
	});

	test.each(ROWS)('refuses %s when it is strict', async (_what, path, body, reason) => {
		it.sandbox.settings.set({ strict: true });
		const answer = await it.client.post(path, body());
		expect([answer.status, answer.body.error?.type]).toEqual([400, 'invalid_request_error']);
		expect(answer.body.error?.message).toMatch(reason);
		expect(it.sandbox.ledger().accepted).toBe(0);
	});

	test('fails and refunds a crop of an empty interval, and refuses it when it is strict', async () => {
		const body = { task_id: track(), start_s: 9, end_s: 4 };
		const id = await it.client.submit(music('crop'), body);
		await it.clock.advance(10_000);
		expect(it.sandbox.tasks.get(id)).toMatchObject({
			stage: 'failed',
			failure: 'The interval is empty.',
		});
		expect(it.sandbox.ledger().netCredits).toBe(0);
		it.sandbox.settings.set({ strict: true });
		expect((await it.client.post(music('crop'), body)).body.error?.message).toMatch(/^end_s/);
	});

	test('reads five cache markers, and refuses the fifth when it is strict', async () => {
		const content = Array.from({ length: 5 }, (_, at) => ({
			type: 'text',
			text: `part ${at}`,
			cache_control: { type: 'ephemeral' },
		}));
		const send = () =>
			it.client.post('/v1/chat/completions', { model: 'm', messages: [{ role: 'user', content }] });
		expect((await send()).status).toBe(200);
		it.sandbox.settings.set({ strict: true });
		expect((await send()).body.error?.message).toMatch(/5 markers, at most 4/);
	});
});

describe('a model that the sandbox does not know', () => {
	test('of an image makes pictures of the requested number, size and format', async () => {
		const body = {
			model: 'imagegen-3',
			prompt: 'x',
			n: 2,
			size: '640x320',
			output_format: 'webp',
			style: 'oil',
		};
		const id = await it.client.submit(IMAGES, body);
		await it.clock.advance(3_000);
		const task = it.sandbox.tasks.get(id);
		expect(task?.urls).toEqual([
			expect.stringMatching(/-1\.webp$/),
			expect.stringMatching(/-2\.webp$/),
		]);
		expect(task).toMatchObject({
			applied: { model: 'imagegen-3', size: '640x320' },
			ignored: ['style'],
		});
		expect(it.sandbox.requests.list({ method: 'POST' })[0]?.body).toEqual(body);
	});

	test('of a video can be extended under its own name', async () => {
		const original = it.sandbox.originals.video({ model: 'vidgen4' }).id;
		const path = `/v1/videos/${original}/remix`;
		expect((await it.client.post(path, { model: 'vidgen3.1-fast' })).status).toBe(400);
		expect((await it.client.post(path, { model: 'vidgen4' })).status).toBe(200);
		it.sandbox.settings.set({ strict: true });
		expect((await it.client.post(path, { model: 'vidgen4' })).status).toBe(400);
		it.sandbox.settings.set({ extraModels: ['vidgen4'] });
		expect((await it.client.post(path, { model: 'vidgen4' })).status).toBe(200);
	});

	test.each([
		[IMAGES, { ...OFFICIAL, model: 'imagegen-3' }],
		[VIDEOS, { ...VIDEO, model: 'vidomni-v4' }],
		[music('sounds'), { prompt: 'rain', model: 'musicgen-2' }],
	])('is accepted by a strict sandbox that has it in extraModels: %s', async (path, body) => {
		it.sandbox.settings.set({ strict: true, extraModels: [body.model] });
		expect((await it.client.post(path, body)).status).toBe(200);
	});
});

test.each(['coverSong', 'addInstrumental'])(
	'a music version that the spec does not name is refused by %s unless it is in extraVersions',
	async (operation) => {
		const send = () =>
			it.client.post(music(operation), { task_id: track(), tags: 'x', version: 'v6' });
		expect((await send()).body.error?.message).toMatch(/^version/);
		it.sandbox.settings.set({ extraVersions: ['v6'] });
		expect((await send()).status).toBe(200);
		expect(it.sandbox.ledger().entries).toMatchObject([{ item: 'musicgen@song-other' }]);
	},
);
