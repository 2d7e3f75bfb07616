import type { FaultRuleInput } from '../../sandbox/service';
import { firstUrl, IMAGES, OFFICIAL, plainImage, upload } from './support/images';
import { ask, bench, clientOf, connectionError, download, until } from './support/sandbox';

/** The code of a connection that has broken. */
const LOST = /ECONNRESET|UND_ERR_SOCKET/;

const POST: FaultRuleInput['match'] = { method: 'POST', path: IMAGES };

describe('an injected code', () => {
	it.each([
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
		const { sandbox, client } = await bench();
		sandbox.faults.add({ match: POST, effect: { type: 'status', status, message: 'because' } });
		const answer = await client.post(IMAGES, OFFICIAL);
		expect(answer.status).toBe(status);
		expect(answer.body).toEqual({ error: { code: status, message: 'because', type } });
		expect(sandbox.ledger().accepted).toBe(0);
		expect((await client.post(IMAGES, OFFICIAL)).status).toBe(200);
	});

	it('can have a code of its own, and Retry-After in seconds or as a date', async () => {
		const { sandbox, client } = await bench();
		const limited = (nth: number, more: object) =>
			sandbox.faults.add({ nth, effect: { type: 'status', status: 429, ...more } });
		limited(1, { code: 7, retryAfter: 12 });
		limited(2, { retryAfter: { dateIn: 60 } });
		limited(3, {});

		const { status, body, headers } = await client.get('/balance');
		expect([status, body.error?.code, headers.get('retry-after')]).toEqual([429, 7, '12']);
		const second = await client.get('/balance');
		const wait = Date.parse(second.headers.get('retry-after') ?? '') - Date.now();
		expect(wait).toBeGreaterThan(50_000);
		expect(wait).toBeLessThanOrEqual(60_000);
		expect((await client.get('/balance')).headers.get('retry-after')).toBeNull();
		expect((await client.get('/balance')).status).toBe(200);
	});

	it('after the request was handled is a purchase', async () => {
		const { sandbox, client } = await bench();
		sandbox.faults.add({ match: POST, effect: { type: 'status', status: 502, when: 'after' } });
		expect((await client.post(IMAGES, OFFICIAL)).status).toBe(502);
		expect(sandbox.ledger().accepted).toBe(1);
		const [task] = sandbox.tasks.list();
		const answered = { status: 502, outcome: 'answered', task: task?.id };
		expect(sandbox.requests.list()[0]).toMatchObject(answered);
	});

	it('refuses an upload, which is not stored', async () => {
		const { sandbox } = await bench();
		const match = { path: '/v1/uploads/*' };
		sandbox.faults.add({ match, effect: { type: 'status', status: 500 } });
		expect((await upload(sandbox, await plainImage('png'))).body.error?.type).toBe('server_error');
		expect((await upload(sandbox, await plainImage('png'))).status).toBe(200);
	});
});

describe('a lost answer', () => {
	const WHEN = [
		['before', 0],
		['after', 1],
	] as const;

	it.each(WHEN)('by a reset %s the work: %i purchases', async (when, purchases) => {
		const { sandbox, client } = await bench();
		sandbox.faults.add({ match: POST, effect: { type: 'reset', when } });
		expect(await connectionError(client.post(IMAGES, OFFICIAL))).toMatch(LOST);
		expect(sandbox.ledger().accepted).toBe(purchases);
		expect(sandbox.requests.list()[0]).toMatchObject({ status: null, outcome: 'reset' });
	});

	it.each(WHEN)('by silence %s the work: %i purchases', async (when, purchases) => {
		const { sandbox } = await bench();
		sandbox.faults.add({ match: POST, effect: { type: 'hang', when } });
		const patience = new AbortController();
		const asked = fetch(sandbox.url + IMAGES, {
			method: 'POST',
			headers: { authorization: `Bearer ${sandbox.key}`, 'content-type': 'application/json' },
			body: JSON.stringify(OFFICIAL),
			signal: patience.signal,
		});
		await until('it is left open', () => sandbox.requests.list()[0]?.outcome === 'unanswered');
		patience.abort();
		await expect(asked).rejects.toThrow(/abort/);
		expect(sandbox.ledger().accepted).toBe(purchases);
	});

	it('does not prevent the sandbox from closing', async () => {
		const { sandbox, client } = await bench();
		sandbox.faults.add({ effect: { type: 'hang' } });
		const asked = connectionError(client.get('/balance'));
		await until('it hangs', () => sandbox.requests.list().length === 1);
		await sandbox.close();
		expect(await asked).toMatch(LOST);
	});
});

describe('a broken answer', () => {
	it.each([
		['malformedJson', /^\{"code": 200, .*[^}]$/],
		['truncatedJson', /^\{"code":200,"data":\[.*[^}]$/],
		['emptyBody', /^$/],
	] as const)('%s is no JSON, and the purchase happened', async (type, shape) => {
		const { sandbox, client } = await bench();
		sandbox.faults.add({ match: POST, effect: { type } });
		const answer = await client.post(IMAGES, OFFICIAL);
		expect(answer.status).toBe(200);
		expect(answer.text).toMatch(shape);
		expect(() => JSON.parse(answer.text) as unknown).toThrow();
		expect(sandbox.ledger().accepted).toBe(1);
	});

	it.each([
		['a record', '/balance'],
		['a streamed file', '/files/blob/1000000.bin'],
	])('cutBody loses the connection in the middle of %s', async (_what, path) => {
		const { sandbox, client } = await bench();
		sandbox.faults.add({ effect: { type: 'cutBody' } });
		expect(await connectionError(client.get(path))).toMatch(LOST);
		await until('it is noted', () => sandbox.requests.list()[0]?.outcome === 'cut');
		expect((await client.get(path)).status).toBe(200);
	});

	it('cutBody in the middle of a finished picture', async () => {
		const { sandbox, finished } = await bench();
		const url = firstUrl(await finished(IMAGES, OFFICIAL));
		sandbox.faults.add({ match: { path: '/files/*' }, effect: { type: 'cutBody' } });
		expect(await connectionError(download(url))).toMatch(LOST);
	});
});

it('a slow answer comes after its time on the clock', async () => {
	const { sandbox, client, clock } = await bench();
	sandbox.faults.add({ effect: { type: 'slow', ms: 90_000 } });
	let answered = false;
	const asked = client.get('/balance').then((answer) => {
		answered = true;
		return answer;
	});
	await until('it has come in', () => sandbox.requests.list()[0]?.fault === 'fault_1');
	await clock.advance(89_999);
	expect(answered).toBe(false);
	await clock.advance(1);
	expect((await asked).status).toBe(200);
});

describe('a rule', () => {
	it('takes effect from the nth match, count times', async () => {
		const { sandbox, client } = await bench();
		const twice = { match: { path: '/balance' }, nth: 2, count: 2 };
		sandbox.faults.add({ ...twice, effect: { type: 'status', status: 503 } });
		await client.get('/v1/balance');
		const seen = [];
		for (let round = 0; round < 5; round += 1) seen.push((await client.get('/balance')).status);
		expect(seen).toEqual([200, 503, 503, 200, 200]);
		expect(sandbox.faults.list()).toMatchObject([{ id: 'fault_1', matched: 5, applied: 2 }]);
	});

	it('without a count stays until it is removed', async () => {
		const { sandbox, client } = await bench();
		const rule = sandbox.faults.add({ count: null, effect: { type: 'status', status: 500 } });
		for (let round = 0; round < 3; round += 1)
			expect((await client.get('/balance')).status).toBe(500);
		expect(sandbox.faults.remove(rule.id)).toBe(true);
		expect(sandbox.faults.remove(rule.id)).toBe(false);
		expect((await client.get('/balance')).status).toBe(200);
	});

	it('matches by method, path and family', async () => {
		const { sandbox, client } = await bench();
		const id = await client.submit(IMAGES, OFFICIAL);
		const hits = async (match: FaultRuleInput['match']) => {
			sandbox.faults.clear();
			sandbox.faults.add({ match, count: null, effect: { type: 'status', status: 500 } });
			const statuses = await Promise.all([
				client.get('/v1/balance'),
				client.get(`/v1/tasks/${id}`),
				client.get(`/v1/tasks/unknown`),
				client.post(IMAGES, OFFICIAL),
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

	it('for tasks counts only what was accepted', async () => {
		const { sandbox, client } = await bench();
		const second = { match: { family: 'image' }, nth: 2 } as const;
		sandbox.faults.add({ ...second, effect: { type: 'duration', ms: null } });
		const first = await client.submit(IMAGES, OFFICIAL);
		expect((await client.post(IMAGES, { ...OFFICIAL, n: 9 })).status).toBe(400);
		const endless = await client.submit(IMAGES, OFFICIAL);
		expect(sandbox.tasks.get(first)?.durationMs).toBe(3_000);
		expect(sandbox.tasks.get(endless)?.durationMs).toBeNull();
	});

	it('that is invalid is refused with the reason', async () => {
		const it = await bench();
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
	it('have the requested length and begin like a picture', async () => {
		const { sandbox, finished } = await bench();
		sandbox.faults.add({ effect: { type: 'resultBytes', bytes: 3_000_001 } });
		const response = await fetch(firstUrl(await finished(IMAGES, OFFICIAL)));
		expect(response.headers.get('content-length')).toBe('3000001');
		const bytes = Buffer.from(await response.arrayBuffer());
		expect(bytes.length).toBe(3_000_001);
		expect(bytes.subarray(1, 4).toString()).toBe('PNG');
	});

	it('stream from /files/blob/<bytes>.bin, and no other name', async () => {
		const { sandbox } = await bench();
		expect((await download(`${sandbox.url}/files/blob/123457.bin`)).length).toBe(123_457);
		expect((await ask(`${sandbox.url}/files/blob/many.bin`)).status).toBe(404);
	});
});

describe('everything else', () => {
	it.each([
		['no JSON', '{"model":', 'application/json'],
		['another content type', 'model=x', 'application/x-www-form-urlencoded'],
		['a list', '[]', 'application/json'],
		['nothing', '', 'application/json'],
	])('a body that is %s is 400', async (_what, body, type) => {
		const { client } = await bench();
		const answer = await client.post(IMAGES, body, { 'content-type': type });
		expect([answer.status, answer.body.error?.type]).toEqual([400, 'invalid_request_error']);
	});

	it('an unknown path is 404', async () => {
		const { sandbox, client } = await bench();
		for (const path of ['/v1/nothing', '/v2/balance', '/_sandbox/nothing'])
			expect([path, (await client.get(path)).status]).toEqual([path, 404]);
		const { error } = (await clientOf(sandbox, sandbox.key).post('/v1/balance', {})).body;
		expect(error?.type).toBe('not_found_error');
	});

	it('an invalid path is 400', async () => {
		const { client } = await bench();
		expect((await client.get('/v1/tasks/%E0%A4%A')).body.error?.type).toBe('invalid_request_error');
	});
});
