import { createGzip, gzipSync } from 'node:zlib';

import { MediaGenChatCache } from '../../../../nodes/MediaGenChatCache/MediaGenChatCache.node';
import { fastClock } from '../../support/clocks';
import { runNode } from '../../support/engine';
import { type Reply, useScriptedService } from '../../support/scriptedService';
import { accepted, buySounds, completed, RECORD, SOUNDS } from '../../support/scriptedTasks';

const service = useScriptedService(() => fastClock(100));

const gzipped = { 'content-type': 'application/json', 'content-encoding': 'gzip' };

const compressed = ({ status, json }: Reply): Reply => ({
	status,
	headers: gzipped,
	text: gzipSync(JSON.stringify(json)),
});

/** 400 MB of blanks, of which a few hundred kilobytes go over the line. */
const bomb = (status = 200): Reply => ({
	raw: (response) => {
		response.writeHead(status, gzipped);
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
	},
});

const WORDS = 'The response has more than 64 MB of text';

test('a record: the wait ends at once, and names the task', async () => {
	service.on('POST', SOUNDS, accepted('task_1'));
	service.on('GET', RECORD, bomb());
	const before = process.memoryUsage().rss;
	const { json } = await buySounds(
		service,
		1,
		{},
		{ settings: { onError: 'continueRegularOutput' } },
	);
	expect(json[0]).toMatchObject({
		taskId: 'task_1',
		error: { message: `${WORDS} [row 1 (item 0)]`, description: expect.stringContaining('task_1') },
	});
	expect(service.sent('GET', RECORD)).toHaveLength(1);
	expect(process.memoryUsage().rss - before).toBeLessThan(300_000_000);
});

test('a submission: it may have been bought', async () => {
	service.on('POST', SOUNDS, bomb());
	const { error } = await buySounds(service);
	expect(error).toMatchObject({
		message: `${WORDS} [row 1 (item 0)]`,
		description: expect.stringContaining('The task may have been bought anyway'),
	});
	expect(service.sent('POST', SOUNDS)).toHaveLength(1);
});

test('an answer in chat: it may have been bought', async () => {
	service.on('POST', '/v1/messages', bomb());
	const parameters = {
		resource: 'chat',
		operation: 'message',
		model: 'm',
		maxTokens: 10,
		prompt: 'Why?',
	};
	const { error } = await runNode({
		node: new MediaGenChatCache(),
		parameters,
		credential: service.credential(),
	});
	expect(error).toMatchObject({
		message: `${WORDS} [row 1 (item 0)]`,
		description: expect.stringContaining('The answer may have been bought anyway'),
	});
});

test('answers that are compressed are read, and so are errors', async () => {
	service.on(
		'POST',
		SOUNDS,
		compressed(accepted('task_1')),
		compressed({
			status: 402,
			json: { error: { message: 'Top up first', type: 'payment_required', code: 402 } },
		}),
	);
	service.on('GET', RECORD, compressed(completed));
	expect((await buySounds(service)).json[0]).toMatchObject({
		taskId: 'task_1',
		status: 'completed',
	});
	expect((await buySounds(service)).error?.message).toBe(
		'Insufficient balance: Top up first [row 1 (item 0)]',
	);
});
