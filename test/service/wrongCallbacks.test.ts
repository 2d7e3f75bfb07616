import type { FaultRuleInput, SandboxOptions } from '../../sandbox/service';
import { IMAGES, OFFICIAL } from './support/images';
import { receiver } from './support/receiver';
import { bench, until, type Bench, type Json } from './support/sandbox';

const open: SandboxOptions = { allowPrivateCallbacks: true };
const endless: SandboxOptions = { durations: { image: null } };

async function submitted({ client }: Bench, webhook: string, count = 1): Promise<string[]> {
	const ids: string[] = [];
	for (let at = 0; at < count; at += 1)
		ids.push(await client.submit(IMAGES, { ...OFFICIAL, webhook }));
	return ids;
}

async function setUp(options: SandboxOptions, ...effects: Array<FaultRuleInput['effect']>) {
	const it = await bench({ ...open, ...options });
	for (const effect of effects) it.sandbox.faults.add({ count: null, effect });
	return { ...it, ...(await receiver()) };
}

const ids = (arrivals: Array<{ body: Json }>) => arrivals.map(({ body }) => body.id);

describe('callbacks out of order', () => {
	it('come in reverse when enough are waiting', async () => {
		const it = await setUp({}, { type: 'reorderCallbacks', window: 4 });
		const tasks = await submitted(it, it.url, 4);
		await it.clock.advance(3_000);
		await until('all have arrived', () => it.arrivals.length === 4);
		expect(ids(it.arrivals)).toEqual([...tasks].reverse());
	});

	it('come after the longest wait when no more follow', async () => {
		const it = await setUp({}, { type: 'reorderCallbacks', window: 10, maxWaitMs: 20_000 });
		const tasks = await submitted(it, it.url, 3);
		await it.clock.advance(3_000 + 19_999);
		expect(it.arrivals).toEqual([]);
		await it.clock.advance(1);
		await until('all have arrived', () => it.arrivals.length === 3);
		expect(ids(it.arrivals)).toEqual([...tasks].reverse());
	});

	it('come shuffled and duplicated', async () => {
		const it = await setUp(
			{},
			{ type: 'reorderCallbacks', window: 24, order: 'shuffled' },
			{ type: 'duplicateCallback' },
		);
		const tasks = await submitted(it, it.url, 12);
		await it.clock.advance(3_000);
		await until('all have arrived', () => it.arrivals.length === 24);
		expect(ids(it.arrivals).sort()).toEqual([...tasks, ...tasks].sort());
		expect(ids(it.arrivals)).not.toEqual(tasks.flatMap((id) => [id, id]));
	});

	it('are held back in groups of the window', async () => {
		const it = await setUp({}, { type: 'reorderCallbacks', window: 2 });
		const tasks = await submitted(it, it.url, 4);
		for (const id of tasks) {
			it.sandbox.tasks.finish(id);
			if (id === tasks[1])
				await until('the first two have arrived', () => it.arrivals.length === 2);
		}
		await until('all have arrived', () => it.arrivals.length === 4);
		expect(ids(it.arrivals)).toEqual([tasks[1], tasks[0], tasks[3], tasks[2]]);
	});
});

describe('a forged callback', () => {
	it('names a task that does not exist, before the genuine one', async () => {
		const it = await setUp({}, { type: 'forgedCallback' });
		const [id] = await submitted(it, it.url);
		await it.clock.advance(3_000);
		await until('both have arrived', () => it.arrivals.length === 2);
		const [forged, genuine] = it.arrivals;
		expect(genuine?.body.id).toBe(id);
		const other = expect.stringMatching(/^task_forged_/) as string;
		expect(forged?.body).toEqual({ ...genuine?.body, id: other });
		const { status } = await it.client.get(`/v1/tasks/${String(forged?.body.id)}`);
		expect(status).toBe(404);
		const kinds = it.sandbox.deliveries.list().map(({ kind }) => kind);
		expect(kinds).toStrictEqual(['forged', 'genuine']);
	});

	it('has links that lead elsewhere', async () => {
		const it = await setUp({}, { type: 'forgedCallback', forgery: 'wrongResult' });
		const [id] = await submitted(it, it.url);
		await it.clock.advance(3_000);
		await until('both have arrived', () => it.arrivals.length === 2);
		const result = { images: [{ url: ['https://forged.example.com/result'] }] };
		expect(it.arrivals[0]?.body).toMatchObject({ id, status: 'completed', result });
		expect(it.arrivals[1]?.body).toEqual(await it.client.task(id ?? ''));
	});

	it('claims that a running task has completed', async () => {
		const it = await setUp(endless, { type: 'earlyCallback' });
		const [id = ''] = await submitted(it, it.url);
		await until('it has arrived', () => it.arrivals.length === 1);
		expect(it.arrivals[0]?.body).toMatchObject({ id, status: 'completed', progress: 100 });
		expect((await it.client.task(id)).status).toBe('in_progress');
		it.sandbox.tasks.finish(id);
		await until('the genuine one has arrived', () => it.arrivals.length === 2);
		expect(it.arrivals[1]?.body).toEqual(await it.client.task(id));
	});

	const fourLinks = Array<unknown>(4).fill(expect.any(String));

	it.each([
		['music/generations/sounds', {}, { status: 'completed', result: { music: [{}, {}] } }],
		['videos/generations', { model: 'vidomni-v3-omni' }, { status: 'success', result: {} }],
		['gridart/generations/imagine', {}, { status: 'SUCCESS', image_urls: fourLinks }],
	])('of a task of %s has the shape of its family', async (path, body, shape) => {
		const it = await setUp({}, { type: 'earlyCallback' });
		await it.client.submit(`/v1/${path}`, { prompt: 'x', ...body, webhook: it.url });
		await until('it has arrived', () => it.arrivals.length === 1);
		expect(it.arrivals[0]?.body).toMatchObject(shape);
	});
});

describe('an early callback', () => {
	it('has the running state of the task', async () => {
		const it = await setUp(endless, { type: 'earlyCallback', claims: 'running' });
		const [id] = await submitted(it, it.url);
		await until('it has arrived', () => it.arrivals.length === 1);
		expect(it.arrivals[0]?.body).toMatchObject({ id, status: 'in_progress' });
		expect(it.sandbox.deliveries.list()[0]?.kind).toBe('genuine');
	});

	it('comes before the submission is answered', async () => {
		const it = await setUp({}, { type: 'callbackFirst' });
		const [id] = await submitted(it, it.url);
		expect(it.arrivals).toHaveLength(1);
		expect(it.arrivals[0]?.body).toMatchObject({ id, status: 'completed' });
		expect(it.sandbox.deliveries.list()).toHaveLength(1);
	});

	it('does not delay a submission whose callback is dropped or withheld, or that has none', async () => {
		const dropped = await setUp({ allowPrivateCallbacks: false }, { type: 'callbackFirst' });
		expect(await submitted(dropped, dropped.url)).toHaveLength(1);
		expect((await dropped.client.post(IMAGES, OFFICIAL)).status).toBe(200);
		const lost = await setUp({}, { type: 'callbackFirst' }, { type: 'missingCallback' });
		expect(await submitted(lost, lost.url)).toHaveLength(1);
	});
});

describe('effects on the same callback', () => {
	it('are combined', async () => {
		const it = await setUp(
			{},
			{ type: 'lateCallback', ms: 5_000 },
			{ type: 'duplicateCallback', copies: 2, spacing: 'simultaneous' },
			{ type: 'forgedCallback' },
		);
		await submitted(it, it.url);
		await it.clock.advance(7_999);
		expect(it.arrivals).toEqual([]);
		await it.clock.advance(1);
		await until('all have arrived', () => it.arrivals.length === 3);
		const sent = it.sandbox.deliveries.list().map(({ kind, fault }) => ({ kind, fault }));
		const fault = 'fault_1 fault_2 fault_3';
		expect(sent).toEqual(['forged', 'genuine', 'duplicate'].map((kind) => ({ kind, fault })));
	});

	it('on a task are combined too', async () => {
		const it = await setUp({}, { type: 'duration', ms: 500 }, { type: 'failTask', message: 'no' });
		const [id = ''] = await submitted(it, it.url);
		await it.clock.advance(500);
		expect(await it.client.task(id)).toMatchObject({ status: 'failed', error: { message: 'no' } });
	});
});

describe('by hand', () => {
	it("a task's own callback is sent again, in several copies", async () => {
		const it = await setUp({});
		const [id = ''] = await submitted(it, it.url);
		await it.clock.advance(3_000);
		await until('it has arrived', () => it.arrivals.length === 1);
		const again = { taskId: id, copies: 3, simultaneous: true, kind: 'duplicate' };
		expect((await it.admin('POST', '/callbacks', again)).status).toBe(200);
		await until('all have arrived', () => it.arrivals.length === 4);
		expect(new Set(it.arrivals.map(({ body }) => JSON.stringify(body))).size).toBe(1);
	});

	it('another body goes to the address of a task, or to another address', async () => {
		const it = await setUp({});
		const [taskId] = await submitted(it, it.url);
		const body = 'no record at all';
		for (const to of [{ taskId }, { base: it.url }])
			await it.admin('POST', '/callbacks', { ...to, body, kind: 'forged' });
		await until('both have arrived', () => it.arrivals.length === 2);
		expect(it.arrivals.map((arrival) => arrival.body)).toEqual([body, body]);
	});

	it('nothing is sent without an address', async () => {
		const it = await setUp({});
		const task = await it.client.submit(IMAGES, OFFICIAL);
		expect((await it.admin('POST', '/callbacks', { body: {} })).status).toBe(400);
		expect((await it.admin('POST', '/callbacks', { taskId: task })).status).toBe(400);
		expect(it.sandbox.deliveries.list()).toEqual([]);
	});

	it('all running tasks are ended at once, or those of a family', async () => {
		const it = await setUp({ durations: { image: null, music: null } });
		const pictures = await submitted(it, it.url, 3);
		const sound = await it.client.submit('/v1/music/generations/sounds', { webhook: it.url });
		expect(it.sandbox.tasks.finishAll('music').map(({ id }) => id)).toStrictEqual([sound]);
		const ended = await it.admin('POST', '/tasks/finish');
		expect(Object.values(ended.body).map((task) => task?.id)).toStrictEqual(pictures);
		await until('all have arrived', () => it.arrivals.length === 4);
		expect(it.sandbox.tasks.finishAll()).toEqual([]);
	});
});

it('the callbacks of 300 tasks, each duplicated, all arrive, at most 50 at a time', async () => {
	const it = await setUp(endless, { type: 'duplicateCallback', spacing: 'simultaneous' });
	const answers = await Promise.all(Array.from({ length: 300 }, () => submitted(it, it.url)));
	it.sandbox.tasks.finishAll();
	await until(
		'all are delivered',
		() => it.sandbox.deliveries.list().filter(({ state }) => state === 'delivered').length === 600,
	);
	const counts = new Map<unknown, number>();
	for (const id of ids(it.arrivals)) counts.set(id, (counts.get(id) ?? 0) + 1);
	expect([...counts.keys()].sort()).toEqual(answers.flat().sort());
	expect([...counts.values()].every((count) => count === 2)).toBe(true);
	expect(it.busiest()).toBeLessThanOrEqual(50);
});
