import { ask, download, text, useBench, type Answer } from './support/sandbox';
import { plainImage, upload } from './support/images';

const it = useBench();

const LIMIT = 20_971_520;

/** A picture of exactly that many bytes: what follows the end of a PNG is ignored. */
async function pictureOf(bytes: number): Promise<Buffer> {
	const picture = Buffer.alloc(bytes);
	(await plainImage('png')).copy(picture);
	return picture;
}

describe('an upload', () => {
	test('comes back as the record of the spec, and its URL gives the same bytes', async () => {
		const picture = await plainImage('png');
		const { status, body } = await upload(it.sandbox, picture, { filename: 'my cat.png' });

		expect(status).toBe(200);
		expect(body).toEqual({
			url: expect.stringMatching(/^http/) as string,
			filename: 'my cat.png',
			content_type: 'image/png',
			bytes: picture.length,
			created_at: it.clock.now() / 1000,
		});
		expect((await download(text(body.url))).equals(picture)).toBe(true);
	});

	test('is free', async () => {
		await upload(it.sandbox, await plainImage('png'));
		expect((await it.client.get('/balance')).body.used_credits).toBe(0);
	});

	test('lives for 72 hours', async () => {
		const url = text((await upload(it.sandbox, await plainImage('png'))).body.url);
		await it.clock.advance(72 * 3600 * 1000 - 1);
		expect((await ask(url)).status).toBe(200);
		await it.clock.advance(1);
		expect((await ask(url)).status).toBe(410);
	});

	test('makes room for later ones when all together have 256 MB', async () => {
		const form = new FormData();
		form.append('file', new Blob([new Uint8Array(await pictureOf(LIMIT))]), 'picture.png');
		// To make the request takes longer than to send it.
		const request = new Response(form);
		const headers = {
			authorization: `Bearer ${it.sandbox.key}`,
			'content-type': text(request.headers.get('content-type')),
		};
		const body = await request.arrayBuffer();
		const urls: string[] = [];
		for (let uploads = 0; uploads < 13; uploads++) {
			const answer = await ask(`${it.sandbox.url}/v1/uploads/images`, {
				method: 'POST',
				headers,
				body,
			});
			urls.push(text(answer.body.url));
		}
		expect(
			await Promise.all(urls.map(async (url) => (await fetch(url, { method: 'HEAD' })).status)),
		).toEqual([410, ...Array<number>(12).fill(200)]);
	});
});

/** Form data whose field `file` is a text. */
const asText = () => {
	const body = new FormData();
	body.append('file', 'picture');
	const headers = { authorization: `Bearer ${it.sandbox.key}` };
	return ask(`${it.sandbox.url}/v1/uploads/images`, { method: 'POST', headers, body });
};
const tooMany = (bytes: number) => async () =>
	await upload(it.sandbox, await pictureOf(LIMIT + bytes));
const pdf = async () =>
	await upload(it.sandbox, Buffer.from('%PDF-1.7 and so on'), { filename: 'a.png' });
const elsewhere = async () => await upload(it.sandbox, await plainImage('png'), { field: 'image' });

test.each<[string, () => Promise<Answer>, RegExp]>([
	['it has one byte too many', tooMany(1), /20971520/],
	['it is far too large', tooMany(5_000_000), /20971520/],
	['its content is of another type than its name', pdf, /jpeg, png, gif/],
	['the file is in another field', elsewhere, /"file"/],
	['"file" is a text', asText, /"file"/],
	['the file is empty', () => upload(it.sandbox, Buffer.alloc(0)), /"file"/],
	['it is JSON', () => it.client.post('/v1/uploads/images', { file: 'x' }), /multipart/],
])('an upload is refused, without a code in the error, when %s', async (_what, send, reason) => {
	const answer = await send();
	const message = expect.stringMatching(reason) as string;
	expect(answer.status).toBe(400);
	expect(answer.body).toEqual({ error: { message, type: 'invalid_request_error' } });
});

test('an upload by a request without a key is 401', async () => {
	expect((await upload(it.sandbox, await plainImage('png'), { key: 'wrong' })).status).toBe(401);
});
