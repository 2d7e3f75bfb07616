import { ask, bench, download, text, type Answer, type Bench } from './support/sandbox';
import { plainImage, upload } from './support/images';

const LIMIT = 20_971_520;

/** A picture of exactly that many bytes: what follows the end of a PNG is ignored. */
async function pictureOf(bytes: number): Promise<Buffer> {
	const picture = Buffer.alloc(bytes);
	(await plainImage('png')).copy(picture);
	return picture;
}

describe('an upload', () => {
	it('comes back as the record of the spec, and its URL gives the same bytes', async () => {
		const { sandbox, clock } = await bench();
		const picture = await plainImage('png');
		const { status, body } = await upload(sandbox, picture, { filename: 'my cat.png' });

		expect(status).toBe(200);
		expect(body).toEqual({
			url: expect.stringMatching(/^http/) as string,
			filename: 'my cat.png',
			content_type: 'image/png',
			bytes: picture.length,
			created_at: clock.now() / 1000,
		});
		expect((await download(text(body.url))).equals(picture)).toBe(true);
	});

	it.each(['png', 'jpeg', 'webp', 'gif'] as const)(
		'of a %s is known by its content, not by its name',
		async (format) => {
			const { sandbox } = await bench();
			const answer = await upload(sandbox, await plainImage(format), { filename: 'what.bin' });
			expect(answer.body.content_type).toBe(`image/${format}`);
		},
	);

	it('is free', async () => {
		const { sandbox, client } = await bench();
		await upload(sandbox, await plainImage('png'));
		expect((await client.get('/balance')).body.used_credits).toBe(0);
	});

	it('lives for 72 hours', async () => {
		const { sandbox, clock } = await bench();
		const url = text((await upload(sandbox, await plainImage('png'))).body.url);
		await clock.advance(72 * 3600 * 1000 - 1);
		expect((await ask(url)).status).toBe(200);
		await clock.advance(1);
		expect((await ask(url)).status).toBe(410);
	});

	it('makes room for later ones when all together have 256 MB', async () => {
		const { sandbox } = await bench();
		const bytes = await pictureOf(LIMIT);
		const urls: string[] = [];
		for (let uploads = 0; uploads < 13; uploads++)
			urls.push(text((await upload(sandbox, bytes)).body.url));
		expect(
			await Promise.all(urls.map(async (url) => (await fetch(url, { method: 'HEAD' })).status)),
		).toEqual([410, ...Array<number>(12).fill(200)]);
	});

	it('may have 20971520 bytes', async () => {
		const { sandbox } = await bench();
		const answer = await upload(sandbox, await pictureOf(LIMIT));
		expect([answer.status, answer.body.bytes]).toEqual([200, LIMIT]);
	});
});

describe('an upload is refused, without a code in the error,', () => {
	/** Form data whose field `file` is a text. */
	const asText = ({ sandbox }: Bench) => {
		const body = new FormData();
		body.append('file', 'picture');
		const headers = { authorization: `Bearer ${sandbox.key}` };
		return ask(`${sandbox.url}/v1/uploads/images`, { method: 'POST', headers, body });
	};
	const tooMany = (bytes: number) => async (it: Bench) =>
		await upload(it.sandbox, await pictureOf(LIMIT + bytes));
	const pdf = async (it: Bench) =>
		await upload(it.sandbox, Buffer.from('%PDF-1.7 and so on'), { filename: 'a.png' });
	const elsewhere = async (it: Bench) =>
		await upload(it.sandbox, await plainImage('png'), { field: 'image' });

	it.each<[string, (it: Bench) => Promise<Answer>, RegExp]>([
		['it has one byte too many', tooMany(1), /20971520/],
		['it is far too large', tooMany(5_000_000), /20971520/],
		['its content is of another type than its name', pdf, /jpeg, png, gif/],
		['the file is in another field', elsewhere, /"file"/],
		['"file" is a text', asText, /"file"/],
		['the file is empty', (it) => upload(it.sandbox, Buffer.alloc(0)), /"file"/],
		['it is JSON', (it) => it.client.post('/v1/uploads/images', { file: 'x' }), /multipart/],
	])('when %s', async (_what, send, reason) => {
		const answer = await send(await bench());
		const message = expect.stringMatching(reason) as string;
		expect(answer.status).toBe(400);
		expect(answer.body).toEqual({ error: { message, type: 'invalid_request_error' } });
	});
});

it('an upload by a request without a key is 401', async () => {
	const { sandbox } = await bench();
	expect((await upload(sandbox, await plainImage('png'), { key: 'wrong' })).status).toBe(401);
});
