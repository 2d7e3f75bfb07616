import type { ServerResponse } from 'node:http';

import { MediaGenBalance } from '../../../../nodes/MediaGenBalance/MediaGenBalance.node';
import { MediaGenUpload } from '../../../../nodes/MediaGenUpload/MediaGenUpload.node';
import { cancelWhen, fastClock, until, useShortRequestLimit } from '../../support/clocks';
import { log, type RunOptions, runNode } from '../../support/engine';
import { fileItem, picture } from '../../support/sandbox';
import type { Reply } from '../../support/scriptedService';
import { accepted, completed, completedWith, running, songAt } from '../../support/scriptedTasks';
import { goOn, retryOnFail } from '../../support/settings';
import { useSoundService } from '../../support/soundService';

const { service, onSubmit, onRecord, buy, bought } = useSoundService(() => fastClock(100, 100));

/** Answers that never end, by the time between their bytes: nothing is ever idle for long. */
const TRICKLE_MS = 50;

let open: ServerResponse[];
beforeEach(() => (open = []));
afterEach(() => open.forEach((response) => response.destroy()));

function trickle(response: ServerResponse, write: (byte: string) => void): void {
	open.push(response);
	const next = () => {
		if (response.destroyed || response.socket?.destroyed !== false) return;
		write(' ');
		setTimeout(next, TRICKLE_MS);
	};
	next();
}

/** An answer with a status, whose body does not end. */
const trickleBody = (status: number): Reply => ({
	raw: (response) => {
		response.writeHead(status, { 'content-type': 'application/json' });
		trickle(response, (byte) => response.write(byte));
	},
});

const trickling = {
	'its body': trickleBody(200),
	'a body of an error': trickleBody(402),
	'its headers': {
		raw: (response: ServerResponse) => {
			response.socket?.write('HTTP/1.1 200 OK\r\nx-header:');
			trickle(response, (byte) => response.socket?.write(byte));
		},
	},
};

const KINDS = Object.entries(trickling);

/** The node closed the connection of every answer that did not end. */
async function expectClosed(): Promise<void> {
	expect(open.length).toBeGreaterThan(0);
	await until(() => open.every(({ socket }) => socket?.destroyed !== false));
}

const run = async (
	node: RunOptions['node'],
	parameters: RunOptions['parameters'],
	options: Partial<RunOptions> = {},
) => await runNode({ node, parameters, credential: service.credential(), ...options });

const upload = { resource: 'image', operation: 'upload' };

describe('A request ends at its time limit, although its answer goes on', () => {
	useShortRequestLimit(1_200);

	test.each(KINDS)(
		'a submission, with %s: it may have been bought, and is not sent again by "Retry On Fail"',
		async (_, reply) => {
			onSubmit(reply);
			const settings = { ...retryOnFail.settings, maxTries: 3 };
			const { error } = await buy(1, {}, { settings });
			expect(error?.message).toBe(
				'The task may have been bought by an earlier attempt, so the request was not sent again [row 1 (item 0)]',
			);
			expect(log.join('\n')).toContain('no clear answer: the task may have been bought');
			expect(bought()).toHaveLength(1);
			await expectClosed();
		},
	);

	test('an upload', async () => {
		service.on('POST', '/v1/uploads/images', trickling['its body']);
		const parameters = { ...upload, source: 'binary', binaryPropertyName: 'data' };
		const { error } = await run(new MediaGenUpload(), parameters, {
			items: [await fileItem(await picture(4, 4))],
		});
		expect(error?.message).toBe('The request timed out [row 1 (item 0)]');
		await expectClosed();
	});

	test('a picture that is fetched for an upload', async () => {
		service.on('GET', '/picture.png', trickling['its body']);
		const parameters = { ...upload, source: 'url', url: `${service.url}/picture.png` };
		const { error } = await run(new MediaGenUpload(), parameters);
		expect(error?.message).toContain('The picture was not fully downloaded within');
		await expectClosed();
	});

	test('a look whether the file of an existing task is there', async () => {
		onRecord(completedWith(songAt(`${service.url}/known.mp3`)));
		service.on('GET', '/known.mp3', trickling['its headers']);
		const { json } = await buy(1, { existingTaskId: 'known', whenFilesAreGone: 'buyAgain' });
		expect(json).toMatchObject([{ taskId: 'known', status: 'completed', reused: true }]);
		await expectClosed();
	});

	test('a compressed answer, which n8n decompresses on its way', async () => {
		service.on('GET', '/v1/balance', {
			raw: (response) => {
				response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' });
				// The beginning of a gzip file, and stored blocks without content.
				response.write(Buffer.from('1f8b0800000000000003', 'hex'));
				trickle(response, () => response.write(Buffer.from('000000ffff', 'hex')));
			},
		});
		const { error } = await run(new MediaGenBalance(), { resource: 'balance', operation: 'get' });
		expect(error?.message).toContain('The request timed out');
		await expectClosed();
	});
});

test.each(KINDS)('Cancel ends a request that reads at once, with %s', async (_, reply) => {
	onRecord(reply);
	const onStart = cancelWhen(() => open.length > 0);
	const began = Date.now();
	await buy(1, {}, { onStart });
	await expectClosed();
	// Its time limit is a minute.
	expect(Date.now() - began).toBeLessThan(20_000);
});

test('Cancel ends the wait for a rate limit at once: nothing was bought, and nothing says that it may have been', async () => {
	onSubmit({ status: 429, headers: { 'retry-after': '3000' } });
	// Both wait: a submission that is still in flight may be bought.
	const waiting = () => log.filter((line) => line.includes('Next attempt in'));
	const onStart = cancelWhen(() => waiting().length === 2);
	const { json } = await buy(2, { timeout: 7_200 }, { ...goOn, onStart });
	expect(json).toMatchObject([
		{ status: 'not submitted', error: { message: 'The execution was canceled [row 1 (item 0)]' } },
		{ status: 'not submitted' },
	]);
	expect(JSON.stringify(json)).not.toContain('bought');
});

test('what n8n keeps after a request is over does not end a later one', async () => {
	onSubmit(accepted('task_1'));
	onRecord(...Array<Reply>(5).fill(running), completed);
	const { json } = await buy();
	expect(json[0]).toMatchObject({ taskId: 'task_1', status: 'completed' });
});
