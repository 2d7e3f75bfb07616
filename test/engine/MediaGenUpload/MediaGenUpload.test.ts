import type { IBinaryData, INodeExecutionData } from 'n8n-workflow';
import { truncate } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

import { MediaGenUpload } from '../../../nodes/MediaGenUpload/MediaGenUpload.node';
import { UPLOAD_MAX_BYTES } from '../../../nodes/shared/api/uploads';
import { type LocalServer, openServer } from '../../support/server';
import {
	describeInEachBinaryDataMode,
	ok,
	runNode,
	setBinaryDataMode,
	storedPath,
} from '../support/engine';
import { expectRefused, fileItem, picture, useSandbox } from '../support/sandbox';
import { useScriptedService } from '../support/scriptedService';
import { goOn } from '../support/settings';

const service = useSandbox();
const scripted = useScriptedService();

const PATH = '/v1/uploads/images';

async function run(
	parameters: object,
	items = [{ json: {} }],
	settings = {},
	credential = {},
	binaryMode: 'separate' | 'combined' = 'separate',
) {
	return await runNode({
		node: new MediaGenUpload(),
		parameters: {
			resource: 'image',
			operation: 'upload',
			source: 'binary',
			binaryPropertyName: 'data',
			...parameters,
		},
		items,
		credential: { ...service.credential(), ...credential },
		settings,
		workflowSettings: { binaryMode },
	});
}

/** A picture with so many bytes more than the service takes. */
async function pictureOver(bytes: number): Promise<Buffer> {
	const head = await picture(8, 8);
	return Buffer.concat([head, Buffer.alloc(UPLOAD_MAX_BYTES - head.length + bytes)]);
}

test('a name whose expression fails for the first item fails that item alone', async () => {
	const items = [{ row: 'bad' }, { row: 'good' }].map((json) => ({ json }));
	const files = await Promise.all(
		items.map(async (item) => ({ ...(await fileItem(await picture(8, 8))), ...item })),
	);
	const fileName = "={{ $json.row === 'bad' ? $('Nowhere').first().json.x : 'good.png' }}";
	const { json } = await run({ options: { fileName } }, files, goOn.settings);
	expect(json.map(({ error }) => error !== undefined)).toEqual([true, false]);
});

test('nothing is sent where a later row has a mistake', async () => {
	const good = await fileItem(await picture(8, 8));
	const { error } = await run({}, [good, { json: {} }]);
	expect(error?.message).toContain('[row 2 (item 1)]');
	const url = "={{ $itemIndex === 0 ? 'https://example.com/lake.png' : 'lake.png' }}";
	const { error: byUrl } = await run({ source: 'url', url }, [{ json: {} }, { json: {} }]);
	expect(byUrl?.message).toBe('"URL" must be a full http or https URL [row 2 (item 1)]');
	expect(byUrl?.description).toContain('Nothing was sent');
	const { error: byHost } = await run(
		{ source: 'url', url: "={{ $itemIndex === 0 ? 'http://127.0.0.1:9' : 'http://10.0.0.1' }}" },
		[{ json: {} }, { json: {} }],
		{},
		{ allowPrivateCallbacks: false, baseUrl: 'http://127.0.0.1:9' },
	);
	expect(byHost?.message).toContain('private host 10.0.0.1');
	expect(service.sandbox.requests.list()).toEqual([]);
});

test.each<[string, object, string]>([
	['nothing', {}, 'The item has no file. A node before this one, such as Edit Fields'],
	['an error', { json: { error: { message: 'Too loud' } } }, 'has an error in place of a file'],
	['a file elsewhere', { binary: { photo: {} } }, 'Give the name of a field that it has: "photo".'],
])('an item that has %s: the error says what to do', async (_, given, words) => {
	const { error } = await run({}, [{ json: {}, ...given }]);
	expect(error?.message).toContain('no binary data in the field "data"');
	expect(error?.description).toContain(words);
});

test('a row with a mistake is an error item beside those that are uploaded, if the node continues', async () => {
	const good = await fileItem(await picture(8, 8));
	const { json } = await run({}, [good, { json: {} }, good], goOn.settings);
	expect(json.map(({ error }) => error !== undefined)).toEqual([false, true, false]);
});

describeInEachBinaryDataMode(() => {
	test.each([
		['png', 'image/png'],
		['jpeg', 'image/jpeg'],
		['webp', 'image/webp'],
		['gif', 'image/gif'],
	] as const)('a %s gets a public URL and the date at which it dies', async (format, type) => {
		const content = await picture(40, 30, format);
		const { json } = ok(
			await run({}, [await fileItem(content, 'holiday "1".bin', 'application/octet-stream')]),
		);
		expect(json[0]).toMatchObject({
			contentType: type,
			bytes: content.length,
			url: expect.stringMatching(/^http/),
		});
		const hours =
			(Date.parse(String(json[0]?.expiresAt)) / 1000 - Number(json[0]?.createdAt)) / 3600;
		expect(hours).toBe(72);
		const stored = await fetch(String(json[0]?.url));
		expect(Buffer.from(await stored.arrayBuffer()).equals(content)).toBe(true);
	});

	test('a service that states when its link dies is believed', async () => {
		const url = 'https://example.com/a.png';
		scripted.on('POST', PATH, { json: { url, expires_at: 1_767_225_600 } });
		const items = [await fileItem(await picture(8, 8))];
		const { json } = await run({}, items, {}, scripted.credential());
		expect(json).toMatchObject([{ url, expiresAt: '2026-01-01T00:00:00.000Z' }]);
	});

	test('the largest picture the service takes goes through whole', async () => {
		const { json } = await run({}, [await fileItem(await pictureOver(0))]);
		expect(json[0]).toMatchObject({ bytes: UPLOAD_MAX_BYTES });
	});

	test('one byte more is refused before it is sent', async () => {
		const result = await run({}, [await fileItem(await pictureOver(1))]);
		expectRefused(service, result, `has ${UPLOAD_MAX_BYTES + 1} bytes`);
	});
});

describeInEachBinaryDataMode(() => {
	/** A service whose first request meets a fault, and that takes the ones that follow. */
	let fault: (request: IncomingMessage, response: ServerResponse) => void;
	let bodies: Buffer[] = [];
	let requests = 0;
	let server: Server;
	beforeAll(async () => {
		server = createServer((request, response) => {
			requests += 1;
			if (requests === 1) {
				fault(request, response);
				return;
			}
			const pieces: Buffer[] = [];
			request.on('data', (piece: Buffer) => pieces.push(piece));
			request.on('end', () => {
				bodies.push(Buffer.concat(pieces));
				response.end(JSON.stringify({ url: 'https://files.test/a.png' }));
			});
		});
		await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	});
	beforeEach(() => {
		bodies = [];
		requests = 0;
	});
	afterAll(async () => await new Promise((resolve) => server.close(resolve)));

	const large = async () =>
		Buffer.concat([await picture(8, 8), Buffer.alloc(12_000_000, 'The rest of it. ')]);
	const sendTo = async (items: INodeExecutionData[]) => {
		const { port } = server.address() as AddressInfo;
		return await run({}, items, {}, { baseUrl: `http://127.0.0.1:${port}` });
	};

	test.each<[string, typeof fault]>([
		[
			'breaks in the middle of it',
			(request) => void request.once('data', () => request.socket.destroy()),
		],
		[
			'is answered before all of it is there',
			(request, response) =>
				void request.once('data', () => {
					response.writeHead(503, { connection: 'close' }).end();
					request.resume();
				}),
		],
	])('a picture whose request %s is sent again, whole', async (_, given) => {
		fault = given;
		const content = await large();
		const { json } = ok(await sendTo([await fileItem(content)]));
		expect(json[0]).toMatchObject({ url: 'https://files.test/a.png' });
		expect(bodies).toHaveLength(1);
		expect(bodies[0]?.includes(content)).toBe(true);
	});

	test('a service that refuses it before it has all of it is heard', async () => {
		fault = (request, response) =>
			void request.once('data', () => {
				response.writeHead(413).end('{"error": {"message": "Too much for me"}}');
				request.resume();
			});
		const { error } = await sendTo([await fileItem(await large())]);
		expect(error?.message).toContain('Too much for me');
		expect(requests).toBe(1);
	});
});

test('a file that has become shorter in the storage is told, and not tried again', async () => {
	const item = await fileItem(await picture(400, 300));
	await truncate(storedPath(item.binary?.data as IBinaryData), 100);
	const { error } = await run({}, [item]);
	expect(error?.message).toContain(
		'The file could not be read: it is smaller than its stated size',
	);
	expect(service.sandbox.requests.list({ path: PATH }).length).toBeLessThanOrEqual(1);
});

test.each(['data', '_files.data'])(
	'a picture that a workflow with the binary mode "combined" has in its JSON, under %s',
	async (binaryPropertyName) => {
		const { binary } = await fileItem(await picture(40, 30));
		const _files = { data: { ...binary?.data, fileName: '' } };
		const items = [{ json: { _files } }];
		const { json } = ok(await run({ binaryPropertyName }, items, {}, {}, 'combined'));
		expect(json[0]).toMatchObject({ contentType: 'image/png' });
		expect((await run({ binaryPropertyName }, items)).error?.message).toContain('no binary data');
	},
);

describe('A picture in memory whose base64 text has line breaks', () => {
	beforeAll(async () => await setBinaryDataMode('default'));
	afterAll(async () => await setBinaryDataMode('filesystem'));

	async function broken(content: Buffer) {
		const item = await fileItem(content);
		const data = item.binary?.data;
		if (data) data.data = data.data.replace(/.{76}/g, '$&\r\n');
		return item;
	}

	test('is stored as it is', async () => {
		const content = await picture(40, 30);
		const { json } = await run({}, [await broken(content)]);
		expect(json[0]).toMatchObject({ bytes: content.length });
		const stored = await fetch(String(json[0]?.url));
		expect(Buffer.from(await stored.arrayBuffer()).equals(content)).toBe(true);
	});

	test.each([
		['as large as the service takes', 0, undefined],
		['a byte larger', 1, `has ${UPLOAD_MAX_BYTES + 1} bytes`],
	])('is measured without them: %s', async (_, more, refusal) => {
		const { json, error } = await run({}, [await broken(await pictureOver(more))]);
		if (refusal === undefined) expect(json[0]).toMatchObject({ bytes: UPLOAD_MAX_BYTES });
		else expect(error?.message).toContain(refusal);
	});
});

test('many pictures come out in the order of the input', async () => {
	const widths = [10, 20, 30, 40, 50, 60];
	const contents = await Promise.all(widths.map(async (width) => await picture(width, 10)));
	const items = await Promise.all(contents.map(async (content) => await fileItem(content)));
	const { json, items: out } = await run({}, items);
	expect(json.map(({ bytes }) => bytes)).toStrictEqual(contents.map(({ length }) => length));
	expect(out.map(({ pairedItem }) => pairedItem)).toStrictEqual(
		widths.map((_, item) => ({ item })),
	);
});

test('n8n does not ask for "URL" where an expression gives "Source"', async () => {
	const { json } = ok(
		await run({ source: '={{ "binary" }}' }, [await fileItem(await picture(10, 10))]),
	);
	expect(json).toHaveLength(1);
});

describe('from a URL', () => {
	let server: LocalServer;
	let content: Buffer;
	/** How often each path that does not work at first was asked for. */
	const calls = new Map<string, number>();

	beforeAll(async () => {
		content = await picture(25, 25);
		server = await openServer((request, response) => {
			const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost');
			const status = Number(searchParams.get('first'));
			const call = (calls.get(pathname) ?? 0) + 1;
			calls.set(pathname, call);
			if (status > 0 && call === 1)
				response
					.writeHead(status, {
						'content-range': `bytes 0-39/${content.length}`,
						'retry-after': searchParams.get('after') ?? '1',
					})
					.end(status === 206 ? content.subarray(0, 40) : undefined);
			else if (request.url === '/redirect')
				response.writeHead(302, { location: '/lake.png' }).end();
			else if (request.url === '/missing') response.writeHead(404).end();
			else if (request.url === '/reset') response.destroy();
			else if (request.url === '/half') {
				response.writeHead(200, { 'content-length': content.length });
				response.write(content.subarray(0, 40), () => setImmediate(() => response.destroy()));
			} else if (request.url === '/pieces') {
				response.write(content.subarray(0, 3));
				response.flushHeaders();
				setTimeout(() => response.write(content.subarray(3, 6)), 50);
				setTimeout(() => response.end(content.subarray(6)), 100);
			} else if (request.url === '/text') response.end('Not a picture');
			else if (request.url === '/endless') {
				const more = () => {
					while (!response.destroyed && response.write(Buffer.alloc(1_000_000)));
				};
				response.on('drain', more);
				more();
			} else response.end(content);
		});
	});
	afterAll(async () => await server.close());

	test.each(['/lake.png', '/redirect', '/pieces', '/100%.png', '/%E0%A4%A.png', '/?name=100%'])(
		'%s is fetched and stored',
		async (path) => {
			const { json } = await run({ source: 'url', url: server.url + path });
			expect(json[0]).toMatchObject({ contentType: 'image/png', bytes: content.length });
		},
	);

	test.each([503, 429, 206, 202])('%d at first is tried again', async (status) => {
		const { json } = await run({ source: 'url', url: `${server.url}/${status}?first=${status}` });
		expect(json[0]).toMatchObject({ bytes: content.length });
		expect(calls.get(`/${status}`)).toBe(2);
	});

	test('a server that wants to be left alone for longer than that is not waited for', async () => {
		const { error } = await run({ source: 'url', url: `${server.url}/later?first=429&after=600` });
		expect(error?.message).toContain('Rate limit reached');
		expect(calls.get('/later')).toBe(1);
	});

	test.each([
		['/text', 'is not a picture that the service accepts'],
		['/endless', 'more than the 20971520 bytes'],
		['/missing', 'File not found'],
	])('%s is refused', async (path, words) => {
		expectRefused(service, await run({ source: 'url', url: server.url + path }), words);
	});

	test('a host that cannot be reached is not taken for the service', async () => {
		const { error } = await run({ source: 'url', url: 'http://127.0.0.1:9/lake.png' });
		expect(error?.message).toBe('The host of the link could not be reached [row 1 (item 0)]');
	});

	test.each(['/missing', '/reset', '/half'])('of %s, the error says: check "URL"', async (path) => {
		const { error } = await run({ source: 'url', url: server.url + path });
		expect(error?.message).toContain('[row 1 (item 0)]');
		expect(error?.description).toBe('Check "URL", and that this n8n can fetch it.');
	});
});

test('an upload that the service does not have is no task that is not there', async () => {
	service.sandbox.faults.add({ match: { path: PATH }, effect: { type: 'status', status: 404 } });
	const { error } = await run({}, [await fileItem(await picture(10, 10))]);
	expect(error?.description).toContain('Check "Base URL" in the credential');
});

test.each([
	[
		{ binaryPropertyName: '={{ "" }}' },
		'"Input Data Field Name" is required: its expression is empty',
	],
	[{ source: '={{ "" }}' }, '"Source" must be one of binary, url'],
	[{ source: 'url', url: '={{ "" }}' }, '"URL" is required: its expression is empty'],
])('A field whose expression is empty is named, with its item: %j', async (parameters, message) => {
	const { error } = await run(parameters);
	expect(error?.message).toBe(`${message} [row 1 (item 0)]`);
});

test('a name that a sheet gives as a number is the name', async () => {
	const parameters = { options: { fileName: '={{ 1984 }}' } };
	const { json } = await run(parameters, [await fileItem(await picture(8, 8))]);
	expect(json[0]).toMatchObject({ filename: '1984' });
});
