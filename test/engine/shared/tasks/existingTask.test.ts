import type { INodeParameters } from 'n8n-workflow';

import { MediaGenVideo } from '../../../../nodes/MediaGenVideo/MediaGenVideo.node';
import { runNode, type RunResult } from '../../support/engine';
import { fastClock } from '../../support/clocks';
import { type Reply, useScriptedService } from '../../support/scriptedService';
import { buySounds, completed, numberTasks, RECORD, running } from '../../support/scriptedTasks';

const service = useScriptedService(() => fastClock(50));

const KNOWN = 'task_known';
const OF_KNOWN = `/v1/music/tasks/${KNOWN}`;
const FILE = '/files/1.mp3';

const bought = () => service.requests.filter(({ method }) => method === 'POST').length;

const fileAnswers = (reply: Reply) => service.on('GET', FILE, reply);

/** A completed record whose file is at the service. */
const withFile = (): Reply => ({
	json: {
		code: 200,
		data: {
			status: 'completed',
			progress: 100,
			cost: 0.4,
			result: { music: [{ audio_url: `${service.credential().baseUrl}${FILE}` }] },
		},
	},
});

async function buyOrUse(
	options: INodeParameters = {},
	settings: Parameters<typeof buySounds>[3] = {},
): Promise<RunResult> {
	return await buySounds(service, 1, { existingTaskId: KNOWN, ...options }, settings);
}

beforeEach(() => {
	numberTasks(service);
	service.on('GET', RECORD, completed);
	service.on('GET', OF_KNOWN, withFile());
	fileAnswers({ text: 'sound', headers: { 'content-type': 'audio/mpeg' } });
});

const noSuchTask: Reply = {
	status: 404,
	json: { error: { message: 'No such task', type: 'not_found_error', code: 404 } },
};

const gone = (status: number): Reply => ({ status, text: 'no longer here' });

describe('A task that was bought before is used, and nothing is bought', () => {
	test('completed: it comes out as reused, without a cost', async () => {
		const { json, hints, run } = await buyOrUse();
		expect(json).toMatchObject([{ taskId: KNOWN, status: 'completed', reused: true, cost: 0.4 }]);
		expect(bought()).toBe(0);
		expect(hints[0]?.message).toBe('1 task, 1 of 1 item was reused');
		expect(run.data.resultData.metadata).toBeUndefined();
	});

	test('a record that shows its ID is that of the task', async () => {
		service.on('GET', OF_KNOWN, { json: { id: KNOWN, ...(withFile().json as object) } });
		expect((await buyOrUse()).json).toMatchObject([{ taskId: KNOWN, reused: true }]);
		expect(bought()).toBe(0);
	});

	test('completed without a file that the node can read: it comes out with its record', async () => {
		service.on('GET', OF_KNOWN, { json: { status: 'completed', result: { text: 'no file' } } });
		const { json } = await buyOrUse({ whenFilesAreGone: 'buyAgain' });
		expect(json).toMatchObject([{ taskId: KNOWN, status: 'completed', reused: true }]);
		expect(bought()).toBe(0);
	});

	test('still running: it is waited for, and its half-made file is not asked for', async () => {
		const half = { music: [{ audio_url: `${service.credential().baseUrl}/half.mp3` }] };
		service.on(
			'GET',
			OF_KNOWN,
			{ json: { status: 'processing', progress: 50, result: half } },
			withFile(),
		);
		const { json } = await buyOrUse({ whenFilesAreGone: 'buyAgain' });
		expect(json).toMatchObject([{ taskId: KNOWN, status: 'completed', reused: true }]);
		expect(service.sent('GET', '/half.mp3')).toEqual([]);
		expect(bought()).toBe(0);
	});

	test('its files are downloaded as usual', async () => {
		const { items } = await buyOrUse({}, { given: { downloadFiles: true } });
		expect(items[0]?.binary?.data).toMatchObject({ mimeType: 'audio/mpeg', fileSize: '5 B' });
		expect(bought()).toBe(0);
	});

	test('running: it is waited for', async () => {
		service.on('GET', OF_KNOWN, running, running, withFile());
		expect((await buyOrUse()).json).toMatchObject([
			{ taskId: KNOWN, status: 'completed', reused: true },
		]);
		expect(bought()).toBe(0);
	});

	test('running, with a pause: the node polls, because the service calls back elsewhere', async () => {
		service.on('GET', OF_KNOWN, running, running, withFile());
		const { json } = await buyOrUse({}, { given: { waitMode: 'callback' } });
		expect(json).toMatchObject([
			{ taskId: KNOWN, status: 'completed', notes: [expect.stringContaining('polled instead')] },
		]);
		expect(bought()).toBe(0);
	});

	test('it counts to no limit', async () => {
		const { json } = await buyOrUse({ maxTasks: 0 });
		expect(json).toMatchObject([{ taskId: KNOWN, reused: true }]);
	});

	test.each([429, 500, 503])(
		'also where the first request for it is answered %i',
		async (status) => {
			service.on('GET', OF_KNOWN, { status, json: {} }, withFile());
			expect((await buyOrUse()).json).toMatchObject([{ taskId: KNOWN, reused: true }]);
			expect(bought()).toBe(0);
		},
	);

	test.each([400, 401, 429, 500, 503])(
		'a link that is answered %i is not gone: buying again would cost',
		async (status) => {
			fileAnswers({ status, text: 'later' });
			const { json } = await buyOrUse({ whenFilesAreGone: 'buyAgain' });
			expect(json).toMatchObject([{ taskId: KNOWN, reused: true }]);
			expect(bought()).toBe(0);
		},
	);

	test('"Check Only" says so, and counts no purchase for it', async () => {
		const { json, hints } = await buyOrUse({ checkOnly: true });
		expect(json).toMatchObject([
			{ tasks: 0, reused: true, purchaseKey: expect.stringMatching(/^[0-9a-f]{32}$/) },
		]);
		expect(hints).toMatchObject([
			{
				type: 'info',
				message: 'Check Only bought nothing: 0 of 1 item would buy, 1 would use an existing task',
			},
		]);
	});
});

describe('The item is bought', () => {
	test.each<[string, unknown]>([
		['empty', ''],
		['blank', '  '],
		['null', null],
	])('where "Existing Task" is %s', async (_, existingTaskId) => {
		const { json } = await buySounds(service, 1, { existingTaskId: existingTaskId as string });
		expect(json).toMatchObject([{ taskId: 'task_1' }]);
		expect(json[0]).not.toHaveProperty('reused');
	});

	test.each(['failed', ' Failed'])(
		'where the task %s, which the service refunded',
		async (status) => {
			service.on('GET', OF_KNOWN, {
				json: { code: 200, data: { status, error: { message: 'Refused' } } },
			});
			expect((await buyOrUse()).json).toMatchObject([{ taskId: 'task_1', status: 'completed' }]);
		},
	);

	test.each([403, 404, 410])(
		'where its links answer %i, and "When Its Files Are Gone" is Buy Again',
		async (status) => {
			fileAnswers(gone(status));
			expect((await buyOrUse({ whenFilesAreGone: 'buyAgain' })).json).toMatchObject([
				{ taskId: 'task_1', status: 'completed' },
			]);
		},
	);

	test('where the service does not know the task a minute later either, with Buy Again', async () => {
		service.on('GET', OF_KNOWN, noSuchTask);
		const { json } = await buyOrUse({ whenFilesAreGone: 'buyAgain' });
		expect(json).toMatchObject([{ taskId: 'task_1' }]);
		const [first, second] = service.sent('GET', OF_KNOWN);
		expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(60_000);
	});

	test('also where Timeout is shorter than that minute, as are the other items', async () => {
		service.on('GET', OF_KNOWN, noSuchTask);
		const { json } = await buySounds(
			service,
			2,
			{
				existingTaskId: `={{ $itemIndex === 0 ? '${KNOWN}' : '' }}`,
				whenFilesAreGone: 'buyAgain',
				timeout: 30,
			},
			{ settings: { onError: 'continueRegularOutput' } },
		);
		expect(json.map(({ status }) => status)).toStrictEqual(['completed', 'completed']);
		expect(bought()).toBe(2);
	});
});

describe('Nothing is bought', () => {
	const failed = async (options: INodeParameters) =>
		await buyOrUse(options, { settings: { onError: 'continueRegularOutput' } });

	test.each<[string, () => void, string]>([
		[
			'the service does not know the task',
			() => service.on('GET', OF_KNOWN, noSuchTask),
			'unknown to the service',
		],
		['the links are dead', () => fileAnswers(gone(404)), 'completed, and its files are gone'],
		[
			'the task was canceled, of which no refund is promised',
			() => service.on('GET', OF_KNOWN, { json: { status: 'cancelled', progress: 40 } }),
			'ended without a result',
		],
	])('where %s: the item fails', async (_, prepare, words) => {
		prepare();
		const { json } = await failed({});
		expect(json).toMatchObject([
			{
				status: 'not submitted',
				error: {
					message: expect.stringContaining(`task ${KNOWN} is ${words}`),
					description: expect.stringContaining('"Buy Again"'),
				},
			},
		]);
		expect(bought()).toBe(0);
	});

	test('for a video: the specification does not show where its record is', async () => {
		service.on('GET', `/v1/tasks/${KNOWN}`, noSuchTask);
		const { json } = await runNode({
			node: new MediaGenVideo(),
			parameters: {
				prompt: 'A harbor',
				waitMode: 'none',
				options: { existingTaskId: KNOWN, whenFilesAreGone: 'buyAgain' },
			},
			credential: service.credential(),
			settings: { onError: 'continueRegularOutput' },
		});
		expect(json).toMatchObject([
			{ error: { description: expect.stringContaining('nothing was bought for this item') } },
		]);
		expect(bought()).toBe(0);
	});

	test('where a link that was refused once works a minute later', async () => {
		service.on('GET', FILE, gone(403), { text: 'sound' });
		const { json } = await buyOrUse({ whenFilesAreGone: 'buyAgain' });
		expect(json).toMatchObject([{ taskId: KNOWN, reused: true }]);
		expect(bought()).toBe(0);
	});

	test('where a task that was bought a moment ago is known a minute later', async () => {
		service.on('GET', OF_KNOWN, noSuchTask, withFile());
		const { json } = await buyOrUse({ whenFilesAreGone: 'buyAgain' });
		expect(json).toMatchObject([{ taskId: KNOWN, reused: true }]);
		expect(bought()).toBe(0);
	});

	test('where the path of the records is the user’s own: it may be wrong', async () => {
		service.on('GET', `/v2/tasks/${KNOWN}`, noSuchTask);
		const { json } = await failed({
			whenFilesAreGone: 'buyAgain',
			taskQueryPath: '/v2/tasks/{task_id}',
		});
		expect(json).toMatchObject([
			{
				status: 'not submitted',
				error: {
					message: expect.stringContaining('No such task'),
					description: expect.stringContaining('nothing was bought for this item'),
				},
			},
		]);
		expect(bought()).toBe(0);
	});

	test.each<[string, Reply]>([
		['401', { status: 401, json: { error: { message: 'Wrong key' } } }],
		['403', { status: 403, json: { error: { message: 'No' } } }],
		['500', { status: 500, json: {} }],
		['the 404 page of a proxy', { status: 404, text: '<html>Not found</html>' }],
		['the 404 of a gateway', { status: 404, json: { status: 404, error: 'Not Found' } }],
		['a 404 without a type', { status: 404, json: { error: { message: 'Not Found' } } }],
		[
			'a 404 of another type',
			{ status: 404, json: { error: { message: 'no route matched', type: 'not_found' } } },
		],
		[
			'a 404 about the key',
			{ status: 404, json: { error: { type: 'authentication_error', message: 'No' } } },
		],
		['the error of a 404 in HTTP 200', { json: noSuchTask.json }],
		['a 404 in HTTP 200', { json: { code: 404, data: null, message: 'no such thing' } }],
		[
			'the record of another task',
			{ json: { id: 'task_other', status: 'failed', error: { message: 'x' } } },
		],
		['half a JSON', { text: '{"code": 200, "data": {' }],
		['no status', { json: { code: 200, data: {} } }],
		['a broken connection', { reset: true }],
	])('after %s, also with Buy Again', async (_, reply) => {
		service.on('GET', OF_KNOWN, reply);
		const { json } = await failed({ whenFilesAreGone: 'buyAgain' });
		expect(json).toMatchObject([
			{
				status: 'not submitted',
				error: { description: expect.stringContaining('so nothing was bought for this item') },
			},
		]);
		expect(bought()).toBe(0);
	});

	test.each<[string, unknown]>([
		['a list', [KNOWN]],
		['an object', { taskId: KNOWN }],
		['true', true],
	])('where "Existing Task" is %s', async (_, existing) => {
		const { json } = await buySounds(
			service,
			1,
			{ existingTaskId: '={{ $json.existing }}' },
			{
				items: [{ json: { existing: existing as string } }],
				settings: { onError: 'continueRegularOutput' },
			},
		);
		expect(json[0]?.error).toMatchObject({
			message: expect.stringContaining('"Existing Task" must be the ID of one task, as text'),
		});
		expect(bought()).toBe(0);
	});

	test('while another item fails: without "Continue", the node ends before the first purchase', async () => {
		service.on('GET', OF_KNOWN, noSuchTask);
		const { error } = await buySounds(service, 2, {
			existingTaskId: `={{ $itemIndex === 1 ? '${KNOWN}' : '' }}`,
		});
		expect(error?.message).toContain(`task ${KNOWN} is unknown to the service`);
		expect(bought()).toBe(0);
	});
});

describe('The purchase key', () => {
	test('stands on each item, and is that of Check Only', async () => {
		const { json } = await buySounds(service, 2, {});
		const checked = await buySounds(service, 2, { checkOnly: true });
		const keys = json.map(({ purchaseKey }) => purchaseKey);
		expect(new Set(keys).size).toBe(2);
		expect(checked.json.map(({ purchaseKey }) => purchaseKey)).toStrictEqual(keys);
	});

	test('is the same with another reference, and another with another copy number', async () => {
		const keyWith = async (options: INodeParameters) =>
			(await buySounds(service, 1, { ...options, checkOnly: true })).json[0]?.purchaseKey;
		const key = await keyWith({});
		expect(await keyWith({ reference: 'row 7', copyNumber: 1 })).toBe(key);
		expect(await keyWith({ callbackBaseUrl: 'https://n8n.example.com/webhook/1' })).toBe(key);
		expect(await keyWith({ copyNumber: 2 })).not.toBe(key);
	});

	test('stands on the item of a purchase that failed', async () => {
		service.on('POST', '*', { status: 400, json: { error: { message: 'Bad' } } });
		const { json } = await buySounds(
			service,
			1,
			{},
			{ settings: { onError: 'continueRegularOutput' } },
		);
		expect(json).toMatchObject([
			{ status: 'not submitted', purchaseKey: expect.stringMatching(/^[0-9a-f]{32}$/) },
		]);
	});

	test('a copy number that is none is named before anything is sent', async () => {
		const { error } = await buySounds(service, 1, { copyNumber: 0 });
		expect(error?.message).toContain('"Copy Number" must be a whole number of at least 1');
		expect(service.requests).toEqual([]);
	});
});
