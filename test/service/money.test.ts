import { SANDBOX_KEYS } from '../../sandbox/service';
import { IMAGES, LITE, OFFICIAL } from './support/images';
import { bench, clientOf, refusalOf, text, useBench } from './support/sandbox';

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
