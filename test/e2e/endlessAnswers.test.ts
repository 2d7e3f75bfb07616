import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createGzip } from 'node:zlib';

import { post } from './callbacks/received';
import { activeTrigger } from './callbacks/triggerWorkflow';
import { describeOnHosts } from './support/hosts';
import { mediaGenApi, type NodeJson, pictureNode, startByHand, workflow } from './support/nodes';
import { until } from './support/poll';

const CREDENTIAL = 'Endless answers';

const TIMEOUT_S = 5;

/** Room for a busy machine. Without a hard end the requests would go on for ever. */
const ROOM_S = 20;

/** A byte now and then: n8n's own time limit, which counts idle time, never ends it. */
function trickle(response: ServerResponse, status = 200): void {
	response.writeHead(status, { 'content-type': 'application/json' });
	const next = () => {
		if (response.destroyed) return;
		response.write(' ');
		setTimeout(next, 500);
	};
	next();
}

/** 400 MB of JSON in a few hundred kilobytes. */
function inflate(response: ServerResponse): void {
	response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' });
	const zip = createGzip();
	zip.pipe(response);
	response.on('close', () => zip.destroy());
	let left = 400;
	const more = () => {
		while (left-- > 0) if (!zip.write(Buffer.alloc(1_000_000, ' '))) return;
		zip.end('{}');
	};
	zip.on('drain', more);
	more();
}

describeOnHosts('A service whose answers do not end', (host) => {
	/** Paths of what was bought. */
	const submitted: string[] = [];
	const purchases = (path: string) => submitted.filter((each) => each === path).length;
	let submission: ReturnType<typeof run>;
	const open = new Set<ServerResponse>();
	const server = createServer((request, response) => {
		const { method, url = '' } = request;
		open.add(response);
		response.on('close', () => open.delete(response));
		request.resume().on('end', () => {
			if (method === 'POST') submitted.push(url);
			if (method === 'POST' && url === '/v1/images/generations')
				response.end(JSON.stringify({ data: [{ task_id: 'trickling', status: 'submitted' }] }));
			else if (url.endsWith('/large')) inflate(response);
			else trickle(response);
		});
	});

	beforeAll(async () => {
		await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
		const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
		await host().createCredential({
			name: CREDENTIAL,
			type: 'mediaGenApi',
			data: {
				baseUrl,
				apiKey: 'key-of-endless-answers',
				allowPrivateCallbacks: true,
				brandWords: '{}',
			},
		});
		// It takes a minute, in which the other tests run.
		submission = run(
			mediaGen('Custom', 'mediaGenImage', {
				resource: 'task',
				operation: 'submit',
				path: '/v1/images/slow',
				bodyType: 'json',
				body: '{}',
				options: { timeout: TIMEOUT_S },
			}),
		);
	});
	afterAll(() => {
		server.closeAllConnections();
		server.close();
	});

	/** Runs one node and gives its item's error, and the seconds that it took. */
	async function run(node: NodeJson) {
		const { id } = await host().importWorkflow(
			workflow(node.name, [startByHand, { ...node, onError: 'continueRegularOutput' }], {
				Go: node.name,
			}),
		);
		const began = Date.now();
		const execution = await host().run(id, { timeout: 120_000 });
		const seconds = (Date.now() - began) / 1_000;
		return { item: execution.json(node.name)[0], seconds };
	}

	const mediaGen = (name: string, type: string, parameters: object): NodeJson => ({
		name,
		type: `n8n-nodes-mediagen.${type}`,
		parameters,
		credentials: mediaGenApi(CREDENTIAL),
	});

	test('a wait ends at its "Timeout", and names the task', async () => {
		const { item, seconds } = await run(
			pictureNode('Picture', CREDENTIAL, { options: { timeout: TIMEOUT_S } }),
		);
		expect(item).toMatchObject({
			taskId: 'trickling',
			error: {
				message: `Task trickling was still submitted after ${TIMEOUT_S} seconds [row 1 (item 0)]`,
			},
		});
		expect(seconds).toBeLessThan(TIMEOUT_S + ROOM_S);
		expect(purchases('/v1/images/generations')).toBe(1);
	}, 180_000);

	test.each([
		['message', '/v1/messages'],
		['completion', '/v1/chat/completions'],
	])(
		'a chat request, %s, ends at its "Timeout": it may have been bought',
		async (operation, path) => {
			const parameters = {
				resource: 'chat',
				operation,
				model: 'm',
				maxTokens: 10,
				prompt: 'Why?',
				options: { timeout: TIMEOUT_S },
			};
			const { item, seconds } = await run(mediaGen('Chat', 'mediaGenChatCache', parameters));
			expect(item).toMatchObject({
				error: {
					message: 'The request timed out [row 1 (item 0)]',
					description: expect.stringContaining('The answer may have been bought anyway'),
				},
			});
			expect(seconds).toBeLessThan(TIMEOUT_S + ROOM_S);
			expect(purchases(path)).toBe(1);
		},
		180_000,
	);

	test('a record of 400 MB is not read', async () => {
		const { item } = await run(
			mediaGen('Get', 'mediaGenImage', { resource: 'task', operation: 'get', taskId: 'large' }),
		);
		expect(item).toMatchObject({
			error: { message: 'The response has more than 64 MB of text [row 1 (item 0)]' },
		});
	}, 180_000);

	test('a callback to a trigger is answered before the service stops waiting', async () => {
		const { url } = await activeTrigger(host(), CREDENTIAL);
		const began = Date.now();
		expect((await post(url, { id: 'trickling', status: 'completed' })).status).toBe(503);
		expect(Date.now() - began).toBeLessThan(10_000);
	}, 60_000);

	test('a submission ends after a minute: it may have been bought', async () => {
		const { item, seconds } = await submission;
		expect(item).toMatchObject({
			status: 'unknown',
			error: {
				message: 'The request timed out [row 1 (item 0)]',
				description: expect.stringContaining('The task may have been bought anyway'),
			},
		});
		expect(seconds).toBeLessThan(60 + ROOM_S);
		expect(purchases('/v1/images/slow')).toBe(1);
	}, 180_000);

	test('no connection stays open', async () => {
		expect(
			await until(
				() => open.size,
				(size) => size === 0,
				10_000,
			),
		).toBe(0);
	}, 20_000);
});
