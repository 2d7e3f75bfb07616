import { networkInterfaces } from 'node:os';
import { IMAGES, OFFICIAL } from './support/images';
import { receiver } from './support/receiver';
import { ask, bench, until, useBench } from './support/sandbox';

const it = useBench();

describe('the admin paths', () => {
	test('list themselves', async () => {
		const { paths, counts, durations } = (await it.admin('GET', '')).body;
		expect(paths).toContain('/_sandbox/ledger');
		expect(counts).toEqual({ accepted: 0, requests: 0, deliveries: 0, faults: 0 });
		expect(durations).toEqual({ image: 3_000, music: 8_000, grid: 5_000, video: 10_000 });
	});

	test('add, list and remove a fault rule', async () => {
		const [match, effect] = [{ path: '/balance' }, { type: 'status', status: 500 }];
		const rule = await it.admin('POST', '/faults', { match, count: null, effect });
		expect(rule.body).toMatchObject({ id: 'fault_1', nth: 1, count: null, matched: 0, applied: 0 });
		for (let round = 0; round < 3; round += 1)
			expect((await it.client.get('/balance')).status).toBe(500);
		expect((await it.admin('GET', '/faults')).body).toMatchObject([
			{ id: 'fault_1', matched: 3, applied: 3 },
		]);
		expect((await it.admin('DELETE', '/faults/fault_1')).status).toBe(200);
		expect((await it.admin('DELETE', '/faults/fault_1')).status).toBe(404);
		expect((await it.client.get('/balance')).status).toBe(200);
		await it.admin('POST', '/faults', { effect: { type: 'reset' } });
		await it.admin('DELETE', '/faults');
		expect((await it.admin('GET', '/faults')).body).toEqual([]);
	});

	test('are not affected by fault rules, and not in the log', async () => {
		it.sandbox.faults.add({ count: null, effect: { type: 'status', status: 500 } });
		expect((await it.admin('GET', '/ledger')).status).toBe(200);
		expect((await it.admin('GET', '/requests')).body).toEqual([]);
	});

	test('show tasks, ledger, requests and deliveries as a program gets them', async () => {
		const id = await it.client.submit(IMAGES, { ...OFFICIAL, webhook: 'http://10.0.0.1/x' });
		await it.clock.advance(3_000);
		const plain = (value: unknown) => JSON.parse(JSON.stringify(value)) as unknown;
		expect((await it.admin('GET', '/tasks')).body).toEqual(plain(it.sandbox.tasks.list()));
		const task = { id, stage: 'completed', operation: 'generate', credits: 40 };
		expect((await it.admin('GET', `/tasks/${id}`)).body).toMatchObject(task);
		expect((await it.admin('GET', '/tasks/none')).status).toBe(404);
		expect((await it.admin('GET', '/ledger')).body).toEqual(plain(it.sandbox.ledger()));
		expect((await it.admin('GET', '/deliveries')).body).toMatchObject([
			{ taskId: id, state: 'dropped' },
		]);
		expect((await it.admin('GET', '/requests?method=post')).body).toMatchObject([
			{ path: IMAGES, status: 200, outcome: 'answered', task: id },
		]);
		expect((await it.admin('GET', '/requests?path=/v1/tasks')).body).toEqual([]);
	});

	test('complete or fail a task by hand', async () => {
		it.sandbox.durations.set({ image: null });
		const good = await it.client.submit(IMAGES, OFFICIAL);
		const bad = await it.client.submit(IMAGES, OFFICIAL);
		await it.clock.advance(86_400_000);
		expect((await it.client.task(good)).status).toBe('in_progress');
		expect((await it.admin('POST', `/tasks/${good}/finish`)).body.stage).toBe('completed');
		const failed = await it.admin('POST', `/tasks/${bad}/finish`, { failure: { message: 'no' } });
		expect(failed.body).toMatchObject({ stage: 'failed', failure: 'no', refunded: 40 });
		expect((await it.client.task(good)).status).toBe('completed');
		expect((await it.client.task(bad)).error).toEqual({ message: 'no', code: '' });
		expect((await it.admin('POST', '/tasks/none/finish')).status).toBe(404);
	});

	test('set balance, keys, durations and settings', async () => {
		await it.admin('PUT', '/balance', { credits: 12 });
		expect((await it.client.get('/balance')).body.remain_credits).toBe(12);
		await it.admin('PUT', '/balance', { unlimited: true });
		expect((await it.client.get('/balance')).body.unlimited_quota).toBe(true);
		await it.admin('PUT', `/keys/${it.sandbox.key}`, { status: 'forbidden' });
		expect((await it.client.get('/balance')).status).toBe(403);
		expect((await it.admin('GET', '/keys')).body).toContainEqual(
			expect.objectContaining({ key: it.sandbox.key, status: 'forbidden' }),
		);
		const durations = { image: 50, video: null };
		const set = await it.admin('PUT', '/durations', durations);
		expect(set.body).toMatchObject({ ...durations, music: 8_000 });
		const enveloped = { callbackShape: 'enveloped' };
		expect((await it.admin('PUT', '/settings', enveloped)).body).toMatchObject(enveloped);
		for (const [path, body] of [
			['/balance', { credits: 'many' }],
			['/durations', { image: -1 }],
			['/durations', { picture: 1 }],
			['/settings', { callbackShape: 'round' }],
		] as const) {
			expect([path, (await it.admin('PUT', path, body)).status]).toEqual([path, 400]);
		}
	});

	test('reset everything, with new ids', async () => {
		const before = await it.client.submit(IMAGES, OFFICIAL);
		it.sandbox.durations.set({ image: 1 });
		await it.admin('POST', '/reset');
		expect((await it.client.get(`/v1/tasks/${before}`)).status).toBe(404);
		expect(it.sandbox.ledger()).toMatchObject({ accepted: 0, chargedCredits: 0 });
		expect(it.sandbox.durations.get().image).toBe(3_000);
		expect((await it.client.get('/balance')).body.used_credits).toBe(0);
		expect(await it.client.submit(IMAGES, OFFICIAL)).not.toBe(before);
	});

	const outside = Object.values(networkInterfaces())
		.flat()
		.find((address) => address && !address.internal && address.family === 'IPv4')?.address;

	(outside ? test : test.skip)('are served to this machine alone', async () => {
		const { sandbox } = await bench({ host: '0.0.0.0' });
		const { port } = new URL(sandbox.url);
		expect((await ask(`http://${outside}:${port}/v1/balance`)).status).toBe(401);
		expect((await ask(`http://${outside}:${port}/_sandbox/ledger`)).status).toBe(404);
		expect((await ask(`http://127.0.0.1:${port}/_sandbox/ledger`)).status).toBe(200);
	});
});

describe('the request log', () => {
	test('hides keys and keeps the scheme', async () => {
		await it.client.get('/balance?x=1', { 'x-api-key': 'secret-two' });
		const [record] = it.sandbox.requests.list();
		const headers = { authorization: 'Bearer [redacted]', 'x-api-key': '[redacted]' };
		const request = { number: 1, method: 'GET', path: '/balance', query: '?x=1', headers };
		expect(record).toMatchObject(request);
		expect(JSON.stringify(it.sandbox.requests.list())).not.toMatch(/sandbox-key|secret-two/);
	});

	test('keeps bodies, with very long texts shortened', async () => {
		await it.client.post(IMAGES, { ...OFFICIAL, prompt: 'x'.repeat(70_000), n: 2 });
		expect(it.sandbox.requests.list()[0]?.body).toMatchObject({
			n: 2,
			prompt: expect.stringMatching(/^x{100}… \(70000 characters\)$/) as string,
		});
	});

	test('counts requests that are in progress at the same time', async () => {
		it.sandbox.faults.add({ count: 5, effect: { type: 'slow', ms: 1_000 } });
		const asked = Promise.all(Array.from({ length: 5 }, () => it.client.get('/balance')));
		await until(
			'all have come in',
			() => it.sandbox.requests.list().filter(({ fault }) => fault).length === 5,
		);
		await it.clock.advance(1_000);
		await asked;
		expect(it.sandbox.requests.list().map(({ inFlight }) => inFlight)).toStrictEqual([
			1, 2, 3, 4, 5,
		]);
		await it.client.get('/balance');
		expect(it.sandbox.requests.list()[5]?.inFlight).toBe(1);
	});
});

describe('the sandbox', () => {
	test('has a page for the browser', async () => {
		const page = await ask(it.sandbox.url);
		expect(page.headers.get('content-type')).toMatch(/^text\/html/);
		expect(page.text).toContain('MediaGen sandbox');
		expect(page.text).toContain(it.sandbox.key);
	});

	test('closes promptly during tasks, callbacks and downloads, and can be closed twice', async () => {
		const { sandbox, client, clock } = await bench({ allowPrivateCallbacks: true });
		const { url, arrivals } = await receiver('never');
		const bodies = Array.from({ length: 20 }, () =>
			client.submit(IMAGES, { ...OFFICIAL, webhook: url }),
		);
		await Promise.all(bodies);
		await clock.advance(3_000);
		await client.submit(IMAGES, OFFICIAL);
		await until('callbacks are under way', () => arrivals.length > 0);
		const blob = await fetch(`${sandbox.url}/files/blob/900000000.bin`);
		await sandbox.close();
		await sandbox.close();
		await expect(blob.arrayBuffer()).rejects.toThrow();
		await expect(client.get('/balance')).rejects.toThrow();
	});
});
