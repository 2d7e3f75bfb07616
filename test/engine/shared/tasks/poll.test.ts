import fc from 'fast-check';

import { clock } from '../../../../nodes/shared/util/clock';
import { jumpingClock, realMs } from '../../support/clocks';
import { ok } from '../../support/engine';
import type { Reply } from '../../support/scriptedService';
import {
	accepted,
	completed,
	completedWith,
	failed,
	running,
	serviceError,
	songAt,
	unclear,
	unknownTask,
} from '../../support/scriptedTasks';
import { runnerOf } from '../../support/operations';
import { goOn } from '../../support/settings';
import { statusesOf, useSoundService } from '../../support/soundService';

const { service, onSubmit, onRecord, onRecordOf, buy, pause, bought, recordsRead } =
	useSoundService(jumpingClock);

const asked = () => recordsRead().map(({ path }) => path.split('/').pop());

const FIRST_SONG = 'https://files.example.com/1.mp3';

const continues =
	'The task continues at the service. Get it with the resource Task, operation Wait, and the task ID task_1.';

describe('The error of a task that did not end in time', () => {
	test('has its last status and how to get it, and no error of a request before the last', async () => {
		onRecord({ status: 502 }, running);
		const { json } = await buy(1, { timeout: 5 }, goOn);
		expect(json[0]).toMatchObject({ taskId: 'task_1', status: 'submitted' });
		expect(json[0]?.error).toMatchObject({
			message: 'Task task_1 was still submitted after 5 seconds [row 1 (item 0)]',
			description: `Its last status was "pending". ${continues} A higher "Timeout" in the options waits longer.`,
		});
	});

	test('has what went wrong at last', async () => {
		onRecord(running, { status: 502 });
		const { json } = await buy(1, { timeout: 5 }, goOn);
		expect(json[0]?.error).toMatchObject({
			description: `Its last status was "pending". The last request failed: Bad gateway (HTTP 502). ${continues} A higher "Timeout" in the options waits longer.`,
		});
	});
});

/** Seconds after the purchase at which the task was asked for. */
const askedAt = () => recordsRead().map(({ at }) => (at - (bought()[0]?.at ?? 0)) / 1_000);

describe('A task is asked for', () => {
	/** When a task is asked for that ends after so many seconds, if the service expects its end in `estimate` seconds. */
	async function requestsFor(seconds: number, estimate?: number): Promise<number[]> {
		service.requests.length = 0;
		const end = clock.now() + seconds * 1_000;
		const early = { json: { status: 'running', estimated_time: estimate } };
		onRecord(() => (clock.now() < end ? early : completed));
		const { json } = await buy(1, { pollInterval: 4 });
		expect(statusesOf(json)).toEqual(['completed']);
		return askedAt();
	}

	test('after a second and then at the interval, as long as the service expects nothing', async () => {
		expect(await requestsFor(10)).toEqual([1, 5, 9, 13]);
	});

	test.each([
		['between two requests', 7, 7, [1, 5, 7.25]],
		['at once', 3, 3, [1, 3.25]],
		['just after a request, which is put off for it', 9, 9, [1, 5, 9.25]],
		['too early: then again at the interval', 11, 7, [1, 5, 7.25, 11.25]],
		['too late: at the interval', 6, 60, [1, 5, 9]],
	])('when the service expects its end %s', async (_, seconds, estimate, requests) => {
		expect(await requestsFor(seconds, estimate)).toEqual(requests);
	});

	test('no more often than its duration in intervals and two more, three where its end comes at another time than expected, and a second late at most', async () => {
		const durations = fc.integer({ min: 1, max: 120_000 }).map((ms) => ms / 1_000);
		const wrong = fc.integer({ min: -10, max: 150 });
		const expected = fc.oneof(fc.constant(undefined), fc.constant('right'), wrong);
		await fc.assert(
			fc.asyncProperty(durations, expected, async (seconds, end) => {
				const requests = await requestsFor(seconds, end === 'right' ? Math.ceil(seconds) : end);
				const more = typeof end === 'number' ? 3 : 2;
				expect(requests.length).toBeLessThanOrEqual(seconds / 4 + more);
				expect(requests.at(-1)).toBeLessThanOrEqual(seconds + 5);
			}),
			{ numRuns: 40 },
		);
	}, 180_000);

	test.each([
		[5.5, [1, 5.75]],
		[5.75, [1, 5]],
		[0.75, [1, 5]],
	])('at its end in %d s, within a quarter of the interval: %j', async (estimate, requests) => {
		onRecord({ json: { status: 'running', estimated_time: estimate } }, completed);
		await buy(1, { pollInterval: 4 });
		expect(askedAt()).toEqual(requests);
	});

	test.each<[string, Reply]>([
		['submitted', running],
		['completed', completed],
	])('a last time at "Timeout", and comes out as %s then', async (status, last) => {
		onRecord(running, running, running, last);
		const { json } = await buy(1, { pollInterval: 4, timeout: 10 }, goOn);
		expect(statusesOf(json)).toEqual([status]);
		expect(askedAt()).toEqual([1, 5, 9, 10]);
	});

	test.each([
		['7', 10, [1, 8]],
		['0.5', 10, [1, 5]],
		['60', 10, [1, 10]],
		['3600', 600, [1, 31]],
	])(
		'after a pause of %s s that the service asks for, but not within the interval, and not beyond "Timeout" (%d s) or half a minute',
		async (retryAfter, timeout, requests) => {
			onRecord({ status: 429, headers: { 'retry-after': retryAfter } }, completed);
			await buy(1, { pollInterval: 4, timeout });
			expect(askedAt()).toEqual(requests);
		},
	);
});

test.each<Record<string, string>>([{}, { 'retry-after': '3' }, { 'retry-after': '20' }])(
	'a submission that is held up until the timeout (%j) does not keep what was bought from being read',
	async (headers) => {
		onSubmit(accepted('task_1'), { ...serviceError(429, 'Slower'), headers });
		onRecord(completed);
		const { json } = await buy(2, { timeout: 20, concurrency: 1 }, goOn);
		expect(statusesOf(json)).toStrictEqual(['completed', 'not submitted']);
		expect(recordsRead()).toHaveLength(1);
	},
);

test('a canceled wait stops at once, leaves nothing running, and its error says how to get the task', async () => {
	let stop = () => {};
	onRecord(running, () => {
		stop();
		return running;
	});
	const { run, error } = await buy(1, {}, { onStart: (cancel) => (stop = cancel) });
	expect(run.status).toBe('canceled');
	expect(error?.message).toBe(
		'The execution was canceled while it waited for task task_1 [row 1 (item 0)]',
	);
	expect(error?.description).toContain(continues);
	// Requests that went on would arrive.
	await realMs(200);
	expect(asked()).toHaveLength(2);
});

test('the error of a task that the service does not know, a minute after its submission, names the task and the option for its path', async () => {
	onRecord(unknownTask);
	const began = clock.now();
	const { json } = await buy(1, {}, goOn);
	expect(json[0]?.error).toMatchObject({
		message: 'Task not found: No such task [row 1 (item 0)]',
		description:
			'This was the response to the request for task task_1. The node has bought this task, so the service may have the records of tasks at another path: set "Task Query Path" in the options. Then get the task with the resource Task, operation Get, and the task ID task_1.',
	});
	expect(clock.now() - began).toBeGreaterThanOrEqual(60_000);
	expect(clock.now() - began).toBeLessThan(65_000);
});

test('the error of a task whose record is refused says how to get it later: another run would buy another one', async () => {
	onRecord(serviceError(410, 'record moved'));
	const { error } = await buy();
	expect(error?.description).toContain('Get the task later, with the resource Task');
	expect(error?.description).not.toContain('run the node again');
});

const page = (status: number): Reply => ({ status, text: '<html><h1>No</h1></html>' });
const noRoute: Reply = { status: 404, json: { message: 'no Route matched with those values' } };
const notFound: Reply = { status: 404, json: { statusCode: 404, error: 'Not Found' } };
const ofAnother = failed('Not yours', { id: 'other' });
const forAMinute = [1, 60, 119, 178];
const cameAgain = [running, running, unknownTask, running, unknownTask];

test.each<[string, number, Reply[]]>([
	['a 404 of the service for a minute after the submission', 58.999, [unknownTask, unknownTask]],
	['one for a minute, long after that', 58, [running, running, unknownTask, unknownTask]],
	['one after another error', 61, [running, unclear, unknownTask]],
	['the 404 page of a proxy, for however long', 59, [page(404), page(404), page(404)]],
	['a 404 of a gateway without the error of the service', 59, [noRoute, noRoute, noRoute]],
	['one in the words of HTTP', 59, [notFound, notFound, notFound]],
	['half a JSON', 59, [{ text: '{"code": 200, "data": {' }]],
	['a 401 of another server, such as a proxy', 59, [page(401)]],
	['a 403 of another server', 59, [page(403)]],
	['the failure of another task', 59, [ofAnother]],
	['a reset', 59, [{ reset: true }]],
	['an answer that is not JSON', 59, [{ text: '<html>' }]],
	['a 429', 59, [{ status: 429 }]],
	['a 502', 59, [{ status: 502 }]],
])('A wait goes on after %s', async (_, pollInterval, replies) => {
	onRecord(...replies, completed);
	const { json } = await buy(1, { pollInterval, timeout: 600 });
	expect(json).toMatchObject([{ taskId: 'task_1', status: 'completed' }]);
});

test.each<[string, Reply[], string, number[]]>([
	['a 404 of the service for a minute', [unknownTask], 'Task not found', [1, 60]],
	[
		'one that comes again after a record',
		cameAgain,
		'Task not found',
		[...forAMinute, 237, 296, 355],
	],
	[
		'a 401 of another server for a minute',
		[running, page(401)],
		'Authentication failed',
		forAMinute,
	],
	['a 403 of another server for a minute', [running, page(403)], 'Permission denied', forAMinute],
	['the failure of another task for a minute', [running, ofAnother], 'task other', forAMinute],
	['a 401 of the service at once', [serviceError(401, 'No')], 'Authentication failed', [1]],
	['a 403 of the service at once', [serviceError(403, 'No')], 'Permission denied', [1]],
])('A wait ends with %s', async (_, replies, words, requests) => {
	onRecord(...replies);
	const { error } = await buy(1, { pollInterval: 59, timeout: 600 });
	expect(error?.message).toContain(words);
	expect(askedAt()).toEqual(requests);
});

describe('A completed record without a result is read again', () => {
	const empty = (result: unknown, more: object = {}) =>
		completedWith(result, { progress: 100, ...more });

	const emptyLinks = { vocal_url: null, drums_url: '' };

	test.each<[string, unknown]>([
		['null', null],
		['no list', {}],
		['an empty list', { music: [] }],
		['a track without its link', { music: [{ title: 'Waves', audio_url: '' }] }],
		['one track of two', { music: [{ audio_url: `${FIRST_SONG}?1` }, { audio_url: null }] }],
		[
			'one track of two, and no place',
			{ music: [{ audio_url: `${FIRST_SONG}?1` }, { title: 'B' }] },
		],
		['streams alone', { music: Array(2).fill({ stream_audio_url: `${FIRST_SONG}?stream` }) }],
		['an empty link', { audio_url: '', title: 'Waves' }],
		['words in place of a song', { text: 'almost done' }],
		['its cover alone', { cover_url: 'https://files.example.com/cover.png' }],
		['its source beside empty links', { origin_url: `${FIRST_SONG}?2`, ...emptyLinks }],
		['an empty link beside a preview', { preview_url: `${FIRST_SONG}.ogg`, audio_url: null }],
		['an empty stem beside its source', { source_audio_url: FIRST_SONG, stems: { drums: null } }],
	])('until it is filled, where it has %s', async (_, result) => {
		onRecord(running, empty(result), empty(result), completed);
		const { json } = await buy();
		expect(json[0]).toMatchObject({ status: 'completed', url: FIRST_SONG });
		expect(asked()).toHaveLength(4);
	});

	test('also where the acknowledgement shows the end', async () => {
		onSubmit({ json: { data: { task_id: 'task_1', status: 'completed', result: null } } });
		const { json } = await buy();
		expect(json[0]).toMatchObject({ status: 'completed', url: FIRST_SONG });
	});

	test('for half a minute; then it comes out as it is', async () => {
		onRecord(empty([]));
		const began = clock.now();
		const { json } = ok(await buy());
		expect(json[0]).toMatchObject({ taskId: 'task_1', status: 'completed', results: [] });
		expect(clock.now() - began).toBeGreaterThanOrEqual(30_000);
		expect(clock.now() - began).toBeLessThan(35_000);
	});

	test('not at all where the task ended more than a minute ago', async () => {
		onRecord(empty([], { completed: clock.now() / 1_000 - 61 }));
		const { json } = await buy();
		expect(json[0]).toMatchObject({ status: 'completed', results: [] });
		expect(asked()).toHaveLength(1);
	});

	test('for half a minute from its last end, where its status goes back', async () => {
		onRecord(empty([]), ...Array<Reply>(40).fill(running), empty([]), completed);
		const { json } = await buy();
		expect(json[0]).toMatchObject({ status: 'completed', url: FIRST_SONG });
	});

	/** Empty, with an end of now. */
	const endedNow = (result: unknown = []) => empty(result, { completed: clock.now() / 1_000 });
	const aPart = { music: [{ audio_url: FIRST_SONG }, { audio_url: null }] };
	const twoSongs = completedWith({
		music: [{ audio_url: FIRST_SONG }, { audio_url: FIRST_SONG + 2 }],
	});

	test.each<[string, () => Reply, () => Reply]>([
		['cannot be read', () => endedNow(aPart), () => ({ status: 500 })],
		['is not found', () => endedNow(aPart), () => unknownTask],
		['shows no more', () => endedNow(aPart), () => endedNow(aPart)],
		['shows nothing', () => endedNow(), () => endedNow()],
	])(
		'until it is whole, where the task ran for minutes after its end, and then %s once',
		async (_, first, once) => {
			// With the time of the first end.
			const [before, between] = [first(), once()];
			onRecord(before, ...Array<Reply>(90).fill(running), between, running, twoSongs);
			const { json } = await buy(1, { timeout: 1_000 });
			expect(json[0]).toMatchObject({ status: 'completed', results: [{}, {}] });
		},
	);

	test('also where the purchases of other rows took more than a minute', async () => {
		onRecordOf('task_known', endedNow(), completed);
		onSubmit({ status: 429, headers: { 'retry-after': '75' } }, accepted('task_1'));
		const existingTaskId = "={{ $itemIndex === 0 ? 'task_known' : '' }}";
		const { json } = await buy(2, { existingTaskId });
		expect(json[0]).toMatchObject({ taskId: 'task_known', reused: true, url: FIRST_SONG });
	});

	test('no longer than Timeout', async () => {
		onRecord(empty([]));
		const began = clock.now();
		const { json } = ok(await buy(1, { timeout: 5 }));
		expect(json[0]).toMatchObject({ status: 'completed', results: [] });
		expect(clock.now() - began).toBe(5_000);
	});

	const PICTURE = 'https://files.example.com/1.png';
	const CLIP = 'https://files.example.com/1.mp4';
	const [IMAGE, VIDEO, MUSIC] = ['image.generate', 'video.generate', 'music.task.submit'];
	const LYRICS = 'https://files.example.com/lyrics/1';
	const inAList = { images: [{ url: [''], preview: PICTURE }] };
	const titled = { title: 'T', audio_url: '', image_url: PICTURE };
	const likeAPreview = { music: [{ name: 'preview 1', audio_url: FIRST_SONG }] };

	/** Buys with the smallest input; a custom request names no kind of result. Returns the item and how often its record was read. */
	async function madeBy(operation: string, ...records: Reply[]) {
		service.on('POST', '*', accepted('task_1'));
		service.on('GET', '/v1/*tasks/*', ...records);
		const given = { path: '/v1/create', bodyType: 'json', body: '{"prompt":"rain"}' };
		const { json, error } = await runnerOf(service)(operation, { ...given, downloadFiles: false });
		return { item: json[0], error, reads: service.sent('GET', '*').length };
	}

	test.each<[string, string, object, string]>([
		['a thumbnail', IMAGE, { thumbnail_url: `${PICTURE}?t`, url: null }, PICTURE],
		['a preview', IMAGE, { preview_url: `${PICTURE}?p`, output: null }, PICTURE],
		['a cover', IMAGE, { cover_url: `${PICTURE}?c`, images: [] }, PICTURE],
		['the list of a preview', IMAGE, inAList, PICTURE],
		['a picture', VIDEO, { image_url: PICTURE, video_url: '' }, CLIP],
		['a cover in a list', VIDEO, { videos: [{ url: [], image_url: PICTURE }] }, CLIP],
		['a sound', VIDEO, { audio_url: FIRST_SONG, video_url: null }, CLIP],
		['a picture that moves', VIDEO, { url: `${PICTURE}.gif`, videos: [] }, CLIP],
		['its source', VIDEO, { reference_video_url: `${CLIP}?1`, video_url: null }, CLIP],
		['a cover', 'video.task.submit', { video: { url: null, cover: PICTURE } }, CLIP],
		['a title and a cover', MUSIC, titled, FIRST_SONG],
		['the cover of a track', MUSIC, { music: [{ image_url: PICTURE }] }, FIRST_SONG],
		['its lyrics', 'music.sounds', { music: [{ audio_url: '', lyrics_url: LYRICS }] }, FIRST_SONG],
		['a stream', 'music.sounds', { music: [{ audio_url: '', stream_url_hd: LYRICS }] }, FIRST_SONG],
		['its karaoke', 'music.sounds', { music: [{ karaoke_url: LYRICS }] }, FIRST_SONG],
		['its subtitles', VIDEO, { video_url: '', subtitles_url: LYRICS }, CLIP],
	])('until it has more than %s (%s)', async (_, operation, result, url) => {
		const { item, reads } = await madeBy(operation, empty(result), completedWith({ url }));
		expect(item).toMatchObject({ status: 'completed', url });
		expect(reads).toBe(2);
	});

	test('a picture in the record itself is whole, though its link is empty', async () => {
		const images = [{ url: null, b64_json: 'iVBORw0KGgoAAAANSUhEUg==' }];
		const { item, reads } = await madeBy(IMAGE, completedWith({ images }));
		expect(item?.results).toHaveLength(1);
		expect(reads).toBe(1);
	});

	test.each<[string, string, object]>([
		['grid.variation', 'VARIATION', []],
		['grid.reroll', 'REROLL', ['', '', '', '']],
		['grid.task.submit', 'IMAGINE', [null]],
	])('until the new grid of %s has its four pictures', async (operation, action, image_urls) => {
		service.on('POST', '*', accepted('task_1'));
		const grid = { status: 'SUCCESS', action, grid_image_url: `${PICTURE}?grid` };
		const four = [1, 2, 3, 4].map((at) => `${PICTURE}?${at}`);
		const records = [image_urls, four].map((urls) => ({ json: { ...grid, image_urls: urls } }));
		// Of the parent, too.
		service.on('GET', '/v1/tasks/*', { json: { ...grid, action: 'REROLL', image_urls: four } });
		service.on('GET', '/v1/tasks/task_1', ...records);
		const given = { path: '/v1/gridart/imagine', bodyType: 'json', taskId: 'grid_1', index: 1 };
		const { json } = await runnerOf(service)(operation, { ...given, downloadFiles: false });
		expect(json[0]?.results).toHaveLength(5);
	});

	test.each<[string, object, object]>([
		['video', { video_url: null, image_url: PICTURE }, { video_url: CLIP }],
		['image', { url: '', preview_url: `${PICTURE}?p`, fail_reason: '' }, { url: PICTURE }],
	])('until a record without "result" has its %s', async (family, bare, filled) => {
		const records = [bare, { ...bare, ...filled }].map((fields) => ({
			json: { status: 'completed', ...fields },
		}));
		const { item } = await madeBy(`${family}.generate`, ...records);
		expect(item?.url).toBe(Object.values(filled)[0]);
	});

	test.each<[string, object]>([
		['lacks some of its files', { music: [{ audio_url: FIRST_SONG }, { audio_url: '' }] }],
		['has no audio that', { cover_url: 'https://files.example.com/cover.png' }],
	])('and what it has comes out at last, with a note that its record %s', async (words, result) => {
		const { item } = await madeBy('music.sounds', empty(result));
		expect(item?.results).toHaveLength(1);
		expect(item?.notes).toEqual([expect.stringContaining(`its record ${words}`)]);
	});

	const part = completedWith({ music: [{ audio_url: FIRST_SONG }, { audio_url: '' }] });
	const runsAgain = Array<Reply>(30).fill(running);

	const failedNow = 'The service calls task task_1 failed now: Too loud';

	test.each<[string, Reply, ...string[]]>([
		['that is not found', unknownTask],
		['that may not be read', serviceError(403, 'Not yours')],
		['that cannot be read', { status: 500 }],
		['without it', completedWith({ music: [] })],
		['with its cover alone', completedWith({ music: [{ image_url: PICTURE, audio_url: '' }] })],
		['that has failed', failed(), failedNow],
		[
			'that has failed, and shows it',
			failed('Too loud', { result: songAt(FIRST_SONG) }),
			failedNow,
		],
	])('and a file that has come is not lost by a later record %s', async (_, later, ...notes) => {
		const { item, reads } = await madeBy('music.sounds', part, later);
		expect(item).toMatchObject({ status: 'completed', results: [{ url: FIRST_SONG }] });
		expect(item?.notes).toEqual([expect.stringContaining('lacks some of its files'), ...notes]);
		expect(reads).toBeLessThan(20);
	});

	test('a task that runs again is waited for, however long', async () => {
		const whole = completedWith(songAt(FIRST_SONG, `${FIRST_SONG}?2`));
		const { item } = await madeBy('music.sounds', part, ...runsAgain, whole);
		expect(item?.results).toHaveLength(2);
	});

	test('a task that still runs again at Timeout says so beside the files that have come', async () => {
		const { item } = await madeBy('music.sounds', part, running);
		expect(item).toMatchObject({ status: 'completed', results: [{ url: FIRST_SONG }] });
		expect(item?.notes).toContain('The service calls task task_1 running again: use Task: Wait');
	});

	test('a cover is no file that has come: a task that fails has failed', async () => {
		const cover = completedWith({ cover_url: PICTURE });
		const { error } = await madeBy('music.sounds', cover, failed());
		expect(error?.message).toContain('Too loud');
	});

	test.each<[string, string, object]>([
		['a song under the ending of a video', 'music.sounds', songAt(`${FIRST_SONG}.mp4`)],
		['a song named like a preview', 'music.sounds', likeAPreview],
		['a sound of unknown ending', 'music.sounds', { songs: [{ url: `${FIRST_SONG}.mp4` }] }],
		['text', 'music.upsampleTags', { upsampled_tags: 'slow folk', language: 'en' }],
		['text', MUSIC, { upsampled_tags: 'slow folk', language: 'en' }],
		['a picture, for which one asked', MUSIC, { image_url: PICTURE }],
		['a video beside an empty list', VIDEO, { video_url: CLIP, videos: [], audio_url: '' }],
		['a picture beside an empty list', IMAGE, { image_url: PICTURE, images: [] }],
		['what describes it', VIDEO, { url: PICTURE, video: { id: 'v', length: 8 } }],
		['a picture that moves, alone', VIDEO, { url: `${PICTURE}.gif` }],
		['the original beside a copy', VIDEO, { original_url: CLIP, watermark_url: `${CLIP}?2` }],
	])('not where it has %s (%s)', async (_, operation, result) => {
		const { item, reads } = await madeBy(operation, empty(result));
		expect(item).toMatchObject({ status: 'completed' });
		expect(item).not.toHaveProperty('notes');
		expect(reads).toBe(1);
	});

	test('not where it has a grid', async () => {
		const grid = empty(null, { grid_image_url: `${PICTURE}?grid` });
		expect((await madeBy('music.sounds', grid)).reads).toBe(1);
	});
});

test('the tasks are waited for together, as long as the slowest takes', async () => {
	onRecord(running, running, running, running, completed);
	const began = clock.now();
	const { json } = await buy(3);
	expect(statusesOf(json)).toStrictEqual(['completed', 'completed', 'completed']);
	expect(clock.now() - began).toBeLessThan(6_000);
});

describe('Nothing is asked for', () => {
	/** An acknowledgement that has the end of the task. */
	const endedAtOnce = (end: object): Reply => ({ json: { data: { task_id: 'task_1', ...end } } });
	const done = endedAtOnce({ status: 'completed', result: songAt(FIRST_SONG) });

	test('a task whose acknowledgement had its end', async () => {
		onSubmit(done);
		const { json } = await buy();
		expect(json[0]).toMatchObject({ taskId: 'task_1', status: 'completed', url: FIRST_SONG });
		expect(asked()).toEqual([]);
	});

	test('a task whose acknowledgement had its failure', async () => {
		onSubmit(endedAtOnce({ status: 'failed', result: null, error: 'Too loud' }));
		const { error } = await buy();
		expect(error?.message).toBe('Task task_1 failed: Too loud [row 1 (item 0)]');
		expect(asked()).toEqual([]);
	});

	test('an item that was not bought', async () => {
		onSubmit({ status: 400 }, accepted('task_2'));
		await buy(2, { concurrency: 1 }, goOn);
		expect(asked()).toEqual(['task_2']);
	});

	test.each<[string, Reply]>([
		['a task whose acknowledgement had its end', done],
		['an item that was not bought', { status: 400 }],
	])('before a pause, %s', async (_, first) => {
		onSubmit(first, accepted('task_2'));
		onRecord(running);
		await pause(2, { concurrency: 1 }, goOn);
		expect(asked()).toEqual(['task_2']);
	});
});

test('where the service says that it canceled something, the execution has failed, and its error workflow starts', async () => {
	onRecord(failed('The job was canceled'));
	const ofTask = await buy();
	expect(ofTask.error?.message).toBe('Task task_1 failed: The job was cancelled [row 1 (item 0)]');
	onSubmit(serviceError(400, 'Your subscription is canceled'));
	const ofRequest = await buy();
	expect(ofRequest.error?.message).toContain('Your subscription is cancelled');
	onSubmit({ text: '<b>canceled</b>' });
	const ofNoAnswer = await buy();
	expect(ofNoAnswer.error?.message).toContain('<b>cancelled</b>');
	const statuses = [ofTask, ofRequest, ofNoAnswer].map(({ run }) => run.status);
	expect(statuses).toEqual(['error', 'error', 'error']);
});

test.each<[string, Reply]>([
	['a 5xx', unclear],
	['a task that is not known yet', { status: 404 }],
	['a reset', { reset: true }],
])('%s before a pause changes nothing: the node pauses', async (_, reply) => {
	onRecord(reply);
	const { paused } = await pause();
	expect(paused.json[0]).toMatchObject({ taskId: 'task_1', status: 'submitted' });
	expect(asked()).toEqual(['task_1']);
});
