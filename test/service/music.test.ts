import { listen, probe } from './support/media';
import { MUSIC_OPERATIONS } from '../../sandbox/service/music/operations';
import { IMAGES, OFFICIAL } from './support/images';
import { clientOf, download, text, useBench, type Json } from './support/sandbox';

const path = (operation: string) => `/v1/music/generations/${operation}`;

const it = useBench(async ({ sandbox, client, clock }) => {
	/** Submits, and gives what the sandbox made of the body. */
	const submit = async (operation: string, body: object) => {
		const id = await client.submit(path(operation), body);
		const task = sandbox.tasks.get(id);
		return { id, applied: (task?.applied ?? {}) as Json, ignored: task?.ignored ?? [] };
	};
	/** Lets a task end and gives its record. */
	const finished = async (operation: string, body: object) => {
		const { id } = await submit(operation, body);
		await clock.advance(8_000);
		return (await client.get(`/v1/music/tasks/${id}`)).body.data ?? {};
	};
	const post = (operation: string, body: object) => client.post(path(operation), body);
	/** 60 seconds long. */
	const uploaded = sandbox.originals.track({ seconds: 60 }).id;
	/** Two tracks, 60 and 64 seconds long. */
	const song = await client.submit(path('coverSong'), { task_id: uploaded, tags: 'jazz' });
	await clock.advance(8_000);
	sandbox.requests.clear();
	return { song, uploaded, submit, post, finished };
});

const audio = async (record: Json) =>
	await Promise.all(
		Object.values(record.result?.music ?? {}).map(async (track) =>
			listen(await download(text(track?.audio_url))),
		),
	);

describe('music operations refuse', () => {
	const DESCRIBED = ['sample', 'coverSong', 'addInstrumental', 'addVocals', 'addStem'];
	const SOURCED = [...DESCRIBED, 'extend', 'crop', 'stems', 'fadeIn'];
	const SOURCELESS = ['create', 'sounds', 'upsampleTags'];
	const needs: Record<string, object> = {
		sample: { start_s: 1, end_s: 9.5 },
		crop: { start_s: 1, end_s: 9 },
	};

	async function refused(operation: string, body: object): Promise<string> {
		const before = it.sandbox.ledger();
		const answer = await it.post(operation, body);
		expect([answer.status, answer.body.error?.type]).toEqual([400, 'invalid_request_error']);
		expect(it.sandbox.ledger()).toEqual(before);
		return text(answer.body.error?.message);
	}

	test('one of two lists: every operation has a source, or has none', () => {
		expect([...SOURCED, ...SOURCELESS].sort()).toEqual(Object.keys(MUSIC_OPERATIONS).sort());
	});

	test.each(SOURCED)('%s without a source, or with an unusable one', async (operation) => {
		const picture = await it.client.submit(IMAGES, OFFICIAL);
		const running = await it.submit('coverSong', { task_id: it.song, tags: 'x' });
		const foreign = it.sandbox.originals.track({ key: 'sandbox-key-unlimited' }).id;
		const failed = it.sandbox.originals.track({ state: 'failed' }).id;
		const none = [undefined, '', 'task_unknown', 7];
		for (const task_id of [...none, picture, running.id, foreign, failed])
			expect(await refused(operation, { ...needs[operation], task_id })).toMatch(/^task_id/);
	});

	test.each(SOURCED)('%s with a track that the source does not have', async (operation) => {
		const body = { ...needs[operation], task_id: it.song };
		for (const audio_index of [0, 3, 1.5, '1', null])
			expect(await refused(operation, { ...body, audio_index })).toMatch(/^audio_index/);
		expect((await it.post(operation, { ...body, audio_index: 2 })).status).toBe(200);
	});

	test.each(DESCRIBED)('%s with custom=false and no description', async (operation) => {
		const body = { ...needs[operation], task_id: it.song, custom: false };
		for (const more of [{}, { prompt: 'la la' }, { gpt_description: '' }])
			expect(await refused(operation, { ...body, ...more })).toMatch(/^gpt_description/);
	});

	const VERSIONED = ['sample', 'coverSong', 'extend', 'addVocals', 'addStem', 'sounds'];

	test.each(VERSIONED)('%s with an illegal version', async (operation) => {
		const body = { ...needs[operation], task_id: it.song };
		for (const version of ['v6', 'V5', 'v5.0', 5])
			expect(await refused(operation, { ...body, version })).toMatch(/^version/);
	});

	const NO_INSTRUMENTAL = ['v3.5', 'v4', 'v4.5', 'v4.5+', 'v4.5-all', 'v6'];

	test.each(NO_INSTRUMENTAL)('addInstrumental with version %s', async (version) => {
		const said = await refused('addInstrumental', { task_id: it.uploaded, version });
		expect(said).toMatch(/^version/);
	});

	test.each([
		['sample', { end_s: 4 }, /^start_s/],
		['sample', { start_s: 4 }, /^end_s/],
		['sample', { start_s: '1', end_s: 4 }, /^start_s/],
		['sample', { start_s: -1, end_s: 5 }, /^start_s/],
		['crop', { end_s: 4 }, /^start_s/],
		['crop', { start_s: 4 }, /^end_s/],
		['crop', { start_s: 1.5, end_s: 4 }, /^start_s/],
		['crop', { start_s: 1, end_s: 4.5 }, /^end_s/],
	])('%s with %j', async (operation, span, reason) => {
		expect(await refused(operation, { task_id: it.song, ...span })).toMatch(reason);
	});

	const WEIGHTS = ['style_weight', 'weirdness_constraint', 'weirdness', 'audio_weight'];

	test.each(WEIGHTS)('a %s outside 0.00 to 1.00', async (field) => {
		const body = (weight: unknown) => ({ task_id: it.song, tags: 'x', [field]: weight });
		const name = field === 'weirdness' ? 'weirdness_constraint' : field;
		for (const weight of [-0.01, 1.01, '0.5'])
			expect(await refused('coverSong', body(weight))).toContain(name);
		for (const weight of [0, 0.5, 1])
			expect((await it.post('coverSong', body(weight))).status).toBe(200);
	});

	test.each([
		['a model that is no text', { model: 2 }, /^model/],
		['custom as a text', { custom: 'true' }, /^custom/],
		['another gender', { vocal_gender: 'male' }, /^vocal_gender/],
		['a webhook that is no text', { webhook: 1 }, /^webhook/],
	])('%s', async (_what, field, reason) => {
		const body = { task_id: it.song, tags: 'x', ...field };
		expect(await refused('coverSong', body)).toMatch(reason);
	});

	test('a continue_at that is no integer', async () => {
		const said = await refused('extend', { task_id: it.song, continue_at: 3.5 });
		expect(said).toMatch(/^continue_at/);
	});

	test('upsampleTags without tags', async () => {
		for (const body of [{}, { tags: '' }, { tags: 5 }])
			expect(await refused('upsampleTags', body)).toMatch(/^tags/);
	});
});

describe('the mode', () => {
	const DEFAULTS = { model: 'musicgen', version: 'v5.5', audio_index: 1 };
	const CUSTOM = {
		...{ prompt: 'la', title: 't', tags: 'x', negative_tags: 'y' },
		...{ style_weight: 0.1, weirdness_constraint: 0.2, audio_weight: 0.3 },
	};

	test.each([
		[{ prompt: 'la' }, true],
		[{ prompt: 'la', gpt_description: 'a song' }, true],
		[{ gpt_description: 'a song' }, false],
		[{ gpt_description: 'a song', tags: 'jazz', title: 't' }, false],
		[{ tags: 'jazz' }, true],
		[{ title: 't' }, true],
		[{ prompt: '', gpt_description: 'a song' }, false],
		[{ negative_tags: 'x' }, undefined],
		[{ custom: false, prompt: 'la', gpt_description: 'a song' }, false],
		[{ custom: true, gpt_description: 'a song' }, true],
	])('of %j is %s', async (fields, custom) => {
		for (const operation of ['coverSong', 'addInstrumental', 'addVocals', 'addStem']) {
			const { applied } = await it.submit(operation, { task_id: it.uploaded, ...fields });
			expect(applied.custom).toBe(custom);
		}
	});

	test('custom=true reads lyrics and style, and ignores the description', async () => {
		const read = { custom: true, ...CUSTOM, persona_id: 'p1', vocal_gender: 'Female' };
		const unread = { gpt_description: 'a song', auto_lyrics: true };
		const body = { task_id: it.song, ...read, ...unread };
		const { applied, ignored } = await it.submit('coverSong', body);
		expect(applied).toEqual({ ...DEFAULTS, task_id: it.song, ...read });
		// auto_lyrics belongs to sample and extend only.
		expect(ignored).toEqual(['gpt_description', 'auto_lyrics']);
	});

	test('custom=false reads only the description and the voice', async () => {
		const described = { custom: false, gpt_description: 'a song', vocal_gender: 'Male' };
		const read = { start_s: 0, end_s: 2.5, instrumental: true, ...described };
		const unread = { ...CUSTOM, style_weight: 7, auto_lyrics: 'yes' };
		const body = { task_id: it.song, ...read, ...unread };
		const { applied, ignored } = await it.submit('sample', body);
		expect(applied).toEqual({ ...DEFAULTS, task_id: it.song, ...read });
		expect(new Set(ignored)).toEqual(new Set([...Object.keys(CUSTOM), 'auto_lyrics']));
	});

	test('has auto_lyrics for sample and extend, persona_id for coverSong and extend, no voice for addStem', async () => {
		const extras = { auto_lyrics: true, persona_id: 'p', vocal_gender: 'Male' };
		const read = async (operation: string, more: object = {}) => {
			const body = { task_id: it.uploaded, custom: true, ...extras, ...more };
			const { applied } = await it.submit(operation, body);
			return Object.keys(extras).filter((field) => field in applied);
		};
		expect(await read('sample', { start_s: 1, end_s: 2 })).toEqual(['auto_lyrics', 'vocal_gender']);
		expect(await read('coverSong')).toEqual(['persona_id', 'vocal_gender']);
		expect(await read('extend')).toEqual(['auto_lyrics', 'persona_id', 'vocal_gender']);
		expect(await read('addInstrumental')).toEqual(['vocal_gender']);
		expect(await read('addVocals')).toEqual(['vocal_gender']);
		expect(await read('addStem')).toEqual([]);
	});

	test('is neither enforced nor inferred by extend', async () => {
		const both = { task_id: it.song, prompt: 'la', gpt_description: 'go on', tags: 'x' };
		const read = async (more: object) => {
			const { applied } = await it.submit('extend', { ...both, ...more });
			const texts = ['gpt_description', 'prompt', 'tags'].filter((field) => field in applied);
			return [applied.custom, texts];
		};
		expect(await read({})).toEqual([undefined, ['gpt_description']]);
		expect(await read({ custom: false })).toEqual([false, ['gpt_description']]);
		expect(await read({ custom: true })).toEqual([true, ['prompt', 'tags']]);
		expect((await it.post('extend', { task_id: it.song, custom: false })).status).toBe(200);
	});

	test('takes weirdness for weirdness_constraint', async () => {
		const body = { task_id: it.song, tags: 'x', weirdness: 0.4 };
		const { applied, ignored } = await it.submit('coverSong', body);
		expect(applied.weirdness_constraint).toBe(0.4);
		expect(ignored).toEqual([]);
	});

	const UNVERSIONED = ['crop', 'stems', 'upsampleTags', 'fadeIn'];

	test.each(UNVERSIONED)('%s drops any version, legal or not, at one price', async (operation) => {
		const body = { task_id: it.song, start_s: 1, end_s: 4, tags: 'jazz' };
		const prices = [];
		for (const version of [undefined, 'v3.5', 'v99']) {
			const answer = await it.post(operation, { ...body, version });
			const task = it.sandbox.tasks.get(text(answer.body.data?.[0]?.task_id));
			expect(task?.applied).not.toHaveProperty('version');
			if (version) expect(task?.ignored).toContain('version');
			prices.push(task?.credits);
		}
		expect(new Set(prices).size).toBe(1);
	});

	test('leaves the price to the version', async () => {
		const price = async (version?: string) => {
			const { id } = await it.submit('coverSong', { task_id: it.song, tags: 'x', version });
			return it.sandbox.tasks.get(id)?.credits;
		};
		expect(await price('v5.5')).toBe(await price());
		expect(await price('v3.5')).toBeLessThan((await price('v5')) ?? 0);
	});
});

describe('a music task', () => {
	test('is pending at 10, then at 50, then completed at 100 with two tracks', async () => {
		const id = await it.client.submit(path('coverSong'), { task_id: it.song, tags: 'jazz' });
		const poll = async () => (await it.client.get(`/v1/music/tasks/${id}`)).body;
		const pending = { status: 'pending', result: null, error: null };
		expect(await poll()).toEqual({ code: 200, data: { ...pending, progress: 10 } });
		await it.clock.advance(4_000);
		expect((await poll()).data).toEqual({ ...pending, progress: 50 });
		await it.clock.advance(4_000);
		const track = (end: RegExp) => ({ audio_url: expect.stringMatching(end) as string });
		const result = { music: [track(/-1\.wav$/), track(/-2\.wav$/)] };
		const completed = { status: 'completed', progress: 100, result, error: null };
		expect((await poll()).data).toEqual(completed);
	});

	test('is not found under another path, nor is another task under its own', async () => {
		const picture = await it.client.submit(IMAGES, OFFICIAL);
		const none = [`/v1/music/tasks/${picture}`, '/v1/music/tasks/none'];
		for (const address of [`/v1/tasks/${it.song}`, ...none]) {
			const { status, body } = await it.client.get(address);
			expect([address, status, body.error?.type]).toEqual([address, 404, 'not_found_error']);
		}
		const other = clientOf(it.sandbox, 'sandbox-key-unlimited');
		expect((await other.get(`/v1/music/tasks/${it.song}`)).status).toBe(404);
	});
});

describe('the audio', () => {
	test('is two tracks of different tone, marked as samples', async () => {
		const body = { task_id: it.song, title: 'Blue', tags: 'jazz' };
		const [first, second] = await audio(await it.finished('coverSong', body));
		expect([first?.seconds, second?.seconds]).toEqual([60, 64]);
		expect(Math.abs((first?.tone ?? 0) - (second?.tone ?? 0))).toBeGreaterThan(5);
		expect(first?.title).toBe('SAMPLE: Blue (1)');
	});

	test('is as long as what was cropped, in the tone of the source', async () => {
		const { music } = (await it.client.get(`/v1/music/tasks/${it.song}`)).body.data?.result ?? {};
		const [source] = await audio({ result: { music } });
		const crop = async (start_s: number, end_s: number) =>
			await audio(await it.finished('crop', { task_id: it.song, start_s, end_s }));
		const cropped = await crop(5, 12);
		expect(cropped).toHaveLength(1);
		expect(cropped[0]?.seconds).toBe(7);
		expect(cropped[0]?.tone).toBeCloseTo(source?.tone ?? 0, 0);
		const [end] = await crop(55, 300);
		expect(end?.seconds).toBe(5);
	});

	test('cannot be cropped behind its end: the task fails and is refunded', async () => {
		const record = await it.finished('crop', { task_id: it.song, start_s: 60, end_s: 70 });
		expect(record.status).toBe('failed');
		expect(record.error?.message).toMatch(/60 seconds/);
		expect(it.sandbox.ledger().refundedCredits).toBe(10);
	});

	test('goes on after the second from which it is extended', async () => {
		const at = await audio(await it.finished('extend', { task_id: it.song, continue_at: 20 }));
		expect(at.map(({ seconds }) => seconds)).toStrictEqual([50, 54]);
		const end = await audio(await it.finished('extend', { task_id: it.song }));
		expect(end[0]?.seconds).toBe(90);
	});

	test('fadeSamples from silence after fadeIn', async () => {
		const [plain] = await audio(await it.finished('coverSong', { task_id: it.song, tags: 'x' }));
		const [faded] = await audio(await it.finished('fadeIn', { task_id: it.song, duration_s: 5 }));
		expect(plain?.start).toBeGreaterThan(0.9);
		expect(faded?.start).toBeLessThan(0.1);
		expect(faded?.seconds).toBe(60);
	});

	test('of stems is one link for the stem and one for the rest', async () => {
		const { result } = await it.finished('stems', { task_id: it.song });
		expect(Object.keys(result ?? {})).toEqual(['stems']);
		expect(Object.keys(result?.stems ?? {})).toEqual(['lead_vocal_url', 'backing_track_url']);
		const stem = listen(await download(text(result?.stems?.lead_vocal_url)));
		const rest = listen(await download(text(result?.stems?.backing_track_url)));
		expect([stem.seconds, rest.seconds]).toEqual([60, 60]);
		const body = { task_id: it.song, stem_type: 'any/of the ../hundred' };
		const drums = await it.finished('stems', body);
		expect(Object.keys(drums.result?.stems ?? {})).toContain('any/of the ../hundred_url');
	});

	test('of sounds needs no source and no prompt', async () => {
		expect(await audio(await it.finished('sounds', {}))).toHaveLength(2);
		const read = { prompt: 'rain', type: 'loop', bpm: 90, key: 'C', version: 'v4' };
		const { applied, ignored } = await it.submit('sounds', { ...read, task_id: 'x' });
		expect(applied).toEqual({ model: 'musicgen', ...read });
		expect(ignored).toEqual(['task_id']);
	});

	test('plays, says ffprobe', async () => {
		const { result } = await it.finished('crop', { task_id: it.song, start_s: 5, end_s: 12 });
		const file = await download(text(result?.music?.[0]?.audio_url));
		expect(probe(file)).toMatchObject({ codec: 'pcm_s16le', seconds: 7 });
	});
});

describe('addInstrumental and addVocals', () => {
	const ADDING = ['addInstrumental', 'addVocals'];

	test.each(ADDING)('%s takes an uploaded track', async (operation) => {
		const record = await it.finished(operation, { task_id: it.uploaded, tags: 'strings' });
		expect(record.status).toBe('completed');
		expect(await audio(record)).toHaveLength(2);
	});

	test.each(ADDING)('%s fails with a generated track, and is refunded', async (operation) => {
		const { id } = await it.submit(operation, { task_id: it.song, tags: 'strings' });
		await it.clock.advance(8_000);
		const { data } = (await it.client.get(`/v1/music/tasks/${id}`)).body;
		expect(data?.status).toBe('failed');
		expect(data?.error?.message).toMatch(/uploaded/);
		expect(it.sandbox.ledger().tasks[id]).toEqual({ charged: 120, refunded: 120 });
	});

	test('can be made to refuse a generated track at submission', async () => {
		it.sandbox.settings.set({ generatedSource: 'refuse' });
		expect((await it.post('addVocals', { task_id: it.song, tags: 'x' })).status).toBe(400);
		expect((await it.post('addVocals', { task_id: it.uploaded, tags: 'x' })).status).toBe(200);
		expect((await it.post('coverSong', { task_id: it.song, tags: 'x' })).status).toBe(200);
	});
});

describe('upsampleTags', () => {
	test('answers at once, and the task can still be read', async () => {
		const answer = await it.post('upsampleTags', { tags: 'jazz, piano' });
		const [task] = [answer.body.data?.[0]];
		expect(answer.status).toBe(200);
		expect(task).toMatchObject({
			task_id: expect.stringMatching(/^task_/) as string,
			status: 'completed',
			progress: 100,
			result: { upsampled_tags: expect.stringMatching(/^jazz, piano, ./) as string },
		});
		const read = await it.client.get(`/v1/music/tasks/${text(task?.task_id)}`);
		expect(read.body.data?.result).toEqual(task?.result);
	});

	test('refunds when it fails', async () => {
		it.sandbox.faults.add({ effect: { type: 'failTask', message: 'no' } });
		const before = (await it.client.get('/balance')).body.remain_credits;
		const answer = await it.post('upsampleTags', { tags: 'jazz' });
		expect(answer.body.data?.[0]).toMatchObject({ status: 'failed', error: { message: 'no' } });
		expect((await it.client.get('/balance')).body.remain_credits).toBe(before);
	});
});
