import { bench, type Bench } from './support/sandbox';
import { IMAGES, LITE, OFFICIAL, uploaded } from './support/images';

const url = (index: number) => `https://pictures.example.com/${index}.png`;
const urls = (count: number) => Array.from({ length: count }, (_, index) => url(index));
const dataUri = (format: string, bytes: number) => {
	const picture = Buffer.alloc(bytes);
	PIXEL.copy(picture);
	return `data:image/${format};base64,${picture.toString('base64')}`;
};
/** A whole PNG of one pixel; what follows it in a file is ignored. */
const PIXEL = Buffer.from(
	'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
	'base64',
);
const TEN_MEGABYTES = 10 * 1024 * 1024;

/** Bodies that the spec says are refused, by what is wrong with them. */
const REFUSED: ReadonlyArray<readonly [string, object, RegExp]> = [
	['no model', { prompt: 'x' }, /^model/],
	['a model that is no text', { ...OFFICIAL, model: 3 }, /^model/],
	['no prompt', { model: OFFICIAL.model }, /^prompt/],
	['a prompt that is no text', { ...OFFICIAL, prompt: 7 }, /^prompt/],
	[
		'a prompt that breaks the safety review',
		{ ...OFFICIAL, prompt: 'sandbox:unsafe' },
		/safety review/,
	],
	[
		'a borderline prompt with usual moderation',
		{ ...OFFICIAL, prompt: 'sandbox:borderline' },
		/safety review/,
	],
	['an unknown ratio', { ...OFFICIAL, size: '7:5' }, /^size/],
	['a size that is neither ratio nor pixels', { ...OFFICIAL, size: 'big' }, /^size/],
	['pixels that are no multiples of 16', { ...OFFICIAL, size: '1000x1000' }, /multiples of 16/],
	['too long an edge', { ...OFFICIAL, size: '3856x1600' }, /3840/],
	['too many pixels', { ...OFFICIAL, size: '3840x2176' }, /pixels/],
	['too narrow a picture', { ...OFFICIAL, size: '3200x1024' }, /3 times/],
	['a resolution of the wrong case', { ...OFFICIAL, resolution: '1K' }, /^resolution/],
	['an unsupported resolution', { ...OFFICIAL, resolution: '8k' }, /^resolution/],
	['an unknown quality', { ...OFFICIAL, quality: 'best' }, /^quality/],
	['an unknown background', { ...OFFICIAL, background: 'blue' }, /^background/],
	['an unknown moderation', { ...OFFICIAL, moderation: 'high' }, /^moderation/],
	['an unknown output format', { ...OFFICIAL, output_format: 'gif' }, /^output_format/],
	[
		'compression out of range',
		{ ...OFFICIAL, output_format: 'jpeg', output_compression: 101 },
		/^output_compression/,
	],
	[
		'compression below range',
		{ ...OFFICIAL, output_format: 'jpeg', output_compression: -1 },
		/^output_compression/,
	],
	[
		'compression that is no integer',
		{ ...OFFICIAL, output_format: 'webp', output_compression: 9.5 },
		/^output_compression/,
	],
	['compression of a png', { ...OFFICIAL, output_compression: 50 }, /^output_compression/],
	['n as a text', { ...OFFICIAL, n: '2' }, /^n: .*JSON number/],
	['n of nothing', { ...OFFICIAL, n: 0 }, /^n/],
	['n above four', { ...OFFICIAL, n: 5 }, /^n/],
	['n that is no integer', { ...OFFICIAL, n: 1.5 }, /^n/],
	['more than 16 references', { ...OFFICIAL, image_urls: urls(17) }, /^image_urls: at most 16/],
	['a reference that is no URL', { ...OFFICIAL, image_urls: ['picture.png'] }, /^image_urls\[0\]/],
	[
		'a reference of another scheme',
		{ ...OFFICIAL, image_urls: [url(0), 'ftp://example.com/a.png'] },
		/^image_urls\[1\]/,
	],
	[
		'a data URI for the official model',
		{ ...OFFICIAL, image_urls: [dataUri('png', 10)] },
		/^image_urls\[0\]/,
	],
	['a mask without references', { ...OFFICIAL, mask_url: url(0) }, /^mask_url/],
	[
		'a mask with an empty list of references',
		{ ...OFFICIAL, mask_url: url(0), image_urls: [] },
		/^mask_url/,
	],
	['a webhook that is no text', { ...OFFICIAL, webhook: 7 }, /^webhook/],
	['null for a field', { ...OFFICIAL, size: null }, /^size/],

	['lite: no prompt', { model: LITE.model }, /^prompt/],
	['lite: a ratio it has not', { ...LITE, size: '2:1' }, /^size/],
	['lite: pixels', { ...LITE, size: '1024x1024' }, /^size/],
	['lite: an unsupported resolution', { ...LITE, resolution: '8K' }, /^resolution/],
	['lite: n as a text', { ...LITE, n: '1' }, /^n/],
	['lite: n above four', { ...LITE, n: 5 }, /^n/],
	['lite: more than 14 references', { ...LITE, image_urls: urls(15) }, /^image_urls: at most 14/],
	[
		'lite: bare base64',
		{ ...LITE, image_urls: [Buffer.alloc(30, 1).toString('base64')] },
		/^image_urls\[0\]/,
	],
	['lite: a data URI of a gif', { ...LITE, image_urls: [dataUri('gif', 10)] }, /^image_urls\[0\]/],
	[
		'lite: a data URI of something else',
		{ ...LITE, image_urls: ['data:image/png;base64,aGVsbG8gd29ybGQ='] },
		/^image_urls\[0\]/,
	],
	[
		'lite: a data URI over 10 MB',
		{ ...LITE, image_urls: [dataUri('png', TEN_MEGABYTES + 1)] },
		/^image_urls\[0\]: 10485761 bytes/,
	],
];

/** Bodies at the very edge of what is allowed. */
const ACCEPTED: ReadonlyArray<readonly [string, object]> = [
	['the least there can be', OFFICIAL],
	['16 references', { ...OFFICIAL, image_urls: urls(16) }],
	['references as objects', { ...OFFICIAL, image_urls: [{ url: url(0) }, { url: url(1) }] }],
	['a mask with references', { ...OFFICIAL, image_urls: urls(1), mask_url: url(1) }],
	['pixels up to the cap', { ...OFFICIAL, size: '3840x2160' }],
	['pixels of the table', { ...OFFICIAL, size: '1881x836' }],
	['compression 0', { ...OFFICIAL, output_format: 'jpeg', output_compression: 0 }],
	['compression 100', { ...OFFICIAL, output_format: 'webp', output_compression: 100 }],
	['four pictures', { ...OFFICIAL, n: 4 }],
	[
		'a borderline prompt with loose moderation',
		{ ...OFFICIAL, prompt: 'sandbox:borderline', moderation: 'low' },
	],
	['lite: the least there can be', LITE],
	['lite: by its alias', { ...LITE, model: 'lite-2-lite' }],
	['lite: the other by its alias', { ...LITE, model: 'lite-2-lite-ext' }],
	['lite: 14 references', { ...LITE, image_urls: urls(14) }],
	['lite: a data URI of 10 MB', { ...LITE, image_urls: [dataUri('png', TEN_MEGABYTES)] }],
	[
		'lite: search tools, which do nothing',
		{ ...LITE, google_search: true, google_image_search: true },
	],
];

describe('image generation refuses', () => {
	it.each(REFUSED)('%s', async (_what, body, reason) => {
		const { sandbox, client } = await bench();
		const answer = await client.post(IMAGES, body);

		expect(answer.status).toBe(400);
		expect(answer.body.error).toEqual({
			code: 400,
			message: expect.stringMatching(reason) as string,
			type: 'invalid_request_error',
		});
		expect(sandbox.ledger().accepted).toBe(0);
		expect((await client.get('/v1/balance')).body.used_credits).toBe(0);
	});
});

describe('image generation accepts', () => {
	it.each(ACCEPTED)('%s', async (_what, body) => {
		const { client } = await bench();
		const answer = await client.post(IMAGES, body);
		expect(answer.body).toEqual({
			code: 200,
			data: [{ status: 'submitted', task_id: expect.stringMatching(/^task_/) as string }],
		});
	});
});

describe('what the sandbox knows of its own pictures', () => {
	async function post({ client }: Bench, body: object) {
		const answer = await client.post(IMAGES, { ...OFFICIAL, ...body });
		return [answer.status, answer.body.error?.message ?? ''];
	}

	it('refuses a mask without an alpha channel', async () => {
		const it = await bench();
		const picture = await uploaded(it.sandbox, 'png');
		expect(await post(it, { image_urls: [picture], mask_url: picture })).toEqual([
			400,
			expect.stringMatching(/alpha/),
		]);
	});

	it('refuses a mask of another size than the first reference', async () => {
		const it = await bench();
		const first = await uploaded(it.sandbox, 'png');
		const second = await uploaded(it.sandbox, 'png', { width: 32 });
		const mask = await uploaded(it.sandbox, 'png', { width: 32, alpha: true });
		expect(await post(it, { image_urls: [first, second], mask_url: mask })).toEqual([
			400,
			expect.stringMatching(/32x64.*64x64/),
		]);
		expect(await post(it, { image_urls: [second, first], mask_url: mask })).toEqual([200, '']);
	});

	it('refuses a reference that is too large, and references that are too large together', async () => {
		const it = await bench();
		const blob = (megabytes: number) =>
			`${it.sandbox.url}/files/blob/${megabytes * 1024 * 1024}.bin`;
		expect(await post(it, { image_urls: [blob(20)] })).toEqual([200, '']);
		expect(await post(it, { image_urls: [blob(21)] })).toEqual([
			400,
			expect.stringMatching(/^image_urls\[0\].*20971520/),
		]);
		expect(await post(it, { image_urls: Array.from({ length: 12 }, () => blob(20)) })).toEqual([
			200,
			'',
		]);
		expect(await post(it, { image_urls: Array.from({ length: 13 }, () => blob(20)) })).toEqual([
			400,
			expect.stringMatching(/in all/),
		]);
		expect(await post(it, { ...LITE, image_urls: [blob(11)] })).toEqual([
			400,
			expect.stringMatching(/^image_urls\[0\]/),
		]);
	});

	it('refuses an expired upload, and one that does not exist', async () => {
		const it = await bench();
		const picture = await uploaded(it.sandbox, 'png');
		expect(await post(it, { image_urls: [picture] })).toEqual([200, '']);
		await it.clock.advance(72 * 3600 * 1000);
		expect(await post(it, { image_urls: [picture] })).toEqual([
			400,
			expect.stringMatching(/^image_urls\[0\]/),
		]);
		expect((await post(it, { image_urls: [`${it.sandbox.url}/files/none.png`] }))[0]).toBe(400);
	});
});

describe('what the service changes silently', () => {
	async function appliedTo(body: object) {
		const { sandbox, client } = await bench();
		const task = sandbox.tasks.get(await client.submit(IMAGES, body));
		return { applied: task?.applied, notes: task?.notes, ignored: task?.ignored };
	}

	it('transparent becomes auto', async () => {
		const { applied, notes } = await appliedTo({ ...OFFICIAL, background: 'transparent' });
		expect(applied?.background).toBe('auto');
		expect(notes).toEqual(['background: transparent became auto']);
	});

	it.each(['2K', '4K', '0.5K'])('a lite model makes %s into 1K', async (resolution) => {
		const { applied, notes } = await appliedTo({ ...LITE, resolution });
		expect(applied?.resolution).toBe('1K');
		expect(notes).toEqual([`resolution: ${resolution} became 1K`]);
	});

	it('fields that a model does not have are ignored', async () => {
		expect((await appliedTo({ ...LITE, google_search: true, quality: 'high' })).ignored).toEqual([
			'google_search',
			'quality',
		]);
	});

	it('defaults are filled in', async () => {
		expect((await appliedTo(OFFICIAL)).applied).toMatchObject({
			size: '1:1',
			resolution: '1k',
			quality: 'auto',
			background: 'auto',
			moderation: 'auto',
			output_format: 'png',
			n: 1,
		});
	});
});
