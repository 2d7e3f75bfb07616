import type { ServerResponse } from 'node:http';

import { inflate, type LocalServer, openServer, trickle } from '../support/server';
import { post } from './callbacks/recorded';
import { activeTrigger } from './callbacks/triggerWorkflow';
import { runWorkflow } from './support/executions';
import { describeOnHosts } from './support/hosts';
import { chain, mediaGen, type NodeJson, pictureNode, startByHand } from './support/nodes';
import { readUntil } from './support/poll';
import { credentialAt } from './support/sandbox';

const CREDENTIAL = 'Endless answers';

const TIMEOUT_S = 5;

/** Room for a busy machine. Without a hard end the requests would go on for ever. */
const ROOM_S = 40;

describeOnHosts('A service whose answers do not end', (host) => {
	/** Paths of what was bought. */
	const submitted: string[] = [];
	const open = new Set<ServerResponse>();
	let service: LocalServer;
	let submission: ReturnType<typeof run>;

	beforeAll(async () => {
		service = await openServer(({ method, url = '' }, response) => {
			open.add(response);
			response.on('close', () => open.delete(response));
			if (method === 'POST') submitted.push(url);
			if (method === 'POST' && url === '/v1/images/generations')
				response.end(JSON.stringify({ data: [{ task_id: 'trickling', status: 'submitted' }] }));
			else if (url.endsWith('/large')) inflate(response);
			else trickle(response, 'application/json', 500);
		});
		await host().createCredential(credentialAt(CREDENTIAL, service.url, 'key-of-endless-answers'));
		// It takes a minute, in which the other tests run.
		submission = run(
			ours('Custom', 'mediaGenImage', {
				resource: 'task',
				operation: 'submit',
				path: '/v1/images/slow',
				bodyType: 'json',
				body: '{}',
				options: { timeout: TIMEOUT_S },
			}),
		);
	});
	afterAll(async () => await service.close());

	const ours = (name: string, type: string, parameters: object) =>
		mediaGen(name, type, CREDENTIAL, parameters);

	/** Runs one node and gives its item, and the seconds that it took. */
	async function run(node: NodeJson) {
		const nodes = [startByHand, { ...node, onError: 'continueRegularOutput' }];
		const began = Date.now();
		const execution = await runWorkflow(host(), chain(node.name, nodes));
		const seconds = (Date.now() - began) / 1_000;
		return { item: execution.json(node.name)[0], seconds };
	}

	/** Expects that a node ended in time, and had bought once. */
	function expectEnd(seconds: number, limit: number, path: string): void {
		expect(seconds).toBeLessThan(limit + ROOM_S);
		expect(submitted.filter((each) => each === path)).toHaveLength(1);
	}

	test('a wait ends at its "Timeout", and names the task', async () => {
		const { item, seconds } = await run(
			pictureNode('Picture', CREDENTIAL, { options: { timeout: TIMEOUT_S } }),
		);
		const message = `Task trickling was still submitted after ${TIMEOUT_S} seconds [row 1 (item 0)]`;
		expect(item).toMatchObject({ taskId: 'trickling', error: { message } });
		expectEnd(seconds, TIMEOUT_S, '/v1/images/generations');
	});

	test.each([
		['message', '/v1/messages'],
		['completion', '/v1/chat/completions'],
	])('a chat request, %s, ends at "Timeout": it may have been bought', async (operation, path) => {
		const { item, seconds } = await run(
			ours('Chat', 'mediaGenChatCache', {
				resource: 'chat',
				operation,
				model: 'm',
				maxTokens: 10,
				prompt: 'Why?',
				options: { timeout: TIMEOUT_S },
			}),
		);
		expect(item).toMatchObject({
			error: {
				message: 'The request timed out [row 1 (item 0)]',
				description: expect.stringContaining('The answer may have been bought anyway'),
			},
		});
		expectEnd(seconds, TIMEOUT_S, path);
	});

	test('a record of 400 MB is not read', async () => {
		const get = { resource: 'task', operation: 'get', taskId: 'large' };
		expect((await run(ours('Get', 'mediaGenImage', get))).item).toMatchObject({
			error: { message: 'The response has more than 64 MB of text [row 1 (item 0)]' },
		});
	});

	test('a callback to a trigger is answered before the service stops waiting', async () => {
		const { url } = await activeTrigger(host(), CREDENTIAL);
		const began = Date.now();
		expect((await post(url, { id: 'trickling', status: 'completed' })).status).toBe(503);
		// Within ten seconds on a machine that has time for it.
		expect(Date.now() - began).toBeLessThan(30_000);
	});

	test('a submission ends after a minute: it may have been bought', async () => {
		const { item, seconds } = await submission;
		expect(item).toMatchObject({
			status: 'unknown',
			error: {
				message: 'The request timed out [row 1 (item 0)]',
				description: expect.stringContaining('The task may have been bought anyway'),
			},
		});
		expectEnd(seconds, 60, '/v1/images/slow');
	});

	test('no connection stays open', async () => {
		expect(await readUntil(() => open.size, 0, 10_000)).toBe(0);
	});
});
