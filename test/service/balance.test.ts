import { SANDBOX_KEYS } from '../../sandbox/service';
import { ask, bench, clientOf, refusalOf } from './support/sandbox';

describe('balance', () => {
	it.each(['/v1/balance', '/balance'])('%s gives the record of the key that asks', async (path) => {
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

	it.each([SANDBOX_KEYS.deleted, 'never-existed'])(
		'answers 200 and success: false for the key %s',
		async (key) => {
			const { sandbox } = await bench();
			const answer = await clientOf(sandbox, key).get('/v1/balance');
			expect(answer.status).toBe(200);
			expect(answer.body).toEqual({
				success: false,
				message: expect.stringMatching(/./) as string,
			});
		},
	);

	it('rejects a request without an Authorization header', async () => {
		const { sandbox } = await bench();
		const answer = await ask(`${sandbox.url}/v1/balance`);
		expect(answer.status).toBe(401);
		expect(answer.body.error?.type).toBe('authentication_error');
	});

	it('answers cross-origin requests, and their preflight', async () => {
		const { sandbox, client } = await bench();
		expect((await client.get('/balance')).headers.get('access-control-allow-origin')).toBe('*');
		const preflight = await ask(`${sandbox.url}/v1/balance`, { method: 'OPTIONS' });
		expect(preflight.status).toBe(204);
		expect(preflight.headers.get('access-control-allow-headers')).toContain('authorization');
	});
});

describe('keys', () => {
	const paths = ['/v1/tasks/x', '/v1/images/generations/x'];

	it.each(paths)('GET %s wants a bearer token that is valid', async (path) => {
		const { sandbox } = await bench();
		for (const headers of [
			{},
			{ authorization: 'Bearer' },
			{ authorization: 'Basic c2FuZGJveC1rZXk6' },
			{ authorization: 'Bearer wrong' },
			{ authorization: `Bearer ${SANDBOX_KEYS.deleted}` },
			{ 'x-api-key': sandbox.key },
		]) {
			const answer = await ask(sandbox.url + path, { headers: headers as Record<string, string> });
			expect(refusalOf(answer)).toEqual([401, 401, 'authentication_error']);
		}
	});

	it.each([...paths, '/v1/balance'])('GET %s: 403 for a key without permission', async (path) => {
		const { sandbox } = await bench();
		const answer = await clientOf(sandbox, SANDBOX_KEYS.forbidden).get(path);
		expect([answer.status, answer.body.error?.type]).toEqual([403, 'permission_error']);
	});

	it('shows a task to its own key only', async () => {
		const { sandbox, client } = await bench();
		const id = await client.submit('/v1/images/generations', {
			model: 'imagegen-2-official',
			prompt: 'x',
		});
		expect((await client.get(`/v1/tasks/${id}`)).status).toBe(200);
		expect((await clientOf(sandbox, SANDBOX_KEYS.unlimited).get(`/v1/tasks/${id}`)).status).toBe(
			404,
		);
	});
});
