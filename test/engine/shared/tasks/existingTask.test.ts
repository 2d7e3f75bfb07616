import type { INodeParameters } from 'n8n-workflow';

import { fastClock } from '../../support/clocks';
import type { RunResult } from '../../support/engine';
import { runnerOf } from '../../support/operations';
import type { Reply } from '../../support/scriptedService';
import {
	accepted,
	completedWith,
	failed,
	refused,
	running,
	serviceError,
	songAt,
	unclear,
	unknownTask,
} from '../../support/scriptedTasks';
import { errorOutput, goOn, retryAndGoOn, retryOnFail } from '../../support/settings';
import { statesOf, statusesOf, useSoundService } from '../../support/soundService';

const { service, onSubmit, onRecordOf, buy } = useSoundService(() => fastClock(250));

const KNOWN = 'task_known';
const FILE = '/files/1.mp3';

const bought = () => service.requests.filter(({ method }) => method === 'POST').length;

/** Replies to requests for the record of the known task. */
const onKnown = (...replies: Reply[]) => onRecordOf(KNOWN, ...replies);

const onFile = (...replies: Reply[]) => service.on('GET', FILE, ...replies);

/** A completed record whose file is at the service. */
const withFile = () => completedWith(songAt(service.url + FILE), { progress: 100, cost: 0.4 });

const buyOrUse = async (
	options: INodeParameters = {},
	run: Parameters<typeof buy>[2] = {},
): Promise<RunResult> => await buy(1, { existingTaskId: KNOWN, ...options }, run);

const buyAgain = { whenFilesAreGone: 'buyAgain' };

const purchaseKey: unknown = expect.stringMatching(/^[0-9a-f]{32}$/);

beforeEach(() => {
	onKnown(withFile());
	onFile({ text: 'sound', headers: { 'content-type': 'audio/mpeg' } });
});

const gone = (status: number): Reply => ({ status, text: 'no longer here' });

describe('A task that was bought before is used, and nothing is bought', () => {
	afterEach(() => expect(bought()).toBe(0));

	test('completed: it comes out as reused, without a cost', async () => {
		const { json, hints, run } = await buyOrUse();
		expect(json).toMatchObject([{ taskId: KNOWN, status: 'completed', reused: true, cost: 0.4 }]);
		expect(hints[0]?.message).toBe('1 task, 1 of 1 item was reused');
		expect(run.data.resultData.metadata).toBeUndefined();
	});

	const half = () => songAt(`${service.url}/half.mp3`);
	const withItsId = () => onKnown({ json: { id: KNOWN, code: 200, data: withFile().json } });
	const withoutFile = () => onKnown(completedWith({ text: 'no file' }));
	const halfMade = () =>
		onKnown({ json: { status: 'processing', progress: 50, result: half() } }, withFile());
	const refusedOnce = () => onFile(gone(403), { text: 'sound' });
	const unknownOnce = () => onKnown(unknownTask, withFile());

	test.each<[string, () => void, INodeParameters]>([
		['a record that shows its ID is that of the task', withItsId, {}],
		['completed without a file that the node can read', withoutFile, buyAgain],
		['still running, and its half-made file is not asked for', halfMade, buyAgain],
		['running: it is waited for', () => onKnown(running, running, withFile()), {}],
		['it counts to no limit', () => undefined, { maxTasks: 0 }],
		['a link that was refused once works a minute later', refusedOnce, buyAgain],
		['a task that was bought a moment ago is known a minute later', unknownOnce, buyAgain],
	])('%s', async (_, script, options) => {
		script();
		const { json } = await buyOrUse(options);
		expect(json).toMatchObject([{ taskId: KNOWN, status: 'completed', reused: true }]);
		expect(service.sent('GET', '/half.mp3')).toEqual([]);
	});

	test('its files are downloaded as usual', async () => {
		const { items } = await buyOrUse({}, { given: { downloadFiles: true } });
		expect(items[0]?.binary?.data).toMatchObject({ mimeType: 'audio/mpeg', fileSize: '5 B' });
	});

	test('running, with a pause: the node polls, because the service calls back elsewhere', async () => {
		onKnown(running, running, withFile());
		const { json } = await buyOrUse({}, { given: { waitMode: 'callback' } });
		expect(json).toMatchObject([
			{ taskId: KNOWN, status: 'completed', notes: [expect.stringContaining('polled instead')] },
		]);
	});

	test.each([429, 500, 503])('also where the first request is answered %i', async (status) => {
		onKnown({ status, json: {} }, withFile());
		expect((await buyOrUse()).json).toMatchObject([{ taskId: KNOWN, reused: true }]);
	});

	test.each<[string, Reply]>([
		['the status', { status: 429, json: {} }],
		['the body', { json: { code: 429, message: 'Slow down' } }],
	])('a rate limit in %s is waited for within "Timeout"', async (_, reply) => {
		onKnown(reply);
		const { json } = await buyOrUse({ timeout: 12 }, goOn);
		expect(json).toMatchObject([{ error: { message: expect.stringContaining('Rate limit') } }]);
		// After pauses of at least 0.5, 1, 2 and 4 seconds.
		expect(service.requests.length).toBeLessThanOrEqual(5);
	});

	test.each([400, 401, 429, 500, 503])(
		'a link that is answered %i is not gone: buying again would cost',
		async (status) => {
			onFile({ status, text: 'later' });
			const { json } = await buyOrUse(buyAgain);
			expect(json).toMatchObject([{ taskId: KNOWN, reused: true }]);
		},
	);

	test('a link that is refused before it expires is not gone: another n8n may have it', async () => {
		const music = [{ audio_url: service.url + FILE, expires_at: 4_102_444_800 }];
		onKnown(completedWith({ music }, { progress: 100 }));
		onFile(gone(403));
		const { json } = await buyOrUse(buyAgain);
		expect(json).toMatchObject([{ taskId: KNOWN, reused: true }]);
	});

	test('"Check Only" says so, and counts no purchase for it', async () => {
		const { json, hints } = await buyOrUse({ checkOnly: true });
		expect(json).toMatchObject([{ tasks: 0, reused: true, purchaseKey }]);
		const message =
			'Check Only bought nothing: 0 of 1 item would buy, 1 would use an existing task';
		expect(hints).toMatchObject([{ type: 'info', message }]);
	});
});

describe('The item is bought', () => {
	test.each<[string, string | null]>([
		['empty', ''],
		['blank', '  '],
		['null', null],
	])('where "Existing Task" is %s', async (_, existingTaskId) => {
		const { json } = await buy(1, { existingTaskId: existingTaskId as string });
		expect(json).toMatchObject([{ taskId: 'task_1' }]);
		expect(json[0]).not.toHaveProperty('reused');
	});

	test.each(['failed', ' Failed', 'FAILURE'])('where its task %s (refunded)', async (status) => {
		onKnown({ json: { code: 200, data: { status, error: { message: 'Refused' } } } });
		expect(statesOf((await buyOrUse()).json)).toEqual(['task_1: completed']);
	});

	test.each([403, 404, 410])('where its links answer %i, with Buy Again', async (status) => {
		onFile(gone(status));
		expect(statesOf((await buyOrUse(buyAgain)).json)).toEqual(['task_1: completed']);
	});

	test('where its song is gone, though its cover is not, with Buy Again', async () => {
		const [audio_url, image_url] = [`${service.url}/known.mp3`, `${service.url}/cover.png`];
		onKnown(completedWith({ music: [{ audio_url, image_url }] }));
		service.on('GET', '/known.mp3', gone(404));
		service.on('GET', '/cover.png', { text: 'cover' });
		expect(statesOf((await buyOrUse(buyAgain)).json)).toEqual(['task_1: completed']);
	});

	test('where the service does not know the task a minute later either, with Buy Again', async () => {
		onKnown(unknownTask);
		const { json } = await buyOrUse(buyAgain);
		expect(json).toMatchObject([{ taskId: 'task_1' }]);
		const [first, second] = service.sent('GET', `/v1/music/tasks/${KNOWN}`);
		expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(60_000);
	});

	test('also where Timeout is shorter than that minute, as are the other items', async () => {
		onKnown(unknownTask);
		const existingTaskId = `={{ $itemIndex === 0 ? '${KNOWN}' : '' }}`;
		const { json } = await buy(2, { existingTaskId, ...buyAgain, timeout: 30 }, goOn);
		expect(statusesOf(json)).toStrictEqual(['completed', 'completed']);
		expect(bought()).toBe(2);
	});
});

describe('Nothing is bought', () => {
	afterEach(() => expect(bought()).toBe(0));

	const nothingBought: unknown = expect.stringContaining('nothing was bought for this item');

	test.each<[string, () => void, string]>([
		['the service does not know the task', () => onKnown(unknownTask), 'unknown to the service'],
		['the links are dead', () => onFile(gone(404)), 'completed, and its files are gone'],
		[
			'the task was canceled, of which no refund is promised',
			() => onKnown({ json: { status: 'cancelled', progress: 40 } }),
			'over without a result',
		],
	])('where %s: the item fails', async (_, script, words) => {
		script();
		const { json } = await buyOrUse({}, goOn);
		const message: unknown = expect.stringContaining(`task ${KNOWN} is ${words}`);
		const description: unknown = expect.stringContaining('"Buy Again"');
		expect(json).toMatchObject([{ status: 'not submitted', error: { message, description } }]);
	});

	test('for a video: the specification does not show where its record is', async () => {
		service.on('GET', `/v1/tasks/${KNOWN}`, unknownTask);
		const given = { waitMode: 'none', options: { existingTaskId: KNOWN, ...buyAgain } };
		const { json } = await runnerOf(service)('video.generate', given, goOn);
		expect(json).toMatchObject([{ error: { description: nothingBought } }]);
	});

	test('where the path of the records is the user’s own: it may be wrong', async () => {
		service.on('GET', `/v2/tasks/${KNOWN}`, unknownTask);
		const { json } = await buyOrUse({ ...buyAgain, taskQueryPath: '/v2/tasks/{task_id}' }, goOn);
		const message: unknown = expect.stringContaining('No such task');
		const error = { message, description: nothingBought };
		expect(json).toMatchObject([{ status: 'not submitted', error }]);
	});

	const otherType = { type: 'not_found' };

	test.each<[string, Reply]>([
		['401', serviceError(401, 'Wrong key')],
		['403', serviceError(403, 'No')],
		['500', { status: 500, json: {} }],
		['the 404 page of a proxy', { status: 404, text: '<html>Not found</html>' }],
		['the 404 of a gateway', { status: 404, json: { status: 404, error: 'Not Found' } }],
		['a 404 without a type', serviceError(404, 'Not Found')],
		['a 404 of another type', serviceError(404, 'no route matched', otherType)],
		['a 404 about the key', serviceError(404, 'No', { type: 'authentication_error' })],
		['the error of a 404 in HTTP 200', { json: unknownTask.json }],
		['a 404 in HTTP 200', { json: { code: 404, data: null, message: 'no such thing' } }],
		['the record of another task', failed('x', { id: 'task_other' })],
		[
			'an error with a word for a failed task',
			{ json: { code: 500, message: 'db down', data: { id: 'task_1', status: 'failed' } } },
		],
		['one without a code', { json: { status: 'failed', message: 'could not read the task' } }],
		['half a JSON', { text: '{"code": 200, "data": {' }],
		['no status', { json: { code: 200, data: {} } }],
		['a broken connection', { reset: true }],
	])('after %s, also with Buy Again', async (_, reply) => {
		onKnown(reply);
		const { json } = await buyOrUse(buyAgain, goOn);
		const description: unknown = expect.stringContaining('so nothing was bought for this item');
		expect(json).toMatchObject([{ status: 'not submitted', error: { description } }]);
	});

	test.each<[string, unknown]>([
		['a list', [KNOWN]],
		['an object', { taskId: KNOWN }],
		['true', true],
	])('where "Existing Task" is %s', async (_, existing) => {
		const items = [{ json: { existing: existing as string } }];
		const { json } = await buy(1, { existingTaskId: '={{ $json.existing }}' }, { items, ...goOn });
		expect(json[0]?.error).toMatchObject({
			message: expect.stringContaining('"Existing Task" must be the ID of one task, as text'),
		});
	});

	test('while another item fails: without "Continue", the node ends before the first purchase', async () => {
		onKnown(unknownTask);
		const existingTaskId = `={{ $itemIndex === 1 ? '${KNOWN}' : '' }}`;
		const { error } = await buy(2, { existingTaskId });
		expect(error?.message).toContain(`task ${KNOWN} is unknown to the service`);
	});
});

describe('The purchase key', () => {
	test('stands on each item, and is that of Check Only', async () => {
		const { json } = await buy(2);
		const checked = await buy(2, { checkOnly: true });
		const keys = json.map((item) => item.purchaseKey);
		expect(new Set(keys).size).toBe(2);
		expect(checked.json.map((item) => item.purchaseKey)).toStrictEqual(keys);
	});

	test('is the same with another reference, and another with another copy number', async () => {
		const keyWith = async (options: INodeParameters) =>
			(await buy(1, { ...options, checkOnly: true })).json[0]?.purchaseKey;
		const key = await keyWith({});
		expect(await keyWith({ reference: 'row 7', copyNumber: 1 })).toBe(key);
		expect(await keyWith({ callbackBaseUrl: 'https://n8n.example.com/webhook/1' })).toBe(key);
		expect(await keyWith({ copyNumber: 2 })).not.toBe(key);
	});

	test('stands on the item of a purchase that failed', async () => {
		onSubmit(refused);
		const { json } = await buy(1, {}, goOn);
		expect(json).toMatchObject([{ status: 'not submitted', purchaseKey }]);
	});

	test('a copy number that is none is named before anything is sent', async () => {
		const { error } = await buy(1, { copyNumber: 0 });
		expect(error?.message).toContain('"Copy Number" must be a whole number of at least 1');
		expect(service.requests).toEqual([]);
	});
});

test('a record that has another name for its task is taken, as while polling', async () => {
	onKnown(completedWith(songAt(service.url + FILE), { id: 991, task_id: KNOWN }));
	const { json } = await buyOrUse();
	expect(json).toMatchObject([{ taskId: KNOWN, status: 'completed', reused: true }]);
});

test('of an item that may have been bought, the task that the user has found since is taken', async () => {
	onSubmit({ status: 500 });
	const given = { existingTaskId: "={{ $json.known ?? '' }}" };
	const back = { ...errorOutput, errorsBack: 1 };
	const { errorRounds } = await buy(1, given, back);
	expect(JSON.stringify(errorRounds)).toContain('may have been bought');
	const execution = { existingTaskId: `={{ $json.error ? '${KNOWN}' : '' }}` };
	const { rounds } = await buy(1, execution, { ...back, errorsBack: 1 });
	expect(rounds.flat()).toMatchObject([{ taskId: KNOWN, reused: true }]);
});

test.each<[string, object]>([
	['doNotSend', { message: expect.stringContaining('by an earlier attempt') }],
	['sendAgain', { description: expect.stringContaining('an earlier attempt may have bought') }],
])('an item in doubt stays so where its task cannot be read: %s', async (whenUnsure, error) => {
	onKnown(failed(), { status: 500 });
	onSubmit({ status: 500 });
	const { json } = await buyOrUse({ whenUnsure }, retryAndGoOn);
	expect(json).toMatchObject([{ status: 'unknown', error }]);
	expect(bought()).toBe(1);
});

test('an attempt that ends because a task cannot be read names what the one before bought', async () => {
	onKnown(withFile(), { status: 500 });
	onSubmit(accepted('task_1'), unclear);
	const existingTaskId = `={{ $itemIndex === 0 ? '${KNOWN}' : '' }}`;
	const { error } = await buy(3, { existingTaskId }, retryOnFail);
	expect(error?.description).toMatch(
		/so nothing was bought for this item[^]*\nOf earlier attempts[^]*\nRow [23] .*: task task_1 \(/,
	);
	expect(error?.description).toMatch(/\nRow [23] \(item [12]\): may have been bought\.(?:<br>)?$/m);
	expect(bought()).toBe(2);
});

test('of an item whose task was bought, the task that it builds on is not asked for', async () => {
	service.on('GET', '/v1/tasks/parent', failed());
	const button = { action: 'REROLL', grid_image_url: `${service.url}${FILE}` };
	service.on('GET', `/v1/tasks/${KNOWN}`, completedWith({}, button));
	const given = { taskId: 'parent', options: { existingTaskId: KNOWN } };
	const { json, error } = await runnerOf(service)('grid.reroll', given);
	expect(error).toBeUndefined();
	expect(json).toMatchObject([{ taskId: KNOWN, status: 'completed', reused: true }]);
	expect(bought()).toBe(0);
});

test('what an earlier attempt bought is taken up, whatever became of the task in "Existing Task"', async () => {
	onKnown(failed(), { status: 500 });
	onRecordOf('task_1', running, running, completedWith(songAt(service.url + FILE)));
	const { json } = await buyOrUse({ timeout: 2 }, retryAndGoOn);
	expect(json).toMatchObject([{ taskId: 'task_1', status: 'completed' }]);
	expect(bought()).toBe(1);
});
