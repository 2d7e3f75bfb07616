import { SANDBOX_KEYS } from '../../sandbox/service';
import { IMAGES, LITE, OFFICIAL } from './support/images';
import { ask, bench, clientOf, refusalOf, text, useBench } from './support/sandbox';

const it = useBench();

describe('money', () => {
	test('is charged once, when a submission is accepted', async () => {
		const id = await it.client.submit(IMAGES, { ...OFFICIAL, n: 3, resolution: '2k' });
		const left = { remain_credits: 999_760, used_credits: 240, used_balance: 0.24 };
		expect((await it.client.get('/v1/balance')).body).toMatchObject(left);

		await it.clock.advance(10_000);
		await it.client.task(id);
		expect(it.sandbox.ledger()).toMatchObject({
			...{ accepted: 1, chargedCredits: 240, refundedCredits: 0, netCredits: 240 },
			tasks: { [id]: { charged: 240, refunded: 0 } },
		});
	});

	test('comes back when a task fails', async () => {
		it.sandbox.faults.add({ nth: 2, effect: { type: 'failTask', message: 'no luck', code: 'E7' } });
		await it.client.submit(IMAGES, OFFICIAL);
		const second = await it.client.submit(IMAGES, OFFICIAL);
		await it.client.submit(IMAGES, OFFICIAL);
		await it.clock.advance(3_000);

		expect((await it.client.task(second)).error).toEqual({ message: 'no luck', code: 'E7' });
		const sums = { accepted: 3, chargedCredits: 120, refundedCredits: 40, netCredits: 80 };
		expect(it.sandbox.ledger()).toMatchObject(sums);
		const left = { remain_credits: 999_920, used_credits: 80 };
		expect((await it.client.get('/balance')).body).toMatchObject(left);
	});

	test('is only for what was made', async () => {
		it.sandbox.faults.add({ effect: { type: 'shortfall', produced: 1 } });
		const task = await it.finished(IMAGES, { ...LITE, n: 4 });
		expect(task.result?.images).toHaveLength(1);
		expect(task.credits_cost).toBe(34);
		expect(it.sandbox.ledger().tasks).toEqual({ [text(task.id)]: { charged: 136, refunded: 102 } });
	});

	test('that is not there is 402, and nothing is accepted', async () => {
		const { sandbox } = await bench({ keys: [{ key: 'poor', credits: 79 }] });
		for (const key of ['poor', SANDBOX_KEYS.empty]) {
			const answer = await clientOf(sandbox, key).post(IMAGES, { ...OFFICIAL, n: 2 });
			expect(refusalOf(answer)).toEqual([402, 402, 'payment_required']);
		}
		expect(sandbox.ledger().accepted).toBe(0);
		expect((await clientOf(sandbox, 'poor').post(IMAGES, OFFICIAL)).status).toBe(200);
		expect((await clientOf(sandbox, 'poor').get('/balance')).body.remain_credits).toBe(39);
	});

	test('never runs out on an unlimited key, but is counted', async () => {
		const client = clientOf(it.sandbox, SANDBOX_KEYS.unlimited);
		await client.submit(IMAGES, OFFICIAL);
		const left = { remain_credits: -1, used_credits: 40 };
		expect((await client.get('/balance')).body).toMatchObject(left);
	});

	test('is counted for 200 submissions at once as for one after the other', async () => {
		it.sandbox.setBalance(150 * 40);
		const answers = await Promise.all(
			Array.from({ length: 200 }, () => it.client.post(IMAGES, OFFICIAL)),
		);
		expect(answers.filter(({ status }) => status === 200)).toHaveLength(150);
		expect(answers.filter(({ status }) => status === 402)).toHaveLength(50);
		const ids = new Set(answers.map(({ body }) => body.data?.[0]?.task_id).filter(Boolean));
		expect(ids.size).toBe(150);
		await it.clock.advance(3_000);
		expect(it.sandbox.tasks.list().filter(({ stage }) => stage === 'completed')).toHaveLength(150);
		expect(it.sandbox.ledger()).toMatchObject({ accepted: 150, netCredits: 6_000 });
	});
});

describe('balance', () => {
	test.each(['/v1/balance', '/balance'])('%s gives the record of the asking key', async (path) => {
		const { sandbox, client } = await bench({ keys: [{ key: 'mine', credits: 1_500 }] });
		expect((await clientOf(sandbox, 'mine').get(path)).body).toEqual({
			success: true,
			remain_balance: 1.5,
			remain_credits: 1_500,
			used_balance: 0,
			used_credits: 0,
			unlimited_quota: false,
		});
		expect((await client.get(path)).body.remain_credits).toBe(1_000_000);
	});

	test.each([SANDBOX_KEYS.deleted, 'never-existed'])(
		'answers 200 and success: false for the key %s',
		async (key) => {
			const answer = await clientOf(it.sandbox, key).get('/v1/balance');
			expect(answer.status).toBe(200);
			expect(answer.body).toEqual({
				success: false,
				message: expect.stringMatching(/./) as string,
			});
		},
	);

	test('rejects a request without an Authorization header', async () => {
		const answer = await ask(`${it.sandbox.url}/v1/balance`);
		expect(answer.status).toBe(401);
		expect(answer.body.error?.type).toBe('authentication_error');
	});

	test('answers cross-origin requests, and their preflight', async () => {
		expect((await it.client.get('/balance')).headers.get('access-control-allow-origin')).toBe('*');
		const preflight = await ask(`${it.sandbox.url}/v1/balance`, { method: 'OPTIONS' });
		expect(preflight.status).toBe(204);
		expect(preflight.headers.get('access-control-allow-headers')).toContain('authorization');
	});
});

describe('keys', () => {
	const paths = ['/v1/tasks/x', '/v1/images/generations/x'];

	test.each(paths)('GET %s wants a bearer token that is valid', async (path) => {
		for (const headers of [
			{},
			{ authorization: 'Bearer' },
			{ authorization: 'Basic c2FuZGJveC1rZXk6' },
			{ authorization: 'Bearer wrong' },
			{ authorization: `Bearer ${SANDBOX_KEYS.deleted}` },
			{ 'x-api-key': it.sandbox.key },
		]) {
			const answer = await ask(it.sandbox.url + path, {
				headers: headers as Record<string, string>,
			});
			expect(refusalOf(answer)).toEqual([401, 401, 'authentication_error']);
		}
	});

	test.each([...paths, '/v1/balance'])('GET %s: 403 for a key without permission', async (path) => {
		const answer = await clientOf(it.sandbox, SANDBOX_KEYS.forbidden).get(path);
		expect([answer.status, answer.body.error?.type]).toEqual([403, 'permission_error']);
	});

	test('shows a task to its own key only', async () => {
		const id = await it.client.submit(IMAGES, OFFICIAL);
		expect((await it.client.get(`/v1/tasks/${id}`)).status).toBe(200);
		expect((await clientOf(it.sandbox, SANDBOX_KEYS.unlimited).get(`/v1/tasks/${id}`)).status).toBe(
			404,
		);
	});
});
