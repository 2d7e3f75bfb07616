import { writeFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';

import type { IBinaryData, IHttpRequestOptions } from 'n8n-workflow';

import { type Connection, readConnection } from '../../../../nodes/shared/api/connection';
import {
	downloadFile,
	type DownloadContext,
	type Downloads,
	openFile,
} from '../../../../nodes/shared/output/download';
import type { ResultFile } from '../../../../nodes/shared/output/resultFiles';
import { clock, setClock } from '../../../../nodes/shared/util/clock';
import { fastClock, jumpingClock } from '../../../engine/support/clocks';
import { nodeOf } from '../../../support/node';

const file: ResultFile = {
	index: 1,
	kind: 'audio',
	url: 'https://files.example.com/1',
	name: null,
	expiresAt: null,
};

const connection = readConnection({ baseUrl: 'https://api.example.com', apiKey: 'k' });

const node = nodeOf('Music');

const n8nWith = (helpers: DownloadContext['helpers']): DownloadContext => ({
	getNode: () => node,
	helpers,
});

/** An n8n whose HTTP client gives `body`, and whose binary storage is `store`. */
function contextOf(
	body: Readable | (() => Readable),
	store: (content: Readable) => Promise<IBinaryData>,
	seen: IHttpRequestOptions[] = [],
): DownloadContext {
	return n8nWith({
		httpRequest: async (options) => {
			seen.push(options);
			return await Promise.resolve({
				statusCode: 200,
				headers: { 'content-type': 'audio/mpeg; charset=x' },
				body: typeof body === 'function' ? body() : body,
			});
		},
		prepareBinaryData: async (content) => await store(content as Readable),
	});
}

const rules = {
	maxDownloadSize: 256,
	deadline: Infinity,
	/** Each run has its own. */
	get silentHosts() {
		return new Set<string>();
	},
};

/** Downloads the file, or that of another link, by these rules. */
const download = async (
	context: DownloadContext,
	{ url = file.url, ...more }: Partial<Downloads> & { url?: string } = {},
) => await downloadFile({ context, connection, ...rules, ...more }, { ...file, url }, 'song');

const lost = Object.assign(new Error('x'), { code: 'ECONNRESET' });

afterEach(() => setClock(undefined));

test('the bytes are counted on their way, and the storage gets the very stream that came, not a copy', async () => {
	const chunks = [Buffer.alloc(70_000, 1), Buffer.alloc(5, 2)];
	const body = Readable.from(chunks);
	const received: Buffer[] = [];
	const store = async (content: Readable) => {
		expect(content).toBe(body);
		for await (const chunk of content) received.push(chunk as Buffer);
		return { data: '', mimeType: 'audio/mpeg' };
	};
	const { fileSize, fileName, mimeType } = await download(contextOf(body, store));
	expect([fileSize, fileName, mimeType]).toEqual([70_005, 'song.mp3', 'audio/mpeg']);
	expect(received.map((chunk, at) => chunk === chunks[at])).toEqual([true, true]);
});

/** A server as n8n's HTTP client shows it: what each request is answered, the last one again and again. */
type Answer = { statusCode: number; headers?: object; text?: string } | Error;

function serverOf(...answers: Answer[]) {
	const seen: IHttpRequestOptions[] = [];
	const bodies: Readable[] = [];
	const context = n8nWith({
		async httpRequest(options) {
			seen.push(options);
			const answer = answers.length > 1 ? answers.shift() : answers[0];
			if (answer === undefined || answer instanceof Error) throw answer ?? new Error('No answer');
			const body = Readable.from([answer.text ?? 'x']);
			bodies.push(body);
			const { statusCode, headers } = answer;
			return await Promise.resolve({ statusCode, headers, body });
		},
		prepareBinaryData: async (content) => ({
			data: (await buffer(content as Readable)).toString(),
			mimeType: 'application/x-guessed',
		}),
	});
	return { context, seen, bodies, urls: () => seen.map(({ url }) => url) };
}

const redirect = (location: unknown, statusCode = 302): Answer => ({
	statusCode,
	headers: { location },
});

describe('Opening a file', () => {
	test('asks for a stream, and has a minute for the first byte', async () => {
		const { context, seen } = serverOf({ statusCode: 200 });
		const { signal } = new AbortController();
		await openFile(context, file.url, connection, signal);
		expect(seen[0]).toEqual({
			...{
				method: 'GET',
				url: file.url,
				encoding: 'stream',
				returnFullResponse: true,
				ignoreHttpStatusErrors: true,
			},
			...{
				disableFollowRedirect: true,
				abortSignal: signal,
				timeout: 60_000,
				headers: { 'accept-encoding': 'identity' },
			},
		});
	});

	test.each([200, 206, 299])('takes the status %d', async (statusCode) => {
		expect(
			(await openFile(serverOf({ statusCode }).context, file.url, connection)).statusCode,
		).toBe(statusCode);
	});

	test.each<[Answer, string]>([
		[{ statusCode: 199 }, 'The response could not be read (HTTP 199)'],
		[{ statusCode: 404 }, 'File not found'],
		[redirect('https://files.example.com/2', 400), 'The link does not work (HTTP 400)'],
		[{ statusCode: 403 }, 'The link does not work (HTTP 403)'],
		[{ statusCode: 410 }, 'The link does not work (HTTP 410)'],
		[{ statusCode: 429 }, 'Rate limit reached'],
		[redirect(undefined), 'The response could not be read (HTTP 302)'],
		[redirect(['https://files.example.com/2']), 'The response could not be read (HTTP 302)'],
		[redirect('https://files.example.com/2', 199), 'The response could not be read (HTTP 199)'],
		[redirect('http://[x'), 'the link is not a full http or https URL'],
	])('refuses %j and drops what comes', async (answer, message) => {
		const { context, bodies, seen } = serverOf(answer);
		await expect(openFile(context, file.url, connection)).rejects.toThrow(message);
		expect(bodies.map(({ destroyed }) => destroyed)).toStrictEqual([true]);
		expect(seen).toHaveLength(1);
	});

	test.each([300, 301, 302, 307, 308, 399])(
		'follows a redirect with the status %d, also a relative one',
		async (statusCode) => {
			const { context, urls, bodies } = serverOf(
				redirect('https://cdn.example.com/a/1?x=1', statusCode),
				redirect('../2', statusCode),
				{ statusCode: 200 },
			);
			await openFile(context, file.url, connection);
			expect(urls()).toEqual([
				file.url,
				'https://cdn.example.com/a/1?x=1',
				'https://cdn.example.com/2',
			]);
			expect(bodies.map(({ destroyed }) => destroyed)).toStrictEqual([true, true, false]);
		},
	);

	test('follows five redirects and no more', async () => {
		const five = Array<Answer>(5).fill(redirect('/next'));
		expect(
			(await openFile(serverOf(...five, { statusCode: 200 }).context, file.url, connection))
				.statusCode,
		).toBe(200);
		await expect(
			openFile(
				serverOf(...five, redirect('/next'), { statusCode: 200 }).context,
				file.url,
				connection,
			),
		).rejects.toThrow('The file was not downloaded: the link redirects more than 5 times');
	});

	const ownNetwork = readConnection({ baseUrl: 'http://10.0.0.5:8080', apiKey: 'k' });
	const allowed: Connection = { ...connection, allowPrivateCallbacks: true };
	const unknown: Connection = { ...connection, baseUrl: '' };

	test.each<[string, string, Connection]>([
		['a service on the own network', 'http://10.0.0.5:8080/1', ownNetwork],
		['another host of the own network, if that is allowed', 'http://10.0.0.6/1', allowed],
	])('fetches from %s', async (_, url, by) => {
		expect((await openFile(serverOf({ statusCode: 200 }).context, url, by)).statusCode).toBe(200);
	});

	test.each<[string, string, Connection]>([
		['the link leads to the private host 10.0.0.6', 'http://10.0.0.6/1', connection],
		['the link leads to the private host 10.0.0.5', 'http://10.0.0.5:22/1', ownNetwork],
		['the link leads to the private host 10.0.0.5', 'http://10.0.0.5/1', unknown],
		['the link is not a full http or https URL', 'file:///etc/passwd', allowed],
	])('does not where %s', async (words, url, by) => {
		const { context, seen } = serverOf({ statusCode: 200 });
		await expect(openFile(context, url, by)).rejects.toThrow(
			`The file was not downloaded: ${words}`,
		);
		expect(seen).toEqual([]);
	});
});

describe('A download that goes wrong', () => {
	let time: ReturnType<typeof jumpingClock>;
	let began = 0;

	beforeEach(() => {
		time = jumpingClock();
		began = time.now();
		setClock(time);
	});

	test('for good is not tried again', async () => {
		const { context, seen } = serverOf({ statusCode: 404 });
		await expect(download(context)).rejects.toThrow('File not found');
		expect(seen).toHaveLength(1);
	});

	test('is tried again as long as a rate limit lasts, each half a minute at most, until the deadline', async () => {
		const limited: Answer = { statusCode: 429, headers: { 'retry-after': '3600' } };
		const { context, seen } = serverOf(...Array<Answer>(8).fill(limited), {
			statusCode: 200,
			text: 'song',
		});
		const patient = { deadline: began + 600_000 };
		expect((await download(context, patient)).binary.data).toBe('song');
		expect(seen).toHaveLength(9);
		const waited = time.now() - began;
		expect(waited).toBeGreaterThanOrEqual(8 * 30_000);
		expect(waited).toBeLessThan(9 * 30_000);
	});

	test('ends with the end of all attempts, also while it goes on', async () => {
		const { helpers } = serverOf({ statusCode: 200 }).context;
		const context = n8nWith({ ...helpers, httpRequest: async () => await new Promise(() => {}) });
		const short = { end: clock.now() + 300 };
		await expect(download(context, short)).rejects.toThrow('The download took too long');
	});

	test('is not tried again after the end of all attempts', async () => {
		const limited: Answer = { statusCode: 429, headers: { 'retry-after': '5' } };
		const { context, seen } = serverOf(limited, { statusCode: 200, text: 'song' });
		const short = { end: began + 4_999 };
		await expect(download(context, short)).rejects.toThrow('Rate limit reached');
		expect(seen).toHaveLength(1);
	});

	test('is not tried again after the deadline', async () => {
		const limited: Answer = { statusCode: 429, headers: { 'retry-after': '5' } };
		const late = serverOf(limited, { statusCode: 200 });
		await expect(download(late.context, { deadline: began + 4_999 })).rejects.toThrow(
			'Rate limit reached',
		);
		expect(late.seen).toHaveLength(1);
		const inTime = serverOf(limited, { statusCode: 200 });
		expect((await download(inTime.context, { deadline: began + 5_000 })).fileSize).toBe(1);
	});

	test('is not tried again after a cancel', async () => {
		const cancel = new AbortController();
		cancel.abort();
		const { context, seen } = serverOf(lost);
		await expect(download(context, { signal: cancel.signal })).rejects.toThrow(
			'The execution was canceled',
		);
		expect(seen).toHaveLength(1);
	});
});

test('a size in the headers that is the limit is no reason to refuse a file', async () => {
	const sized = (size: number) =>
		serverOf({ statusCode: 200, headers: { 'content-length': String(size) } });
	const limit = { maxDownloadSize: 2 };
	expect((await download(sized(2_000_000).context, limit)).fileSize).toBe(1);
	const larger = sized(2_000_001);
	await expect(download(larger.context, limit)).rejects.toThrow(
		'The file was not downloaded: it is larger than the 2 MB that "Max Download Size" allows',
	);
	expect(larger.bodies[0]?.destroyed).toBe(true);
	expect(larger.seen).toHaveLength(1);
});

describe('A download ends, also with a storage that waits for the end of its stream without looking for its loss', () => {
	beforeEach(() => setClock(fastClock(100)));

	/** As n8n keeps data in memory, in the database and in S3. */
	const collect = async (content: Readable, late = 0) =>
		await new Promise<IBinaryData>((resolve, reject) => {
			const chunks: Buffer[] = [];
			const start = () => {
				content.on('data', (chunk: Buffer) => chunks.push(chunk));
				content.on('end', () => resolve({ data: Buffer.concat(chunks).toString(), mimeType: '' }));
				content.once('error', reject);
			};
			setTimeout(start, late);
		});

	test.each([0, 50])('whose reader comes after %d ms', async (late) => {
		const body = Readable.from([Buffer.from('first '), Buffer.from('second')]);
		const { binary, fileSize } = await download(
			contextOf(body, async (content) => await collect(content, late)),
		);
		expect([binary.data, fileSize]).toEqual(['first second', 12]);
	});

	test.each<[string, (body: Readable) => void]>([
		['with an error', (body) => body.destroy(lost)],
		['without an error', (body) => body.destroy()],
	])('whose stream breaks off %s before it is read', async (_, breakOff) => {
		const body = new Readable({ read: () => {} });
		const store = async (content: Readable) => {
			breakOff(content);
			return await collect(content, 20);
		};
		await expect(download(contextOf(body, store))).rejects.toThrow('lost');
	});

	test('whose stream was gone before', async () => {
		const body = new Readable({ read: () => {} }).destroy();
		await expect(download(contextOf(body, collect))).rejects.toThrow('lost');
	});
});

describe('A download that stops in the middle', () => {
	/** A minute is twelve turns of the process. */
	beforeEach(() => setClock(fastClock(1_000)));

	const began = () => {
		const body = new Readable({ read: () => {} });
		body.push('first');
		return body;
	};

	const store = async (content: Readable) => ({
		data: (await buffer(content)).toString(),
		mimeType: '',
	});

	test('is broken off also where the stream does not tell that it was', async () => {
		const next = () => {
			const body = began();
			body.destroy = () => body;
			return body;
		};
		const downloading = download(contextOf(next, store));
		await expect(downloading).rejects.toThrow('The download stopped: no data for 60 seconds');
	});

	test('says so when the execution was canceled', async () => {
		const cancel = new AbortController();
		void clock.sleep(10_000).then(() => cancel.abort());
		const downloading = download(contextOf(began(), store), { signal: cancel.signal });
		await expect(downloading).rejects.toThrow('The execution was canceled');
	});
});

test.each([
	['ten minutes', 0, 600_000],
	['until the deadline of its run, if that is later', 3_600_000, 3_600_000],
])('A download has %s', async (_, untilDeadline, ms) => {
	const time = jumpingClock();
	const limits: number[] = [];
	setClock({ ...time, toHostMs: (limit) => (limits.push(limit), limit) });
	await download(serverOf({ statusCode: 200 }).context, { deadline: time.now() + untilDeadline });
	expect(limits).toEqual([ms, 60_000]);
});

describe('A storage that cannot take the file', () => {
	/** Writes as n8n's storage on disk does, to a device that is always full. */
	const onFullDisk = async (content: Readable) => {
		await writeFile('/dev/full', content);
		return { data: '', mimeType: '' };
	};

	const refusing = (error: object) => async () =>
		await Promise.reject<IBinaryData>(Object.assign(new Error('x'), error));

	const storedOnce = async (store: (content: Readable) => Promise<IBinaryData>, url = file.url) => {
		const seen: IHttpRequestOptions[] = [];
		const body = Readable.from([Buffer.alloc(100_000), Buffer.alloc(100_000)]);
		const downloading = download(contextOf(body, store, seen), { url });
		return {
			message: await downloading.catch((error: Error) => error.message),
			requests: seen.length,
		};
	};

	const storage = (state: string) =>
		`The file could not be stored: n8n's storage for files ${state}`;

	test('is named also for a result that stands in the record', async () => {
		expect(await storedOnce(onFullDisk, 'data:audio/mpeg;base64,AAAA')).toEqual({
			message: storage('is full'),
			requests: 0,
		});
	});

	test('for a reason that may pass is tried again, and the reason is said', async () => {
		setClock(jumpingClock());
		const refused = await storedOnce(refusing({ message: 'Access Denied' }));
		const message = 'The file could not be stored: Access Denied';
		expect(refused).toEqual({ message, requests: 5 });
	});
});
