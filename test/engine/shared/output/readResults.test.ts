import type { INodeParameters } from 'n8n-workflow';

import { MediaGenImage } from '../../../../nodes/MediaGenImage/MediaGenImage.node';
import { fastClock } from '../../support/clocks';
import { describeInEachBinaryDataMode, readBinary, runNode } from '../../support/engine';
import { generatePicture } from '../../support/generatePicture';
import { runnerOf } from '../../support/operations';
import { pauseNode } from '../../support/pausedExecution';
import { fileItem, picture } from '../../support/sandbox';
import { file, type Reply, useScriptedService } from '../../support/scriptedService';
import { accepted } from '../../support/scriptedTasks';
import { goOn, retryOnFail } from '../../support/settings';

const service = useScriptedService(() => fastClock(200));

const RECORD = '/v1/tasks/*';

/** What Task: Get gives out for a completed record. */
async function get(result: unknown, parameters: INodeParameters = {}, fields: object = {}) {
	service.on('GET', RECORD, {
		json: { code: 200, data: { id: 'task_1', status: 'completed', result, ...fields } },
	});
	return await runnerOf(service)('image.task.get', { taskId: 'task_1', ...parameters }, goOn);
}

const images = (...urls: string[]) => ({ images: [{ url: urls }] });

const contentOf = async (binary: Parameters<typeof readBinary>[0]) =>
	(await readBinary(binary)).toString();

describeInEachBinaryDataMode(() => {
	test('a relative link is downloaded from the base URL', async () => {
		service.on('GET', '/files/1.png', file('one', 'image/png'));
		const { json, items } = await get(images('/files/1.png'));
		expect(json[0]).toMatchObject({ url: `${service.url}/files/1.png` });
		expect(await contentOf(items[0]?.binary?.data)).toBe('one');
		const stored = { fileName: 'image-task_1-1.png', mimeType: 'image/png' };
		expect(items[0]?.binary?.data).toMatchObject(stored);
	});

	test.each([
		['/files/1.jpeg', 'binary/octet-stream', 'image/jpeg', 'image-task_1-1.jpg'],
		['/files/1.MP3?sign=a.png', 'application/octet-stream', 'audio/mpeg', 'image-task_1-1.mp3'],
		['/files/1.webm', '', 'video/webm', 'image-task_1-1.webm'],
		['/files/1', '', 'application/octet-stream', 'image-task_1-1'],
		['/files/1.xyz', '', 'chemical/x-xyz', 'image-task_1-1.xyz'],
		['/files/1.png', 'image/gif', 'image/gif', 'image-task_1-1.gif'],
	])('the type of %s that comes as "%s" is %s', async (link, type, mimeType, fileName) => {
		service.on('GET', '/files/*', file('one', type));
		const { json, items } = await get(images(link), { output: 'files' });
		expect(items[0]?.binary?.data).toMatchObject({ mimeType, fileName });
		expect(json[0]).toMatchObject({ mimeType, fileName });
	});

	test.each([
		['poster.PNG', '/files/1', 'application/octet-stream', 'image/png', 'poster.png'],
		['poster.png', '/files/1', 'image/webp', 'image/webp', 'poster.webp'],
		['poster.png', '/files/1.jpg', '', 'image/jpeg', 'poster.jpg'],
		['poster.mp3', '/files/1', '', 'application/octet-stream', 'poster'],
	])('a picture called %s, from %s as "%s", is %s', async (own, link, type, mimeType, fileName) => {
		service.on('GET', '/files/*', file('one', type));
		const { items } = await get(images(link), { options: { fileName: own } });
		expect(items[0]?.binary?.data).toMatchObject({ mimeType, fileName });
	});

	test('a data URL and base64 become files', async () => {
		const content = Buffer.from('one picture of many').toString('base64');
		const asUrl = { url: `data:image/jpeg;base64,${encodeURIComponent(content)}` };
		const asText = { b64_json: content, mime_type: 'IMAGE/PNG' };
		const { items } = await get({ images: [asUrl, asText] });
		expect(await contentOf(items[0]?.binary?.data)).toBe('one picture of many');
		const stored = { fileName: 'image-task_1-1.jpg', mimeType: 'image/jpeg' };
		expect(items[0]?.binary?.data).toMatchObject(stored);
		expect(await contentOf(items[0]?.binary?.data_2)).toBe('one picture of many');
		expect(items[0]?.binary?.data_2).toMatchObject({ mimeType: 'image/png' });
	});

	test.each([
		['%3Csvg width="100%"%2f> é', '<svg width="100%"/> é'],
		['%ff%00', '\u00ff\u0000'],
	])('a data URL of the text %s becomes a file', async (text, content) => {
		const { items } = await get({ images: [{ url: `data:image/svg+xml,${text}` }] });
		const encoding = text.includes('é') ? 'utf8' : 'latin1';
		expect((await readBinary(items[0]?.binary?.data)).toString(encoding)).toBe(content);
	});

	test.each([0, 1])(
		'of two links the one that is dead, at %d, does not drop the other, and is named in the notes',
		async (dead) => {
			const urls = ['/1.png', '/2.png'].map((path) => service.url + path);
			service.on('GET', '/1.png', dead === 0 ? { status: 404 } : file('one', 'image/png'));
			service.on('GET', '/2.png', dead === 1 ? { status: 401 } : file('two', 'image/png'));
			const { json, items } = await get(images(...urls));
			expect(json[0]).not.toHaveProperty('error');
			expect(json[0]?.notes).toEqual([expect.stringContaining(`Its link is ${urls[dead]}`)]);
			expect(Object.keys(items[0]?.binary ?? {})).toEqual([dead === 0 ? 'data_2' : 'data']);
			const perFile = await get(images(...urls), { output: 'files' });
			expect(perFile.items.map(({ binary }) => binary?.data !== undefined)).toEqual([
				dead !== 0,
				dead !== 1,
			]);
		},
	);

	test('where all links are dead, the item fails', async () => {
		const { json } = await get(images(`${service.url}/1.png`, `${service.url}/2.png`));
		const message = 'File not found [row 1 (item 0)]';
		expect(json[0]).toMatchObject({ taskId: 'task_1', error: { message } });
	});

	test('a link of the API beside a finished picture is not followed', async () => {
		service.on('GET', '/1.png', file('one', 'image/png'));
		const { json, items } = await get(
			images(`${service.url}/1.png`),
			{},
			{ urls: { get: `${service.url}/v1/tasks/task_1`, cancel: `${service.url}/cancel` } },
		);
		expect(json[0]?.results).toHaveLength(1);
		expect(Object.keys(items[0]?.binary ?? {})).toEqual(['data']);
	});

	const part = (content: string, range: string): Reply => ({
		status: 206,
		text: Buffer.from(content),
		headers: { 'content-type': 'image/png', 'content-range': range },
	});
	const refusal =
		'<?xml version="1.0" encoding="UTF-8"?>\n<Error><Message>Das Kürzel ist abgelaufen</Message></Error>';
	const latin1 = (content: string, type: string) => file(Buffer.from(content, 'latin1'), type);
	const page = '<!DOCTYPE html><html><body>Please log in</body></html>';
	const isPage = 'it is a page or a message';
	const typeIs = 'the content type is';

	test.each<[string, Reply, string]>([
		['a page', file(page, 'text/html; charset=utf-8'), isPage],
		['a page that is called a picture', file(`\n ${page}`, 'image/png'), isPage],
		['a message that is called one', file('{ "detail": "expired" }', 'image/png'), isPage],
		["storage's refusal that is called one", file(refusal, 'image/png'), isPage],
		['a message', { json: { detail: 'expired' } }, isPage],
		['a list of messages', { json: ['expired'] }, `${typeIs} application/json`],
		[
			'a page in another encoding',
			latin1('<p>verfügbar nicht</p>', 'text/html'),
			`${typeIs} text/html`,
		],
		["storage's refusal", file('<refused/>', 'application/xml'), `${typeIs} application/xml`],
		['a sentence', file('Link expired', 'text/plain'), `${typeIs} text/plain`],
		['nothing', file('', 'image/png'), 'it is empty'],
		['202', { ...file('not yet', 'image/png'), status: 202 }, 'it is not there yet (HTTP 202)'],
		['204', { status: 204 }, 'the answer is empty (HTTP 204)'],
		['half of it', part('half', 'bytes 0-3/8'), 'only a part of it came (HTTP 206)'],
		['a part', { ...file('half', 'image/png'), status: 206 }, 'only a part of it came (HTTP 206)'],
	])('%s is no picture: tried again, and then the item fails', async (_, reply, reason) => {
		service.on('GET', '/1.png', reply);
		const { json, items } = await get(images(`${service.url}/1.png`));
		expect(json[0]).toMatchObject({
			taskId: 'task_1',
			error: { message: `The link did not give a file: ${reason} [row 1 (item 0)]` },
		});
		expect(items[0]?.binary).toBeUndefined();
		const attempts = service.sent('GET', '/1.png');
		expect(attempts).toHaveLength(5);
		// 1, 2, 4, and 8 seconds, or half of that.
		expect((attempts[4]?.at ?? 0) - (attempts[0]?.at ?? 0)).toBeGreaterThan(7_000);
		service.on('GET', '/1.png', reply, file('one', 'image/png'));
		expect(
			await contentOf((await get(images(`${service.url}/1.png`))).items[0]?.binary?.data),
		).toBe('one');
	});

	test.each([
		['lyric_url', '/lyrics/1', file('la la la', 'text/plain')],
		['aligned_lyrics_url', '/aligned/1', { json: { words: [] } }],
		['score_url', '/score/1', file('<?xml version="1.0"?><score/>', 'application/xml')],
		['timedLyricsUrl', '/timed/1', file('[00:01] la', 'text/plain')],
		['extra_url', '/1.srt', file('1\n00:00 --> 00:01', 'text/plain')],
	])('a text beside a picture, in %s at %s, is a file, read once', async (field, path, reply) => {
		service.on('GET', '/1.png', file('one', 'image/png'));
		service.on('GET', path, reply);
		const result = { ...images(`${service.url}/1.png`), [field]: service.url + path };
		const { json, items } = await get(result);
		expect(json[0]).not.toHaveProperty('notes');
		expect(await contentOf(items[0]?.binary?.data_2)).toBe(String(reply.text ?? '{"words":[]}'));
		expect(service.sent('GET', path)).toHaveLength(1);
	});

	test.each<[string, string, Reply, string]>([
		['a page', '/lyrics/1', file(page, 'text/html'), isPage],
		['a piece of one', '/lyrics/1', file('<h1>Forbidden</h1>', 'text/html'), typeIs],
		['a message', '/lyrics/1', { json: { error: 'expired' } }, isPage],
		['a message under the name of a picture', '/lyrics.png', { json: { text: 'expired' } }, isPage],
	])('%s in place of such a text is none', async (_, path, reply, reason) => {
		service.on('GET', '/1.png', file('one', 'image/png'));
		service.on('GET', path, reply);
		const result = { ...images(`${service.url}/1.png`), lyric_url: service.url + path };
		expect((await get(result)).json[0]?.notes).toEqual([expect.stringContaining(reason)]);
	});

	test.each(['text/plain', 'application/xml', 'text/html', 'application/json'])(
		'a picture called %s is one',
		async (type) => {
			service.on('GET', '/1.png', file('\u0089PNG\r\n\u001a\n\0\0', type));
			const { json, items } = await get(images(`${service.url}/1.png`));
			expect(json[0]).not.toHaveProperty('error');
			expect(items[0]?.binary?.data?.fileName).toBe('image-task_1-1.png');
		},
	);

	test('all of it as a part is a picture', async () => {
		service.on('GET', '/1', part('whole', 'bytes 0-4/5'));
		const { items } = await get(images(`${service.url}/1`));
		expect(await contentOf(items[0]?.binary?.data)).toBe('whole');
	});

	test.each([
		['image/jpg', 'image/jpeg', 'jpg'],
		['IMAGE/PNG; q=1', 'image/png', 'png'],
		['audio/mp3', 'audio/mpeg', 'mp3'],
		['Audio/X-M4A', 'audio/mp4', 'm4a'],
	])('the content type %s is %s', async (type, mimeType, extension) => {
		service.on('GET', '/1', file('one', type));
		const { items } = await get(images(`${service.url}/1`));
		const fileName = `image-task_1-1.${extension}`;
		expect(items[0]?.binary?.data).toMatchObject({ mimeType, fileName });
	});
});

test('what stands beside a link comes out in its file item', async () => {
	const stem = { stem_type: 'drums', duration: 91.5, status: 'x' };
	const stems = [{ ...stem, url: 'https://files.example.com/d.wav' }];
	const { json } = await get({ stems }, { output: 'files', downloadFiles: false });
	const beside = { name: 'drums', stemType: 'drums', duration: 91.5 };
	expect(json[0]).toMatchObject({ ...beside, status: 'completed', taskId: 'task_1' });
});

test('a completed record without a file says so, and comes out with it', async () => {
	const record = { id: 'task_1', status: 'completed', result: { ticket: { number: 7 } } };
	const { json } = await get(record.result, { downloadFiles: false });
	expect(json[0]).toMatchObject({
		results: [],
		record,
		notes: [
			'The service calls task task_1 completed, but its record has no file that this node can read. It is in the field "record".',
		],
	});
});

describe("The request's own links are no results", () => {
	const reference = 'https://files.example.com/reference.png';
	const made = 'https://files.example.com/made.png';
	const result = { source: { url: reference }, images: [{ url: [made] }] };
	const record: Reply = { json: { code: 200, data: { status: 'completed', result } } };

	const run = (waitMode: string) => ({
		node: new MediaGenImage(),
		parameters: {
			...generatePicture,
			...{ downloadFiles: false, waitMode },
			options: { additionalBodyFields: JSON.stringify({ image_urls: [reference] }) },
		},
		credential: service.credential(),
	});

	test('after a retry, which takes the task up', async () => {
		service.on('POST', '*', accepted('task_1'));
		service.on('GET', RECORD, { status: 403 }, record);
		const { json } = await runNode({ ...run('poll'), ...retryOnFail });
		expect(service.sent('POST', '*')).toHaveLength(1);
		expect(json[0]?.results).toEqual([expect.objectContaining({ index: 1, url: made })]);
	});

	test("after a pause's time limit the input's picture does not come out as the task's", async () => {
		service.on('POST', '*', accepted('task_1'));
		service.on('GET', RECORD, { json: { code: 200, data: { status: 'in_progress' } } });
		const items = [await fileItem(await picture(8, 8))];
		const execution = await pauseNode({ ...run('callback'), items });
		const { items: woken, run: data } = await execution.timeLimit();
		expect(woken[0]?.json).toMatchObject({ taskId: 'task_1', status: 'submitted' });
		expect(woken[0]?.binary).toBeUndefined();
		expect(JSON.stringify(data.data.resultData.runData.Start)).toContain('picture.png');
	});
});
