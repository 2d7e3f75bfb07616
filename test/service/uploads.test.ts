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
	async function refusal(send: (bench: Bench) => Promise<Answer>) {
		const it = await bench();
		const answer = await send(it);
		return [answer.status, answer.body] as const;
	}
	const envelope = (reason: RegExp) => [
		400,
		{ error: { message: expect.stringMatching(reason) as string, type: 'invalid_request_error' } },
	];

	it('when it has one byte too many', async () => {
		const bytes = await pictureOf(LIMIT + 1);
		expect(await refusal(({ sandbox }) => upload(sandbox, bytes))).toEqual(envelope(/20971520/));
	});

	it('when it is far too large', async () => {
		const bytes = await pictureOf(LIMIT + 5_000_000);
		expect(await refusal(({ sandbox }) => upload(sandbox, bytes))).toEqual(envelope(/20971520/));
	});

	it('when its content is of another type than its name', async () => {
		const bytes = Buffer.from('%PDF-1.7 and so on');
		expect(await refusal(({ sandbox }) => upload(sandbox, bytes, { filename: 'a.png' }))).toEqual(
			envelope(/jpeg, png, gif/),
		);
	});

	it('when the file is in another field', async () => {
		const bytes = await plainImage('png');
		expect(await refusal(({ sandbox }) => upload(sandbox, bytes, { field: 'image' }))).toEqual(
			envelope(/"file"/),
		);
	});

	it('when "file" is a text', async () => {
		expect(
			await refusal(({ sandbox }) => {
				const form = new FormData();
				form.append('file', 'picture');
				return ask(`${sandbox.url}/v1/uploads/images`, {
					method: 'POST',
					headers: { authorization: `Bearer ${sandbox.key}` },
					body: form,
				});
			}),
		).toEqual(envelope(/"file"/));
	});

	it('when the file is empty', async () => {
		expect(await refusal(({ sandbox }) => upload(sandbox, Buffer.alloc(0)))).toEqual(
			envelope(/"file"/),
		);
	});

	it('when it is JSON', async () => {
		expect(await refusal(({ client }) => client.post('/v1/uploads/images', { file: 'x' }))).toEqual(
			envelope(/multipart/),
		);
	});
});

describe('an upload by', () => {
	it('a request without a key is 401', async () => {
		const { sandbox } = await bench();
		expect((await upload(sandbox, await plainImage('png'), { key: 'wrong' })).status).toBe(401);
	});
});
