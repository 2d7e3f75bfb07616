import fs from 'node:fs/promises';
import type { ServerResponse } from 'node:http';

import { trickle } from '../../../support/server';
import { fastClock, until, useShortRequestLimit } from '../../support/clocks';
import { describeInEachBinaryDataMode, readBinary, type RunResult } from '../../support/engine';
import { type Reply, slowFile } from '../../support/scriptedService';
import { completedWith, failed, songAt } from '../../support/scriptedTasks';
import { goOn, retryOnFail } from '../../support/settings';
import { useSoundService } from '../../support/soundService';

/** The minute without data, which a healthy download must not reach, is six seconds of the machine; where it is to pass, a part of one. */
let clockOfTest = () => fastClock(100);

const { service, onRecord, buy, bought } = useSoundService(() => clockOfTest());

const FILE = '/song.mp3';

const fileUrl = () => service.url + FILE;

/** A file that begins and does not go on: its connection stays, or ends as `then` says. */
const begun = (then?: (response: ServerResponse) => void): Reply => ({
	raw: (response) => {
		response.writeHead(200, { 'content-type': 'audio/mpeg', 'content-length': '1000' });
		response.write(Buffer.alloc(400), () => then?.(response));
	},
});

const stalled = begun();

const whole: Reply = { text: Buffer.alloc(1_000, 7), headers: { 'content-type': 'audio/mpeg' } };

/** Buys a sound whose file is at the service, and downloads it. */
async function download(options = {}, run = {}) {
	onRecord(completedWith(songAt(fileUrl())));
	return await buy(1, options, { given: { downloadFiles: true }, ...goOn, ...run });
}

/** Expects that the item of a file that did not come has the task and the link. */
function expectLink([item]: RunResult['json'], words: string): void {
	const description: unknown = expect.stringContaining(fileUrl());
	const error = { message: `${words} [row 1 (item 0)]`, description };
	expect(item).toMatchObject({ taskId: 'task_1', status: 'completed', url: fileUrl(), error });
}

describe('A host that does not answer', () => {
	useShortRequestLimit(1_000);

	const downloadFive = async (reply: Reply) => {
		let asked = 0;
		onRecord(() => completedWith(songAt(`${service.url}/songs/${++asked}`)));
		service.on('GET', '/songs/*', reply);
		const { json } = await buy(5, {}, { given: { downloadFiles: true }, ...goOn });
		expect(json.filter(({ error }) => error)).toHaveLength(5);
		return service.sent('GET', '/songs/*').length;
	};

	test('has one attempt for each further file, once it gave no answer in five', async () => {
		// Of the first three, one may end a moment before the others have had their last attempt.
		expect(await downloadFive({ raw: () => {} })).toBeLessThanOrEqual(3 * 5 + 2);
	});

	describe('after minutes without data', () => {
		beforeAll(() => (clockOfTest = () => fastClock(100, 100)));
		afterAll(() => (clockOfTest = () => fastClock(100)));

		test('is not one whose files stop in the middle', async () => {
			expect(await downloadFive(stalled)).toBe(5 * 5);
		});
	});
});

test('a run that fails downloads nothing: the files would be thrown away', async () => {
	onRecord(failed(), completedWith(songAt(fileUrl())));
	service.on('GET', FILE, whole);
	const { error } = await buy(2, { concurrency: 1 }, { given: { downloadFiles: true } });
	expect(error?.message).toContain('Task task_1 failed');
	expect(service.sent('GET', FILE)).toHaveLength(0);
});

describeInEachBinaryDataMode((mode) => {
	test('where n8n keeps large files in memory, and only there, a hint says so', async () => {
		service.on('GET', FILE, whole, { ...whole, text: Buffer.alloc(21_000_000) });
		const isSaid = async () =>
			(await download()).hints.some(({ message }) =>
				message.includes('keeps binary data in memory'),
			);
		expect(await isSaid()).toBe(false);
		expect(await isSaid()).toBe(mode === 'default');
	});

	describe('A minute without data', () => {
		beforeAll(() => (clockOfTest = () => fastClock(100, 100)));
		afterAll(() => (clockOfTest = () => fastClock(100)));

		test('a download that stalls ends after a minute without data, and its item has the task and the link', async () => {
			const open: ServerResponse[] = [];
			const raw = (response: ServerResponse) => {
				open.push(response);
				stalled.raw?.(response);
			};
			service.on('GET', FILE, { raw });
			const { json } = await download();
			expectLink(json, 'The download stopped: no data for 60 seconds');
			const attempts = service.sent('GET', FILE);
			expect(attempts).toHaveLength(5);
			await until(() => open.every(({ destroyed }) => destroyed));
			for (const [at, attempt] of attempts.slice(1).entries())
				expect(attempt.at - (attempts[at]?.at ?? 0)).toBeGreaterThan(55_000);
		});

		test.each<[string, Reply]>([
			['stalled', stalled],
			['gave a 500', { status: 500 }],
			['was reset', { reset: true }],
			['broke off', begun((response) => response.destroy())],
		])('a download that %s once is tried again, after its "Timeout", too', async (_, first) => {
			service.on('GET', FILE, first, whole);
			const { json, items } = await download({ timeout: 45 });
			expect(service.sent('GET', FILE)).toHaveLength(2);
			expect(json[0]).not.toHaveProperty('error');
			expect((await readBinary(items[0]?.binary?.data)).equals(Buffer.alloc(1_000, 7))).toBe(true);
		});

		test('a download that is slow, but alive, is left to end', async () => {
			// More than a minute in all.
			service.on('GET', FILE, slowFile(5, 20_000));
			const { items } = await download();
			expect(await readBinary(items[0]?.binary?.data)).toHaveLength(1_000);
			expect(service.sent('GET', FILE)).toHaveLength(1);
		});
	});

	describe('A file that never ends', () => {
		useShortRequestLimit(1_500);

		test('is given up after its time, and its item has the task and the link', async () => {
			const open: ServerResponse[] = [];
			const endless = (response: ServerResponse) => {
				open.push(response);
				trickle(response, 'audio/mpeg');
			};
			service.on('GET', FILE, { raw: endless });
			const { json } = await download({ timeout: 5 });
			expectLink(json, 'The download took too long');
			expect(bought()).toHaveLength(1);
			await until(() => open.every(({ destroyed }) => destroyed));
		});
	});

	test('a file that does not tell its size is cut off where it passes "Max Download Size"', async () => {
		let written = 0;
		let closed = () => {};
		const cutOff = new Promise<void>((resolve) => (closed = resolve));
		const endless = (response: ServerResponse) => {
			response.writeHead(200, { 'content-type': 'audio/mpeg' });
			const more = () => {
				while (!response.destroyed) {
					written += 100_000;
					if (!response.write(Buffer.alloc(100_000))) return;
				}
			};
			response.on('drain', more).on('close', closed);
			more();
		};
		service.on('GET', FILE, { raw: endless });
		const { json } = await download({ maxDownloadSize: 2 });
		expect(json[0]).toMatchObject({
			taskId: 'task_1',
			error: {
				message: expect.stringContaining('larger than the 2 MB that "Max Download Size" allows'),
			},
		});
		await cutOff;
		expect(written).toBeLessThan(50_000_000);
		expect(service.sent('GET', FILE)).toHaveLength(1);
	});

	test('a file with more bytes than that fails the node, and the error names its task', async () => {
		service.on('GET', FILE, { ...whole, text: Buffer.alloc(2_000_001) });
		const { error } = await download({ maxDownloadSize: 2 }, { settings: {} });
		expect(error?.message).toContain('larger than the 2 MB');
		expect(error?.description).toContain('task_1');
	});

	test('a link that does not answer does not keep the files behind it waiting', async () => {
		const held: ServerResponse[] = [];
		service.on('GET', '/slow.mp3', { raw: (response) => void held.push(response) });
		// The first file comes when the second has been asked for.
		service.on('GET', FILE, {
			raw: (response) =>
				void until(() => held.length === 1).then(() => {
					for (const each of [...held, response])
						each.writeHead(200, { 'content-type': 'audio/mpeg' }).end(Buffer.alloc(1_000, 7));
				}),
		});
		onRecord(completedWith(songAt(`${service.url}/slow.mp3`, fileUrl())));
		const { items } = await buy(1, {}, { given: { downloadFiles: true }, ...goOn });
		expect(Object.keys(items[0]?.binary ?? {})).toEqual(['data', 'data_2']);
		expect(service.sent('GET', '/slow.mp3')).toHaveLength(1);
	});

	test('a file that has exactly the limit is taken, and the key is not sent to its address', async () => {
		service.on('GET', FILE, { ...whole, text: Buffer.alloc(1_000_000, 7) });
		const { items } = await download({ maxDownloadSize: 1 });
		expect(await readBinary(items[0]?.binary?.data)).toHaveLength(1_000_000);
		const asked = service.sent('GET', FILE);
		expect(asked).toHaveLength(1);
		expect(asked[0]?.headers).not.toHaveProperty('authorization');
	});

	test('the files of a failed task are not downloaded', async () => {
		service.on('GET', FILE, whole);
		onRecord(failed('Too loud', { result: songAt(fileUrl()) }));
		const { json } = await buy(1, {}, { given: { downloadFiles: true }, ...goOn });
		expect(json[0]).toMatchObject({ taskId: 'task_1', status: 'failed' });
		expect(service.sent('GET', FILE)).toEqual([]);
	});

	test('a link that redirects to a private host is not followed', async () => {
		service.on('GET', FILE, {
			status: 302,
			headers: { location: 'http://169.254.169.254/latest/meta-data' },
		});
		const credential = { ...service.credential(), allowPrivateCallbacks: false };
		const { json } = await download({}, { credential });
		expect(JSON.stringify(json[0]?.error)).toContain(
			'the link leads to the private host 169.254.169.254',
		);
		expect(service.sent('GET', FILE)).toHaveLength(1);
	});
});

describe('A full disk, where n8n keeps files on disk', () => {
	const writeFile = fs.writeFile;

	afterEach(() => jest.restoreAllMocks());

	test('is said at once, with the task, and the next attempt buys nothing', async () => {
		service.on('GET', FILE, whole);
		let left = 1;
		// What n8n writes to its storage goes to a device that is always full.
		jest
			.spyOn(fs, 'writeFile')
			.mockImplementation(
				async (path, data, options) =>
					await writeFile(left-- > 0 ? '/dev/full' : path, data, options),
			);
		const full = await download();
		expect(full.json[0]).toMatchObject({
			taskId: 'task_1',
			status: 'completed',
			error: {
				message: "The file could not be stored: n8n's storage for files is full [row 1 (item 0)]",
			},
		});
		expect(service.sent('GET', FILE)).toHaveLength(1);
		left = 1;
		const { json, items } = await download({}, retryOnFail);
		expect(json[0]).toMatchObject({ taskId: 'task_2', status: 'completed' });
		expect(await readBinary(items[0]?.binary?.data)).toHaveLength(1_000);
		// One for each of the two runs.
		expect(bought()).toHaveLength(2);
	});
});
