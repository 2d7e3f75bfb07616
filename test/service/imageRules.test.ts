import { useBench } from './support/sandbox';
import { IMAGES, LITE, OFFICIAL, uploaded } from './support/images';

const it = useBench();

const url = (index: number) => `https://pictures.example.com/${index}.png`;
const urls = (count: number) => Array.from({ length: count }, (_, index) => url(index));
/** A reference of that many bytes in the request itself. */
const inline = (format: string, bytes: number) => {
	const picture = Buffer.alloc(bytes);
	PIXEL.copy(picture);
	return { image_urls: [`data:image/${format};base64,${picture.toString('base64')}`] };
};
/** A whole PNG of one pixel; what follows it in a file is ignored. */
const PIXEL = Buffer.from(
	'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
	'base64',
);
const compressed = (output_compression: number) => ({ output_format: 'jpeg', output_compression });
const TEN_MEGABYTES = 10 * 1024 * 1024;

/** What the spec says is refused, by what is wrong with it. */
type Refused = ReadonlyArray<readonly [what: string, fields: object, reason: RegExp]>;

const REFUSED: Refused = [
	['no model', { model: undefined }, /^model/],
	['a model that is no text', { model: 3 }, /^model/],
	['no prompt', { prompt: undefined }, /^prompt/],
	['a prompt that is no text', { prompt: 7 }, /^prompt/],
	['a prompt that breaks the safety review', { prompt: 'sandbox:unsafe' }, /safety review/],
	['a borderline prompt with usual moderation', { prompt: 'sandbox:borderline' }, /safety review/],
	['an unknown ratio', { size: '7:5' }, /^size/],
	['a size that is neither ratio nor pixels', { size: 'big' }, /^size/],
	['pixels that are no multiples of 16', { size: '1000x1000' }, /multiples of 16/],
	['too long an edge', { size: '3856x1600' }, /3840/],
	['too many pixels', { size: '3840x2176' }, /pixels/],
	['too narrow a picture', { size: '3200x1024' }, /3 times/],
	['a resolution of the wrong case', { resolution: '1K' }, /^resolution/],
	['an unsupported resolution', { resolution: '8k' }, /^resolution/],
	['an unknown quality', { quality: 'best' }, /^quality/],
	['an unknown background', { background: 'blue' }, /^background/],
	['an unknown moderation', { moderation: 'high' }, /^moderation/],
	['an unknown output format', { output_format: 'gif' }, /^output_format/],
	['compression out of range', compressed(101), /^output_compression/],
	['compression below range', compressed(-1), /^output_compression/],
	['compression that is no integer', compressed(9.5), /^output_compression/],
	['n as a text', { n: '2' }, /^n: .*JSON number/],
	['n of nothing', { n: 0 }, /^n/],
	['n above four', { n: 5 }, /^n/],
	['n that is no integer', { n: 1.5 }, /^n/],
	['more than 16 references', { image_urls: urls(17) }, /^image_urls: at most 16/],
	['a reference that is no URL', { image_urls: ['picture.png'] }, /^image_urls\[0\]/],
	['a reference of another scheme', { image_urls: [url(0), 'ftp://x.com/1'] }, /^image_urls\[1\]/],
	['a data URI for the official model', inline('png', 10), /^image_urls\[0\]/],
	['a mask without references', { mask_url: url(0) }, /^mask_url/],
	['a mask with an empty list of references', { mask_url: url(0), image_urls: [] }, /^mask_url/],
	['a webhook that is no text', { webhook: 7 }, /^webhook/],
	['null for a field', { size: null }, /^size/],
];

/** "hello world" under the type of a picture. */
const HELLO = 'data:image/png;base64,aGVsbG8gd29ybGQ=';

const REFUSED_BY_LITE: Refused = [
	['no prompt', { prompt: undefined }, /^prompt/],
	['a ratio it has not', { size: '2:1' }, /^size/],
	['pixels', { size: '1024x1024' }, /^size/],
	['an unsupported resolution', { resolution: '8K' }, /^resolution/],
	['n as a text', { n: '1' }, /^n/],
	['n above four', { n: 5 }, /^n/],
	['more than 14 references', { image_urls: urls(15) }, /^image_urls: at most 14/],
	['bare base64', { image_urls: [Buffer.alloc(30, 1).toString('base64')] }, /^image_urls\[0\]/],
	['a data URI of a gif', inline('gif', 10), /^image_urls\[0\]/],
	['a data URI of something else', { image_urls: [HELLO] }, /^image_urls\[0\]/],
	['a data URI over 10 MB', inline('png', TEN_MEGABYTES + 1), /^image_urls\[0\]: 10485761 bytes/],
];

const borderline = { prompt: 'sandbox:borderline', moderation: 'low' };
const searching = { google_search: true, google_image_search: true };

/** Bodies at the very edge of what is allowed. */
const ACCEPTED: ReadonlyArray<readonly [string, object]> = [
	['the least there can be', OFFICIAL],
	['16 references', { ...OFFICIAL, image_urls: urls(16) }],
	['references as objects', { ...OFFICIAL, image_urls: [{ url: url(0) }, { url: url(1) }] }],
	['a mask with references', { ...OFFICIAL, image_urls: urls(1), mask_url: url(1) }],
	['pixels up to the cap', { ...OFFICIAL, size: '3840x2160' }],
	['pixels of the table', { ...OFFICIAL, size: '1881x836' }],
	['compression 0', { ...OFFICIAL, ...compressed(0) }],
	['compression 100', { ...OFFICIAL, output_format: 'webp', output_compression: 100 }],
	['compression of a png', { ...OFFICIAL, output_compression: 50 }],
	['a webhook that is no address', { ...OFFICIAL, webhook: '' }],
	['four pictures', { ...OFFICIAL, n: 4 }],
	['a borderline prompt with loose moderation', { ...OFFICIAL, ...borderline }],
	['lite: the least there can be', LITE],
	['lite: by its alias', { ...LITE, model: 'lite-2-lite' }],
	['lite: the other by its alias', { ...LITE, model: 'lite-2-lite-ext' }],
	['lite: 14 references', { ...LITE, image_urls: urls(14) }],
	['lite: a data URI of 10 MB', { ...LITE, ...inline('png', TEN_MEGABYTES) }],
	['lite: search tools, which do nothing', { ...LITE, ...searching }],
];

test.each([
	...REFUSED.map(([what, fields, reason]) => [what, { ...OFFICIAL, ...fields }, reason] as const),
	...REFUSED_BY_LITE.map(
		([what, fields, reason]) => [`lite: ${what}`, { ...LITE, ...fields }, reason] as const,
	),
])('image generation refuses %s', async (_what, body, reason) => {
	const answer = await it.client.post(IMAGES, body);

	expect(answer.status).toBe(400);
	expect(answer.body.error).toEqual({
		code: 400,
		message: expect.stringMatching(reason) as string,
		type: 'invalid_request_error',
	});
	expect(it.sandbox.ledger().accepted).toBe(0);
	expect((await it.client.get('/v1/balance')).body.used_credits).toBe(0);
});

test.each(ACCEPTED)('image generation accepts %s', async (_what, body) => {
	const answer = await it.client.post(IMAGES, body);
	expect(answer.body).toEqual({
		code: 200,
		data: [{ status: 'submitted', task_id: expect.stringMatching(/^task_/) as string }],
	});
});

describe('what the sandbox knows of its own pictures', () => {
	async function post(body: object) {
		const answer = await it.client.post(IMAGES, { ...OFFICIAL, ...body });
		return [answer.status, answer.body.error?.message ?? ''];
	}
	const refused = (reason: RegExp) => [400, expect.stringMatching(reason) as string];

	test('refuses a mask without an alpha channel', async () => {
		const picture = await uploaded(it.sandbox, 'png');
		expect(await post({ image_urls: [picture], mask_url: picture })).toEqual(refused(/alpha/));
	});

	test('refuses a mask of another size than the first reference', async () => {
		const first = await uploaded(it.sandbox, 'png');
		const second = await uploaded(it.sandbox, 'png', { width: 32 });
		const mask = await uploaded(it.sandbox, 'png', { width: 32, alpha: true });
		expect(await post({ image_urls: [first, second], mask_url: mask })).toEqual(
			refused(/32x64.*64x64/),
		);
		expect(await post({ image_urls: [second, first], mask_url: mask })).toEqual([200, '']);
	});

	test('refuses a reference that is too large, and references that are too large together', async () => {
		const blob = (megabytes: number) =>
			`${it.sandbox.url}/files/blob/${megabytes * 1024 * 1024}.bin`;
		expect(await post({ image_urls: [blob(20)] })).toEqual([200, '']);
		expect(await post({ image_urls: [blob(21)] })).toEqual(refused(/^image_urls\[0\].*20971520/));
		const large = (count: number) => Array<string>(count).fill(blob(20));
		expect(await post({ image_urls: large(12) })).toEqual([200, '']);
		expect(await post({ image_urls: large(13) })).toEqual(refused(/in all/));
		expect(await post({ ...LITE, image_urls: [blob(11)] })).toEqual(refused(/^image_urls\[0\]/));
	});

	test('refuses an expired upload, and one that does not exist', async () => {
		const picture = await uploaded(it.sandbox, 'png');
		expect(await post({ image_urls: [picture] })).toEqual([200, '']);
		await it.clock.advance(72 * 3600 * 1000);
		expect(await post({ image_urls: [picture] })).toEqual(refused(/^image_urls\[0\]/));
		expect((await post({ image_urls: [`${it.sandbox.url}/files/none.png`] }))[0]).toBe(400);
	});
});

describe('what the service changes silently', () => {
	async function appliedTo(body: object) {
		const task = it.sandbox.tasks.get(await it.client.submit(IMAGES, body));
		return { applied: task?.applied, notes: task?.notes, ignored: task?.ignored };
	}

	test('transparent becomes auto', async () => {
		const { applied, notes } = await appliedTo({ ...OFFICIAL, background: 'transparent' });
		expect(applied?.background).toBe('auto');
		expect(notes).toEqual(['background: transparent became auto']);
	});

	test.each(['2K', '4K', '0.5K'])('a lite model makes %s into 1K', async (resolution) => {
		const { applied, notes } = await appliedTo({ ...LITE, resolution });
		expect(applied?.resolution).toBe('1K');
		expect(notes).toEqual([`resolution: ${resolution} became 1K`]);
	});

	test('fields that a model does not have are ignored', async () => {
		expect((await appliedTo({ ...LITE, google_search: true, quality: 'high' })).ignored).toEqual([
			'google_search',
			'quality',
		]);
	});

	test('a PNG is not compressed', async () => {
		const { applied, ignored } = await appliedTo({ ...OFFICIAL, output_compression: 50 });
		expect(applied).not.toHaveProperty('output_compression');
		expect(ignored).toEqual(['output_compression']);
	});

	test('defaults are filled in', async () => {
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
