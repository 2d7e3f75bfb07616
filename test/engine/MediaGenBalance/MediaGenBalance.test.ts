import { MediaGenBalance } from '../../../nodes/MediaGenBalance/MediaGenBalance.node';
import { runNode } from '../support/engine';
import { useSandbox } from '../support/sandbox';

const service = useSandbox();

async function run(parameters: object, apiKey = 'sandbox-key', items = [{ json: { name: 'a' } }], settings = {}) {
	return await runNode({
		node: new MediaGenBalance(),
		parameters: { resource: 'balance', operation: 'get', ...parameters },
		items,
		credential: { ...service.credential(), apiKey },
		settings,
	});
}

test('get tells what is left and what has been used', async () => {
	service.sandbox.setBalance(1234);
	const { json } = await run({});
	expect(json[0]).toMatchObject({ remainCredits: 1234, remainingCredits: 1234, unlimitedQuota: false });
	expect(json[0]?.remaining).toBe(json[0]?.remainBalance);
});

test('a key without a limit has -1 in the record and null remaining', async () => {
	const { json } = await run({}, 'sandbox-key-unlimited');
	expect(json[0]).toMatchObject({ remainBalance: -1, remainCredits: -1, remaining: null, unlimitedQuota: true });
});

test('without Simplify the record comes as it is', async () => {
	const { json } = await run({ simplify: false });
	expect(json[0]).toMatchObject({ success: true, remain_credits: expect.any(Number) });
});

test("a deleted key shows the service's own message", async () => {
	const { error } = await run({}, 'sandbox-key-deleted');
	const answer = await fetch(`${service.sandbox.url}/v1/balance`, {
		headers: { authorization: 'Bearer sandbox-key-deleted' },
	});
	const { message } = (await answer.json()) as { message: string };
	expect(error?.message).toContain(message);
});

test.each([
	['enough credits', 'sandbox-key', { compare: 'credits', threshold: 100 }, [1, 0]],
	['exactly the threshold', 'sandbox-key', { compare: 'credits', threshold: 500 }, [1, 0]],
	['too few credits', 'sandbox-key', { compare: 'credits', threshold: 501 }, [0, 1]],
	['too little balance', 'sandbox-key', { compare: 'balance', threshold: 100_000 }, [0, 1]],
	['no limit', 'sandbox-key-unlimited', { compare: 'balance', threshold: 1_000_000 }, [1, 0]],
])('check: %s', async (_, key, parameters, lengths) => {
	service.sandbox.setBalance(500);
	const { outputs } = await run({ operation: 'check', ...parameters }, key);
	expect([outputs[0]?.length ?? 0, outputs[1]?.length ?? 0]).toEqual(lengths);
	const item = [...(outputs[0] ?? []), ...(outputs[1] ?? [])][0];
	expect(item).toMatchObject({ json: { name: 'a', balance: expect.any(Object) }, pairedItem: { item: 0 } });
});

test('check: a balance that cannot be read is never enough', async () => {
	const settings = { onError: 'continueRegularOutput' as const };
	const { outputs } = await run({ operation: 'check', compare: 'credits', threshold: 1 }, 'sandbox-key-forbidden', undefined, settings);
	expect([outputs[0]?.length ?? 0, outputs[1]?.length ?? 0]).toEqual([0, 1]);
});

test('a threshold that is none is refused with the item', async () => {
	const { error } = await run({ operation: 'check', compare: 'credits', threshold: '={{ "much" }}' });
	expect(error?.message).toBe('"Threshold" must be a number of at least 0 [item 0]');
});

test.each([
	[{ type: 'status', status: 429, retryAfter: 1 } as const],
	[{ type: 'status', status: 500 } as const],
	[{ type: 'reset' } as const],
	[{ type: 'hang' } as const],
	[{ type: 'malformedJson' } as const],
])('one fault (%j) is lived through', async (effect) => {
	service.sandbox.faults.add({ match: { path: '/v1/balance' }, effect });
	const { error, json } = await run({});
	expect(error).toBeUndefined();
	expect(json[0]).toHaveProperty('remaining');
});

test('a service that stays broken is told so in the end', async () => {
	service.sandbox.faults.add({ match: { path: '/v1/balance' }, count: null, effect: { type: 'status', status: 500 } });
	const { error } = await run({});
	expect(error).toMatchObject({ httpCode: '500', message: expect.stringContaining('Server error (HTTP 500)') });
});

test.each([401, 403])('HTTP %s is told as such, without the key', async (status) => {
	const message = 'The key sandbox-key is not good';
	service.sandbox.faults.add({ match: { path: '/v1/balance' }, effect: { type: 'status', status, message } });
	const { error } = await run({});
	expect(error).toMatchObject({ httpCode: String(status), message: expect.stringContaining('The key ••• is not good') });
	expect(JSON.stringify(error)).not.toContain('sandbox-key');
});

test('with Continue On Fail the error is the item', async () => {
	const { json } = await run({}, 'sandbox-key-forbidden', undefined, { onError: 'continueRegularOutput' });
	expect(json[0]).toEqual({
		error: { message: expect.any(String), description: expect.any(String), code: '403', type: expect.any(String), httpStatus: 403 },
	});
});
