import type { FaultRuleInput } from '../../sandbox/service';
import { firstUrl, IMAGES, OFFICIAL } from './support/images';
import { ask, clientOf, connectionError, download, until, useBench } from './support/sandbox';

/** The code of a connection that has broken. */
const LOST = /ECONNRESET|UND_ERR_SOCKET/;

const it = useBench();

const POST: FaultRuleInput['match'] = { method: 'POST', path: IMAGES };

describe('an injected code', () => {
	test.each([
		[400, 'invalid_request_error'],
		[401, 'authentication_error'],
		[402, 'payment_required'],
		[403, 'permission_error'],
		[404, 'not_found_error'],
		[429, 'rate_limit_error'],
		[500, 'server_error'],
		[502, 'bad_gateway'],
		[503, 'server_error'],
	])('%i comes with the envelope of %s, and buys nothing', async (status, type) => {
		it.sandbox.faults.add({ match: POST, effect: { type: 'status', status, message: 'because' } });
		const answer = await it.client.post(IMAGES, OFFICIAL);
		expect(answer.status).toBe(status);
		expect(answer.body).toEqual({ error: { code: status, message: 'because', type } });
		expect(it.sandbox.ledger().accepted).toBe(0);
		expect((await it.client.post(IMAGES, OFFICIAL)).status).toBe(200);
	});

	test('can have a code of its own, and Retry-After in seconds or as a date', async () => {
		const limited = (nth: number, more: object) =>
			it.sandbox.faults.add({ nth, effect: { type: 'status', status: 429, ...more } });
		limited(1, { code: 7, retryAfter: 12 });
		limited(2, { retryAfter: { dateIn: 60 } });
		limited(3, {});

		const { status, body, headers } = await it.client.get('/balance');
		expect([status, body.error?.code, headers.get('retry-after')]).toEqual([429, 7, '12']);
		const second = await it.client.get('/balance');
		const wait = Date.parse(second.headers.get('retry-after') ?? '') - Date.now();
		expect(wait).toBeGreaterThan(50_000);
		expect(wait).toBeLessThanOrEqual(60_000);
		expect((await it.client.get('/balance')).headers.get('retry-after')).toBeNull();
		expect((await it.client.get('/balance')).status).toBe(200);
	});

	test('after the request was handled is a purchase', async () => {
		it.sandbox.faults.add({ match: POST, effect: { type: 'status', status: 502, when: 'after' } });
		expect((await it.client.post(IMAGES, OFFICIAL)).status).toBe(502);
		expect(it.sandbox.ledger().accepted).toBe(1);
		const [task] = it.sandbox.tasks.list();
		const answered = { status: 502, outcome: 'answered', task: task?.id };
		expect(it.sandbox.requests.list()[0]).toMatchObject(answered);
	});
});

describe('a lost answer', () => {
	const WHEN = [
		['before', 0],
		['after', 1],
	] as const;

	test.each(WHEN)('by a reset %s the work: %i purchases', async (when, purchases) => {
		it.sandbox.faults.add({ match: POST, effect: { type: 'reset', when } });
		expect(await connectionError(it.client.post(IMAGES, OFFICIAL))).toMatch(LOST);
		expect(it.sandbox.ledger().accepted).toBe(purchases);
		expect(it.sandbox.requests.list()[0]).toMatchObject({ status: null, outcome: 'reset' });
	});

	test.each(WHEN)('by silence %s the work: %i purchases', async (when, purchases) => {
		it.sandbox.faults.add({ match: POST, effect: { type: 'hang', when } });
		const patience = new AbortController();
		const asked = fetch(it.sandbox.url + IMAGES, {
			method: 'POST',
			headers: { authorization: `Bearer ${it.sandbox.key}`, 'content-type': 'application/json' },
			body: JSON.stringify(OFFICIAL),
			signal: patience.signal,
		});
		await until('it is left open', () => it.sandbox.requests.list()[0]?.outcome === 'unanswered');
		patience.abort();
		await expect(asked).rejects.toThrow(/abort/);
		expect(it.sandbox.ledger().accepted).toBe(purchases);
	});

	test('does not prevent the sandbox from closing', async () => {
		it.sandbox.faults.add({ effect: { type: 'hang' } });
		const asked = connectionError(it.client.get('/balance'));
		await until('it hangs', () => it.sandbox.requests.list().length === 1);
		await it.sandbox.close();
		expect(await asked).toMatch(LOST);
	});
});

describe('a broken answer', () => {
	test.each([
		['malformedJson', /^\{"code": 200, .*[^}]$/],
		['truncatedJson', /^\{"code":200,"data":\[.*[^}]$/],
		['emptyBody', /^$/],
	] as const)('%s is no JSON, and the purchase happened', async (type, shape) => {
		it.sandbox.faults.add({ match: POST, effect: { type } });
		const answer = await it.client.post(IMAGES, OFFICIAL);
		expect(answer.status).toBe(200);
		expect(answer.text).toMatch(shape);
		expect(() => JSON.parse(answer.text) as unknown).toThrow();
		expect(it.sandbox.ledger().accepted).toBe(1);
	});

	test.each([
		['a record', '/balance'],
		['a streamed file', '/files/blob/1000000.bin'],
	])('cutBody loses the connection in the middle of %s', async (_what, path) => {
		it.sandbox.faults.add({ effect: { type: 'cutBody' } });
		expect(await connectionError(it.client.get(path))).toMatch(LOST);
		await until('it is noted', () => it.sandbox.requests.list()[0]?.outcome === 'cut');
		expect((await it.client.get(path)).status).toBe(200);
	});
});

test('a slow answer comes after its time on the clock', async () => {
	it.sandbox.faults.add({ effect: { type: 'slow', ms: 90_000 } });
	let answered = false;
	const asked = it.client.get('/balance').then((answer) => {
		answered = true;
		return answer;
	});
	await until('it has come in', () => it.sandbox.requests.list()[0]?.fault === 'fault_1');
	await it.clock.advance(89_999);
	expect(answered).toBe(false);
	await it.clock.advance(1);
	expect((await asked).status).toBe(200);
});

describe('a rule', () => {
	test('takes effect from the nth match, count times', async () => {
		const twice = { match: { path: '/balance' }, nth: 2, count: 2 };
		it.sandbox.faults.add({ ...twice, effect: { type: 'status', status: 503 } });
		await it.client.get('/v1/balance');
		const seen = [];
		for (let round = 0; round < 5; round += 1) seen.push((await it.client.get('/balance')).status);
		expect(seen).toEqual([200, 503, 503, 200, 200]);
		expect(it.sandbox.faults.list()).toMatchObject([{ id: 'fault_1', matched: 5, applied: 2 }]);
	});

	test('matches by method, path and family', async () => {
		const id = await it.client.submit(IMAGES, OFFICIAL);
		const hits = async (match: FaultRuleInput['match']) => {
			it.sandbox.faults.clear();
			it.sandbox.faults.add({ match, count: null, effect: { type: 'status', status: 500 } });
			const statuses = await Promise.all([
				it.client.get('/v1/balance'),
				it.client.get(`/v1/tasks/${id}`),
				it.client.get(`/v1/tasks/unknown`),
				it.client.post(IMAGES, OFFICIAL),
			]);
			return statuses.map(({ status }) => status === 500);
		};
		expect(await hits({})).toEqual([true, true, true, true]);
		expect(await hits({ method: 'get' })).toEqual([true, true, true, false]);
		expect(await hits({ path: '/v1/tasks/*' })).toEqual([false, true, true, false]);
		expect(await hits({ path: '/v1/task' })).toEqual([false, false, false, false]);
		expect(await hits({ family: 'image' })).toEqual([false, true, false, true]);
		expect(await hits({ family: 'video' })).toEqual([false, false, false, false]);
	});

	test('for tasks counts only what was accepted', async () => {
		const second = { match: { family: 'image' }, nth: 2 } as const;
		it.sandbox.faults.add({ ...second, effect: { type: 'duration', ms: null } });
		const first = await it.client.submit(IMAGES, OFFICIAL);
		expect((await it.client.post(IMAGES, { ...OFFICIAL, n: 9 })).status).toBe(400);
		const endless = await it.client.submit(IMAGES, OFFICIAL);
		expect(it.sandbox.tasks.get(first)?.durationMs).toBe(3_000);
		expect(it.sandbox.tasks.get(endless)?.durationMs).toBeNull();
	});

	test('that is invalid is refused with the reason', async () => {
		const reset = { effect: { type: 'reset' } };
		for (const rule of [
			{},
			{ effect: { type: 'magic' } },
			{ ...reset, nth: 0 },
			{ ...reset, more: 1 },
		])
			expect((await it.admin('POST', '/faults', rule)).status).toBe(400);
		expect(it.sandbox.faults.list()).toEqual([]);
	});
});

describe('big results', () => {
	test('have the requested length and begin like a picture', async () => {
		it.sandbox.faults.add({ effect: { type: 'resultBytes', bytes: 3_000_001 } });
		const response = await fetch(firstUrl(await it.finished(IMAGES, OFFICIAL)));
		expect(response.headers.get('content-length')).toBe('3000001');
		const bytes = Buffer.from(await response.arrayBuffer());
		expect(bytes.length).toBe(3_000_001);
		expect(bytes.subarray(1, 4).toString()).toBe('PNG');
	});

	test('stream from /files/blob/<bytes>.bin, and no other name', async () => {
		expect((await download(`${it.sandbox.url}/files/blob/123457.bin`)).length).toBe(123_457);
		expect((await ask(`${it.sandbox.url}/files/blob/many.bin`)).status).toBe(404);
	});
});

describe('everything else', () => {
	test.each([
		['no JSON', '{"model":', 'application/json'],
		['another content type', 'model=x', 'application/x-www-form-urlencoded'],
		['a list', '[]', 'application/json'],
		['nothing', '', 'application/json'],
	])('a body that is %s is 400', async (_what, body, type) => {
		const answer = await it.client.post(IMAGES, body, { 'content-type': type });
		expect([answer.status, answer.body.error?.type]).toEqual([400, 'invalid_request_error']);
	});

	test('an unknown path is 404', async () => {
		for (const path of ['/v1/nothing', '/v2/balance', '/_sandbox/nothing'])
			expect([path, (await it.client.get(path)).status]).toEqual([path, 404]);
		const { error } = (await clientOf(it.sandbox, it.sandbox.key).post('/v1/balance', {})).body;
		expect(error?.type).toBe('not_found_error');
	});

	test('an invalid path is 400', async () => {
		expect((await it.client.get('/v1/tasks/%E0%A4%A')).body.error?.type).toBe(
			'invalid_request_error',
		);
	});
});
