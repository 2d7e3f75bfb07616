import { MediaGenTrigger } from '../../../nodes/MediaGenTrigger/MediaGenTrigger.node';
import { type Reply, SCRIPTED_KEY, useScriptedService } from '../support/scriptedService';
import { TriggerHost, useManualClock } from '../support/triggerHost';

const time = useManualClock();
const service = useScriptedService();

const links = (...urls: string[]) => ({ images: [{ url: urls }] });
const done = (id: string, result: object) => ({ id, status: 'completed', progress: 100, result });
const picture = (id: string) => done(id, links('https://example.com/1.png'));
const song = { music: [{ audio_url: 'https://example.com/1.mp3' }] };
const ended = (id: string) => ({ id, status: 'completed' });

/** A callback that came before. */
const before = { message: expect.stringContaining('before') as string };

/** Without downloads, which have tests of their own. */
const trigger = (parameters: object = {}) =>
	new TriggerHost(service.credential(), { downloadFiles: false, ...parameters });

let host: TriggerHost;
beforeEach(() => (host = trigger()));

const shared = (id: string) => `/v1/tasks/${id}`;
const music = (id: string) => `/v1/music/tasks/${id}`;

describe('A callback for a task', () => {
	test('that the service knows under another path starts an execution once "Task Query Path" names it', async () => {
		service.on('GET', '/v1/videos/clip', {
			json: { id: 'clip', status: 'success', result: { video_url: 'https://example.com/1.mp4' } },
		});
		const host = trigger({ options: { taskQueryPath: '/v1/videos/{task_id}' } });
		const { status, output } = await host.receive({ id: 'clip', status: 'success' });
		expect(status).toBe(200);
		expect(output?.json).toMatchObject([{ taskId: 'clip', family: 'video', status: 'completed' }]);
	});

	test('whose link does not say what it is starts one at once: it is of the kind of its family', async () => {
		const vocals_url = 'https://example.com/s/8f3a?sig=1';
		service.on('GET', music('stem'), { json: done('stem', { stems: { vocals_url } }) });
		const { status, output } = await host.receive(ended('stem'));
		expect(status).toBe(200);
		const results = [{ kind: 'audio', name: 'vocals', url: vocals_url }];
		expect(output?.json).toMatchObject([{ taskId: 'stem', family: 'music', results }]);
	});

	test('by an id of the callback beside its own starts one, where its record has both', async () => {
		const ids = { id: 'own-7', task_id: 'mine', status: 'completed' };
		service.on('GET', shared('mine'), { json: { ...picture('mine'), ...ids } });
		expect((await host.receive(ids)).output?.json).toMatchObject([{ taskId: 'mine' }]);
		expect(await host.receive(ids)).toMatchObject(before);
		// The other id of this one is its parent's.
		service.on('GET', shared('parent'), { json: picture('parent') });
		const child = { id: 'child', task_id: 'parent', status: 'completed' };
		expect(await host.receive(child)).toMatchObject({ status: 503 });
	});

	test('whose record has its id beside an envelope starts one execution, with the task', async () => {
		service.on('GET', shared('mine'), {
			json: { code: 200, id: 'mine', data: { status: 'failed' } },
		});
		const { status, output } = await host.receive({ id: 'mine', status: 'failed' });
		expect(status).toBe(200);
		expect(output?.json).toMatchObject([{ taskId: 'mine', status: 'failed' }]);
		expect(await host.receive({ id: 'mine', status: 'failed' })).toMatchObject(before);
	});

	test('that claims an end and that no path knows is asked for again, and the log says what to set', async () => {
		expect(await host.receive({ id: 'clip', status: 'success' })).toMatchObject({ status: 503 });
		expect(host.log.join('\n')).toContain('"Task Query Path"');
	});

	test('that the service does not know, and that claims no end, starts nothing, and the log says why', async () => {
		const answer = await host.receive({ id: 'other', status: 'in_progress' });
		const unknown = 'the service does not know the task';
		expect(answer).toEqual({ status: 200, message: `Received, and ignored: ${unknown}` });
		expect(host.log).toEqual([
			`MediaGen Trigger: callback for task other starts nothing: ${unknown}`,
		]);
	});

	test("that a proxy knows nothing of is asked for again: its 404 is not the service's", async () => {
		for (const path of [shared('mine'), music('mine')])
			service.on('GET', path, { status: 404, text: '<h1>Not Found</h1>' });
		const call = async () => await host.receive({ id: 'mine', status: 'completed' });
		const message = 'it is not clear whether the service knows the task';
		expect(await call()).toEqual({ status: 503, message });
		expect(host.log.join('\n')).toContain('"Task Query Path"');
		// The next call, a moment later, asks again.
		service.on('GET', shared('mine'), { json: { code: 200, data: done('mine', song) } });
		expect(await call()).toMatchObject({ status: 200 });
	});

	test.each<[string, object, object]>([
		['music', done('mine', { music: [{ audio_url: '/files/1.mp3' }] }), { kind: 'audio' }],
		['image', done('mine', links('/files/1.png')), { kind: 'image' }],
		['video', done('mine', { video_url: '/files/1.mp4' }), { kind: 'video' }],
		['grid', { ...done('mine', {}), grid_image_url: '/files/g.png' }, { name: 'grid' }],
	])('of %s starts an execution at once, though a link is relative', async (family, json, file) => {
		service.on('GET', shared('mine'), { json });
		const { status, output } = await host.receive(ended('mine'));
		expect(status).toBe(200);
		const url = expect.stringContaining(`${service.url}/files/`) as string;
		expect(output?.json).toMatchObject([{ family, results: [{ url, ...file }] }]);
	});

	test('of the music family starts an execution although the shared path answers 400', async () => {
		const error = { code: 400, message: 'invalid task id' };
		service.on('GET', shared('song'), { status: 400, json: { error } });
		service.on('GET', music('song'), { json: { code: 200, data: done('song', song) } });
		const { status, output } = await host.receive(ended('song'));
		expect(status).toBe(200);
		expect(output?.json).toMatchObject([
			{ taskId: 'song', family: 'music', results: [{ kind: 'audio' }] },
		]);
	});

	test('starts an execution where the key may read music only', async () => {
		service.on('GET', shared('song'), { status: 403, json: { error: { message: 'No' } } });
		service.on('GET', music('song'), { json: done('song', song) });
		const { output } = await host.receive(ended('song'));
		expect(output?.json).toMatchObject([{ taskId: 'song', family: 'music' }]);
	});

	test.each([
		['whose id is a number that n8n rounds', '{"id": 9007199254740993, "status": "completed"}'],
		['in a list', '[{"id": "9007199254740993", "status": "completed"}]'],
	])('%s starts an execution', async (_, rawBody) => {
		const id = '9007199254740993';
		service.on('GET', shared(id), { json: picture(id) });
		const { output } = await host.receive(JSON.parse(rawBody), { rawBody });
		expect(output?.json).toMatchObject([{ taskId: id }]);
	});

	test('that n8n has not read, as its type is not that of JSON, starts an execution', async () => {
		service.on('GET', shared('plain'), { json: picture('plain') });
		const rawBody = JSON.stringify(ended('plain'));
		const { output } = await host.receive(undefined, { rawBody });
		expect(output?.json).toMatchObject([{ taskId: 'plain' }]);
	});

	test('whose id has the key in it starts an execution, which does not show it', async () => {
		const id = `task-${SCRIPTED_KEY}`;
		service.on('GET', shared(id), { json: picture(id) });
		const { output } = await host.receive(ended(id));
		expect(output?.json).toMatchObject([{ taskId: 'task-•••' }]);
		expect(JSON.stringify(output)).not.toContain(SCRIPTED_KEY);
		expect(await host.receive(ended(id))).toMatchObject({ status: 200 });
		expect(host.log.join('\n')).toContain('callback for task task-••• starts nothing');
		expect(host.log.join('\n')).not.toContain(SCRIPTED_KEY);
	});

	test('that is named by what stands for the key asks the service for nothing: the address would have the key in it', async () => {
		expect(await host.receive(ended('•••'))).toMatchObject({ status: 400 });
		expect(service.requests).toEqual([]);
	});

	test('is refused without a signature where "Only Signed Addresses" is neither on nor off', async () => {
		const host = trigger({ options: { onlySigned: '={{ "yes" }}' } });
		expect(await host.receive(ended('unsigned'))).toMatchObject({ status: 401 });
		expect(service.requests).toEqual([]);
	});

	test("of a record without an id that repeats its parent's in task_id starts an execution of its own", async () => {
		for (const id of ['cover_1', 'cover_2']) {
			const { id: _, ...record } = done(id, song);
			service.on('GET', music(id), { json: { ...record, task_id: 'parent' } });
			const { status, output } = await host.receive(ended(id));
			expect(status).toBe(200);
			expect(output?.json).toMatchObject([{ taskId: id }]);
		}
	});

	test("that is written differently in the service's record is refused", async () => {
		// A service that does not tell letters apart by case.
		for (const id of ['task_abc', 'TASK_ABC'])
			service.on('GET', shared(id), { json: { data: picture('task_abc') } });
		expect(await host.receive(ended('task_abc'))).toMatchObject({ status: 200 });
		const { status, output } = await host.receive(ended('TASK_ABC'));
		expect({ status, output }).toEqual({ status: 400, output: undefined });
	});
});

test('Two callbacks for a task at the same time start one execution', async () => {
	service.on('GET', shared('twice'), { json: picture('twice') });
	const [first, second] = [host.call(picture('twice')), host.call(picture('twice'))];
	const { starts, answer } = await first;
	expect((await host.run(starts)).json).toMatchObject([{ taskId: 'twice' }]);
	expect(await answer).toEqual({ status: 200, message: 'Received' });
	expect(await second).toMatchObject({ starts: undefined });
	const message = 'Received, and ignored: it has been received before';
	expect(await (await second).answer).toEqual({ status: 200, message });
});

test('Two callbacks under two ids of a task start one execution, though the first is still verified', async () => {
	let release = (): void => undefined;
	const after = new Promise<void>((resolve) => (release = resolve));
	service.on('GET', shared('own'), { json: picture('own'), after });
	service.on('GET', shared('other'), { json: { ...picture('own'), task_id: 'other' } });
	const first = host.call(picture('own'));
	const { starts } = await host.call(ended('other'));
	expect((await host.run(starts)).json).toHaveLength(1);
	release();
	expect(await first).toMatchObject({ starts: undefined });
});

describe('A callback for a completed record without a result', () => {
	const cover = 'https://files.example.com/c.png';

	const empty = (id: string) => done(id, { images: [] });

	test('is to be repeated, and starts an execution once the result is there', async () => {
		service.on('GET', shared('unfilled'), { json: empty('unfilled') });
		const message = 'the service shows no result of the task yet';
		expect(await host.receive(empty('unfilled'))).toMatchObject({ status: 503, message });
		service.on('GET', shared('unfilled'), { json: picture('unfilled') });
		const { status, output } = await host.receive(empty('unfilled'));
		expect(status).toBe(200);
		expect(output?.json).toMatchObject([
			{ taskId: 'unfilled', results: [{ url: 'https://example.com/1.png' }] },
		]);
	});

	test('is answered 503 where the path of songs has a picture alone', async () => {
		const record = { id: 'pictured', status: 'completed', result: { image_url: cover } };
		service.on('GET', '/v1/tasks/pictured', { status: 404 });
		service.on('GET', '/v1/music/tasks/pictured', { json: record });
		expect(await host.receive(record)).toMatchObject({ status: 503 });
	});

	test.each<[string, object]>([
		['a cover beside an empty link', { cover_url: cover, video_url: null }],
		['a list whose video has its cover alone', { videos: [{ url: [''], image_url: cover }] }],
		['a thumbnail beside an empty list', { thumbnail_url: cover, images: [] }],
		['one picture of two', { images: [{ url: [cover] }, { url: [null] }] }],
		['one song of two, the other of which is empty', { music: [{ audio_url: cover }, {}] }],
		['one song of two, the other of which is nothing', { music: [{ audio_url: cover }, null] }],
		['a cover alone', { cover_url: cover }],
		['a song with its cover alone', { music: [{ audio_url: '', image_url: cover }] }],
		['a frame alone', { first_frame_url: cover }],
		['a thumbnail alone', { thumbnail_url: cover }],
		['words alone', { revised_prompt: 'A lighthouse in the fog' }],
		['a picture beside links for each kind', { image_url: cover, video_url: null, audio_url: '' }],
		['a thumbnail beside an empty link', { thumbnail_url: cover, url: null }],
		['a preview beside an empty picture', { preview_url: cover, image_url: '' }],
	])('is answered 503 where it has %s', async (_, result) => {
		service.on('GET', shared('behind'), { json: done('behind', result) });
		expect(await host.receive(done('behind', result))).toMatchObject({ status: 503 });
		service.on('GET', shared('behind'), { json: picture('behind') });
		expect((await host.receive(picture('behind'))).output?.json).toMatchObject([
			{ taskId: 'behind', url: 'https://example.com/1.png' },
		]);
	});

	test('starts one without a result after half a minute: the task may have none', async () => {
		service.on('GET', shared('textless'), { json: empty('textless') });
		expect(await host.receive(empty('textless'))).toMatchObject({ status: 503 });
		time.advance(29_000);
		expect(await host.receive(empty('textless'))).toMatchObject({ status: 503 });
		time.advance(1_000);
		expect((await host.receive(empty('textless'))).output?.json).toMatchObject([
			{ taskId: 'textless', status: 'completed', results: [] },
		]);
	});

	test.each([
		['nothing', 'again', { video_url: '' }, { video_url: 'https://example.com/1.mp4' }],
		[
			'a part',
			'repeats',
			{ images: [{ url: [cover] }, { url: [null] }] },
			{ images: [{ url: [cover] }] },
		],
	])(
		'is answered 503 for half a minute more where a task that has shown %s has run again',
		async (_, id, first, whole) => {
			const reply = async (json: object) => {
				service.on('GET', shared(id), { json });
				time.advance(20_000);
				return (await host.receive(done(id, first))).status;
			};
			expect(await reply(done(id, first))).toBe(503);
			expect(await reply({ id, status: 'running' })).toBe(503);
			expect(await reply(done(id, first))).toBe(503);
			expect(await reply(done(id, whole))).toBe(200);
		},
	);

	test('does not keep a trigger for failed tasks from starting', async () => {
		const part = done('fails', { images: [{ url: [cover] }, { url: [null] }] });
		const failedOnly = trigger({ events: ['failed'] });
		service.on('GET', shared('fails'), { json: part });
		await failedOnly.receive(part);
		const end = { id: 'fails', status: 'failed', error: { message: 'No' } };
		service.on('GET', shared('fails'), { json: end });
		expect((await failedOnly.receive(end)).output?.json).toMatchObject([{ status: 'failed' }]);
	});

	test.each<[string, string, Reply]>([
		['is not found', 'part1', { status: 404 }],
		['cannot be read', 'part2', { status: 500 }],
		['has failed', 'part3', { json: { id: 'part3', status: 'failed', error: { message: 'No' } } }],
		['has it no more', 'part4', { json: empty('part4') }],
		['says that it runs', 'part5', { json: { id: 'part5', status: 'running', progress: 50 } }],
	])('starts one with the part that had come where the next record %s', async (_, id, later) => {
		const part = done(id, { images: [{ url: [cover] }, { url: [null] }] });
		service.on('GET', shared(id), { json: part });
		expect(await host.receive(part)).toMatchObject({ status: 503 });
		service.on('GET', shared(id), later);
		expect(await host.receive(part)).toMatchObject({ status: 503 });
		time.advance(30_000);
		expect((await host.receive(part)).output?.json).toMatchObject([
			{ taskId: id, status: 'completed', results: [{ url: cover }] },
		]);
	});

	test('starts one at once where its result is text', async () => {
		service.on('GET', shared('tags'), { json: done('tags', { upsampled_tags: 'slow folk' }) });
		expect((await host.receive(ended('tags'))).status).toBe(200);
	});
});

describe('Without "Verify With Service" a callback', () => {
	test('starts an execution as it comes, and the service is not asked', async () => {
		const { output } = await trigger({ verify: false }).receive(picture('mine'));
		expect(output?.json).toMatchObject([
			{ taskId: 'mine', family: 'image', results: [{ url: 'https://example.com/1.png' }] },
		]);
		expect(service.requests).toEqual([]);
	});

	test('that does not say the state of the task is refused', async () => {
		expect(await trigger({ verify: false }).receive({ id: 'mine' })).toMatchObject({ status: 400 });
	});
});

describe('A callback that reports no end', () => {
	test('starts an execution of its own with "Other" on, and the end another one', async () => {
		const host = trigger({ events: ['completed', 'failed', 'other'] });
		const running = { id: 'slow', status: 'in_progress' };
		service.on('GET', shared('slow'), { json: { ...running, progress: 40 } });
		expect((await host.receive(running)).output?.json).toMatchObject([
			{ taskId: 'slow', status: 'running' },
		]);
		expect(await host.receive(running)).toMatchObject(before);
		service.on('GET', shared('slow'), { json: picture('slow') });
		const { output } = await host.receive(picture('slow'));
		expect(output?.json).toMatchObject([{ taskId: 'slow', status: 'completed' }]);
		expect(await host.receive(picture('slow'))).toMatchObject({ status: 200, ...before });
		expect(await host.receive(running)).toMatchObject({ status: 200, ...before });
	});

	test('does not stand in for the end: where the record is late, the service is to call again', async () => {
		const host = trigger({ events: ['completed', 'failed', 'other'] });
		service.on('GET', shared('late'), { json: { id: 'late', status: 'in_progress' } });
		expect(await host.receive(picture('late'))).toMatchObject({ status: 503 });
		expect(await host.receive({ id: 'late' })).toMatchObject({ status: 503 });
	});
});

describe('A start whose run throws in n8n', () => {
	const SECOND = 1_000;

	test('is repeated by the last call of the service, and what still comes of the first one gives no items', async () => {
		for (const id of ['first', 'lost']) service.on('GET', shared(id), { json: picture(id) });
		await host.receive(picture('first'));

		const first = await host.call(picture('lost'));
		expect(first.starts).toBeDefined();
		expect(await time.passUntil(first.answer)).toMatchObject({ status: 503 });
		time.advance(10 * SECOND);
		const second = await host.call(picture('lost'));
		expect(second.starts).toBeUndefined();
		expect(await second.answer).toMatchObject({ status: 503 });
		time.advance(90 * SECOND);

		const { status, output } = await host.receive(picture('lost'));
		expect(status).toBe(200);
		expect(output?.json).toMatchObject([{ taskId: 'lost', status: 'completed' }]);
		expect((await host.run(first.starts)).items).toEqual([]);
		expect(await host.receive(picture('lost'))).toMatchObject(before);
	});

	test('that only began late is not repeated', async () => {
		for (const id of ['first', 'late']) service.on('GET', shared(id), { json: picture(id) });
		await host.receive(picture('first'));
		const { answer, starts } = await host.call(picture('late'));
		expect(await time.passUntil(answer)).toMatchObject({ status: 503 });
		time.advance(20 * SECOND);
		expect((await host.run(starts)).json).toMatchObject([{ taskId: 'late' }]);
		expect(await host.receive(picture('late'))).toMatchObject({ status: 200, ...before });
	});

	test('is not repeated with "Repeat When in Doubt" off', async () => {
		const host = trigger({ options: { repeatInDoubt: false } });
		for (const id of ['first', 'lost']) service.on('GET', shared(id), { json: picture(id) });
		await host.receive(picture('first'));
		await time.passUntil((await host.call(picture('lost'))).answer);
		time.advance(100 * SECOND);
		expect(await host.receive(picture('lost'))).toMatchObject({ status: 200, ...before });
	});
});

describe('A body', () => {
	test.each<[string, unknown]>([
		['that is no JSON', 'completed'],
		['without an id', { status: 'completed' }],
		['with an id of 129 characters', ended('x'.repeat(129))],
		['with an id of 5 MB', ended('x'.repeat(5_000_000))],
		['with an id of two lines', ended('task_1\nMediaGen Trigger: all is well')],
		['with an id that is half a character', ended('task_\ud800')],
		['with an id of dots alone', ended('..')],
		['with an id that a proxy reads as that of another task', ended('x/../task_1')],
		['with an id that begins with a dot and a slash', ended('./task_1')],
		['with an id with a backslash', ended('..\\task_1')],
		['with an id that ends with a query', ended('task_1?')],
		['with an id that ends with a fragment', ended('task_1#1')],
		['with an id that is encoded', ended('%2e/task_1')],
		['with a blank before the id', ended(' task_1')],
		['with a blank after the id', { code: 200, data: { task_id: 'task_1 ', status: 'completed' } }],
		['with a tab in the id', ended('task\t1')],
	])('%s is refused, and the log stays empty', async (_, body) => {
		const { status, output } = await host.receive(body);
		expect({ status, output }).toEqual({ status: 400, output: undefined });
		expect([host.log, service.requests]).toEqual([[], []]);
	});

	test.each([
		['a number as id', { id: 17, status: 'completed' }, '17'],
		['a list in its envelope', { code: 200, data: [{ task_id: 'a1', status: 'SUCCEEDED' }] }, 'a1'],
		['status in capitals', { id: 'b2', status: 'SUCCESS' }, 'b2'],
	])('with %s starts an execution', async (_, body, id) => {
		service.on('GET', shared(id), {
			json: { code: 200, data: { ...picture(id), status: 'SUCCESS' } },
		});
		expect((await host.receive(body)).output?.json).toMatchObject([
			{ taskId: id, status: 'completed' },
		]);
	});
});

test('Ids that lead to the record of one task start one execution', async () => {
	// The record has no id by which another one could be told.
	service.on('GET', '*task_1*', { json: { data: { status: 'completed', result: song } } });
	const after = ['task_1/', 'task_1?', 'task_1#', 'task_1 ', '%74ask_1', 'a\\..\\task_1'];
	const ids = ['task_1', './task_1', 'a/../task_1', ...after];
	const answers = [];
	for (const id of ids) answers.push(await host.receive(ended(id)));
	expect(answers.filter(({ output }) => output !== undefined)).toHaveLength(1);
	expect(answers.map(({ status }) => status)).toStrictEqual([
		200,
		...after.map(() => 400),
		400,
		400,
	]);
});

describe('The family', () => {
	const [cover, clip] = [links('https://example.com/1.png'), 'https://example.com/1.mp4'];
	const grid = { grid_image_url: 'https://example.com/g.png', buttons: [] };

	test.each<[string, object, string | null]>([
		['a grid', grid, 'grid'],
		['a grid by a link after a blank', { grid_image_url: ` ${grid.grid_image_url}` }, 'grid'],
		['a picture of a grid that is no link', { ...grid, grid_image_url: 'none' }, null],
		['tags', { result: { upsampled_tags: 'folk, shanty' } }, 'music'],
		['an audio file alone', { result: { files: [{ url: 'https://example.com/1.mp3' }] } }, 'music'],
		['a clip beside pictures', { result: { ...cover, video_url: clip } }, 'video'],
		['a link that shows nothing', { result: { url: 'https://example.com/1' } }, null],
	])('is shown by a callback with %s, bare or in an envelope', async (_, fields, family) => {
		const record = { ...ended('shown'), ...fields };
		for (const body of [record, { code: 200, data: record }]) {
			const { output } = await trigger({ verify: false }).receive(body);
			expect(output?.json).toMatchObject([{ taskId: 'shown', family }]);
		}
	});

	test('of a task whose result.images holds a video is video, and so is the kind', async () => {
		service.on('GET', shared('clip'), { json: done('clip', links('https://example.com/1.mp4')) });
		const host = trigger({ options: { families: ['video'] } });
		const { output } = await host.receive(ended('clip'));
		expect(output?.json).toMatchObject([{ family: 'video', results: [{ kind: 'video' }] }]);
	});

	test('that cannot be told passes "Only From" and is null', async () => {
		const sad = { status: 'failed', error: { message: 'The canvas tore' } };
		service.on('GET', shared('sad'), { json: { id: 'sad', ...sad } });
		const host = trigger({ options: { families: ['music'] } });
		const { output } = await host.receive({ id: 'sad', status: 'failed' });
		expect(output?.json).toMatchObject([{ taskId: 'sad', family: null, ...sad }]);
	});

	test('that "Only From" does not name starts nothing', async () => {
		service.on('GET', shared('pic'), { json: picture('pic') });
		const answer = await trigger({ options: { families: ['music'] } }).receive(picture('pic'));
		expect(answer).toEqual({ status: 200, message: 'Received, and ignored: the family is image' });
	});
});

test('The reference in the base address can be in the file name', async () => {
	service.on('GET', shared('ref'), { json: done('ref', links(`${service.url}/1.png`)) });
	service.on('GET', '/1.png', { text: 'bytes', headers: { 'content-type': 'image/png' } });
	const host = trigger({ downloadFiles: true, options: { fileName: '={{ $json.reference }}' } });
	const { output } = await host.receive(picture('ref'), { query: { reference: 'row7' } });
	expect(output?.items[0]?.binary?.data).toMatchObject({ fileName: 'row7.png' });
});

describe('The output', () => {
	test('is one item per file, with the files, where the panel says so', async () => {
		const paths = ['/1.png', '/2.png'];
		const result = links(...paths.map((path) => service.url + path));
		service.on('GET', shared('two'), { json: done('two', result) });
		for (const path of paths)
			service.on('GET', path, { text: 'bytes', headers: { 'content-type': 'image/png' } });
		const host = trigger({ output: 'files', downloadFiles: true });
		const { output } = await host.receive(picture('two'));
		expect(output?.json).toMatchObject([
			{ taskId: 'two', index: 1 },
			{ taskId: 'two', index: 2 },
		]);
		const names = output?.items.map(({ binary }) => binary?.data?.fileName);
		expect(names).toEqual(['image-two-1.png', 'image-two-2.png']);
	});

	test('is the record as it came with "Simplify" off', async () => {
		service.on('GET', shared('raw'), { json: picture('raw') });
		const { output } = await trigger({ options: { simplify: false } }).receive(picture('raw'));
		expect(output?.json).toEqual([{ record: picture('raw'), taskId: 'raw', status: 'completed' }]);
	});

	test('of a record that cannot be mapped is the record, and a note', async () => {
		const result = { video_url: 'https://example.com/1.mp4' };
		const record = { ...ended('odd'), completed: '+275760-09-13T00:00:00.000Z', result };
		service.on('GET', shared('odd'), { json: record });
		const { output } = await host.receive(ended('odd'));
		expect(output?.json).toHaveLength(1);
		expect(output?.json[0]).toMatchObject({ taskId: 'odd', status: 'completed', record });
		expect(output?.json[0]?.notes).toEqual([expect.stringContaining('could not be read')]);
	});

	test('has the file of the link that the record has by then, where the first one has expired', async () => {
		const at = (name: string) => ({ json: done('late', links(`${service.url}/${name}.png`)) });
		service.on('GET', shared('late'), at('old'), { status: 502 }, at('new'));
		service.on('GET', '/new.png', { text: 'one', headers: { 'content-type': 'image/png' } });
		const received = trigger({ downloadFiles: true }).receive(picture('late'));
		const { output } = await time.passUntil(received);
		expect(output?.json).toMatchObject([{ taskId: 'late', url: `${service.url}/new.png` }]);
		expect(output?.items[0]?.binary?.data?.fileName).toContain('late');
	});

	test('fails with task and reference where a file cannot be downloaded', async () => {
		service.on('GET', shared('gone'), { json: done('gone', links(`${service.url}/gone.png`)) });
		const call = { query: { reference: 'row7' } };
		const received = trigger({ downloadFiles: true }).receive(picture('gone'), call);
		const { output } = await time.passUntil(received);
		expect(output).toMatchObject({
			json: [],
			error: expect.stringContaining('File not found'),
			description: expect.stringContaining('This is task gone, reference "row7".'),
		});
	});
});

test('"Listen for test event" treats each callback as new, at either address', async () => {
	service.on('GET', shared('test'), { json: picture('test') });
	for (const path of ['callback', '', 'callback']) {
		const { status, output } = await host.receive(picture('test'), { path, mode: 'manual' });
		expect(status).toBe(200);
		expect(output?.json).toMatchObject([{ taskId: 'test' }]);
	}
});

test('The base address tells a browser what it is', async () => {
	const { status, message } = await host.receive({}, { path: '', method: 'GET' });
	expect([status, message]).toEqual([200, expect.stringContaining('/callback')]);
});

test('A new node is of version 2, a whole number', () => {
	expect(new MediaGenTrigger().description).toMatchObject({ version: 2, defaultVersion: 2 });
});
