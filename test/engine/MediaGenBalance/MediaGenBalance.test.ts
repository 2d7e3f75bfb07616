import { MediaGenBalance } from '../../../nodes/MediaGenBalance/MediaGenBalance.node';
import { MediaGenMusic } from '../../../nodes/MediaGenMusic/MediaGenMusic.node';
import { jumpingClock } from '../support/clocks';
import { ok, runNode, type RunResult } from '../support/engine';
import { generateSound, SOUND_CREDITS, soundPrompts } from '../support/generateSound';
import { rememberingNode } from '../support/rememberingNode';
import { fileItem, picture, useSandbox } from '../support/sandbox';
import { useScriptedService } from '../support/scriptedService';
import { errorOutput, goOn } from '../support/settings';

const service = useSandbox();

/** Runs of one node of an activated workflow. */
function nodeOf(parameters: object) {
	const { node } = rememberingNode(() => new MediaGenBalance());
	return async ({
		apiKey = 'sandbox-key',
		credential = service.credential(),
		items = [{ json: {} }],
		settings = {},
		id = '1',
	} = {}) => {
		const credentials = { mediaGenApi: { id, name: 'MediaGen' } };
		return await runNode({
			node,
			parameters: { resource: 'balance', operation: 'get', ...parameters },
			items,
			credential: { ...credential, apiKey },
			settings: { credentials, ...settings },
		});
	};
}

const run = async (parameters: object, run: Parameters<ReturnType<typeof nodeOf>>[0] = {}) =>
	await nodeOf(parameters)(run);

const forbidden = { apiKey: 'sandbox-key-forbidden', ...goOn };

test('get tells what is left and what has been used', async () => {
	service.sandbox.setBalance(1234);
	const { json } = await run({});
	const credits = { remainCredits: 1234, remainingCredits: 1234 };
	expect(json[0]).toMatchObject({ ...credits, unlimitedQuota: false });
	expect(json[0]?.remaining).toBe(json[0]?.remainBalance);
});

test('a key without a limit has -1 in the record and null remaining', async () => {
	const { json } = await run({}, { apiKey: 'sandbox-key-unlimited' });
	const unlimited = { remainBalance: -1, remainCredits: -1, remaining: null };
	expect(json[0]).toMatchObject({ ...unlimited, unlimitedQuota: true });
});

test("a deleted key shows the service's own message", async () => {
	const { error } = await run({}, { apiKey: 'sandbox-key-deleted' });
	const headers = { authorization: 'Bearer sandbox-key-deleted' };
	const answer = await fetch(`${service.sandbox.url}/v1/balance`, { headers });
	const { message } = (await answer.json()) as { message: string };
	expect(error?.message).toContain(message);
});

test.each([
	[404, 'Check "Base URL" in the credential: it must lead to the service.'],
	[429, 'Run the node again later.'],
])('the advice after a %i names no task, and no option', async (status, advice) => {
	service.sandbox.faults.add({ effect: { type: 'status', status, retryAfter: 3_600 } });
	const { error } = await run({});
	expect(error?.description).toBe(advice);
});

/** The outputs at which the items came out, one after the other: "enough", "low", or "" if none did. */
const outputsOf = ({ outputs }: Pick<RunResult, 'outputs'>) =>
	outputs.flatMap((items, at) => items.map(() => ['enough', 'low'][at])).join(', ');

test.each([
	['enough credits', 'sandbox-key', { compare: 'credits', threshold: 100 }, 'enough'],
	['exactly the threshold', 'sandbox-key', { compare: 'credits', threshold: 500 }, 'enough'],
	['too few credits', 'sandbox-key', { compare: 'credits', threshold: 501 }, 'low'],
	['too little balance', 'sandbox-key', { compare: 'balance', threshold: 100_000 }, 'low'],
	['no limit', 'sandbox-key-unlimited', { compare: 'balance', threshold: 1_000_000 }, 'enough'],
])('check: %s', async (_, apiKey, parameters, output) => {
	service.sandbox.setBalance(500);
	const items = [{ json: { name: 'a' } }];
	const { outputs } = await run({ operation: 'check', ...parameters }, { apiKey, items });
	expect(outputsOf({ outputs })).toBe(output);
	const json = { name: 'a', balance: expect.any(Object) as object };
	expect(outputs.flat()[0]).toMatchObject({ json, pairedItem: { item: 0 } });
});

test.each([
	['goes on to "Low" with its fields and files', goOn, 1, { name: 'a' }],
	['comes out at the error output, where n8n adds its fields', errorOutput, 2, { name: 'a' }],
])('check: a row whose balance could not be read %s', async (_, { settings }, at, json) => {
	const items = [await fileItem(await picture(4, 4))].map((item) => ({ ...item, json }));
	const { outputs } = await run(
		{ operation: 'check', threshold: 1 },
		{ ...forbidden, settings, items },
	);
	expect(outputs.flat()).toHaveLength(1);
	const error = { httpStatus: 403 };
	expect(outputs[at]?.[0]).toMatchObject({ json: { ...json, error }, pairedItem: { item: 0 } });
	// n8n itself takes no file along to an error output.
	expect(outputs[at]?.[0]?.binary !== undefined).toBe(at === 1);
});

test.each([
	[{ threshold: '={{ "much" }}' }, '"Threshold" must be a number of at least 0, not "much"'],
	[{ threshold: 1, compare: '={{ "" }}' }, '"Compare" must be one of balance, credits'],
])('check with %j is refused with the item', async (given, words) => {
	const { error } = await run({ operation: 'check', compare: 'credits', ...given });
	expect(error?.message).toBe(`${words} [row 1 (item 0)]`);
});

test('one fault is lived through', async () => {
	const effect = { type: 'status', status: 500 } as const;
	service.sandbox.faults.add({ match: { path: '/v1/balance' }, effect });
	const { json } = ok(await run({}));
	expect(json[0]).toHaveProperty('remaining');
});

test('with Continue On Fail the error is the item', async () => {
	const { json } = await run({}, forbidden);
	const text: unknown = expect.any(String);
	expect(json[0]).toEqual({
		error: { message: text, description: text, code: '403', type: text, httpStatus: 403 },
	});
});

describe('What the node remembers from run to run', () => {
	const scripted = useScriptedService();

	test.each([false, '={{ "false" }}'])(
		'without Simplify (%s) nothing is added to the record, and nothing converted',
		async (simplify) => {
			scripted.on('GET', '/v1/balance', { json: { remain_balance: '12.50', unlimited_quota: 0 } });
			const { json } = await run({ simplify }, { credential: scripted.credential() });
			expect(json[0]).toEqual({ remain_balance: '12.50', unlimited_quota: 0 });
		},
	);

	const spend = async (count: number, given = {}) =>
		await runNode({
			node: new MediaGenMusic(),
			parameters: { ...generateSound, ...given },
			items: soundPrompts(count),
			credential: service.credential(),
		});

	const report = () => nodeOf({ operation: 'report' });

	test('report: the first run says that it is the first, the next one what was spent since', async () => {
		service.sandbox.setBalance(1_000);
		const run = report();
		const { json: first } = await run();
		const note: unknown = expect.stringContaining('first run');
		const nothing = { since: null, spent: null, spentCredits: null };
		expect(first).toEqual([expect.objectContaining({ firstRun: true, ...nothing, note })]);
		await spend(2);
		const { json } = await run();
		const spentCredits = 2 * SOUND_CREDITS;
		expect(json[0]).toMatchObject({
			...{ firstRun: false, since: first[0]?.until, spent: spentCredits / 1_000, spentCredits },
			...{ toppedUp: 0, toppedUpCredits: 0, remainingCredits: 1_000 - spentCredits },
		});
		expect(json[0]).not.toHaveProperty('note');
		expect((await run()).json[0]).toMatchObject({ spent: 0, spentCredits: 0 });
	});

	test('report: a top-up is not taken for a refund', async () => {
		service.sandbox.setBalance(1_000);
		const run = report();
		await run();
		await spend(1);
		service.sandbox.setBalance(1_000 - SOUND_CREDITS + 5_000);
		const toppedUp = { toppedUpCredits: 5_000, toppedUp: 5 };
		expect((await run()).json[0]).toMatchObject({ spentCredits: SOUND_CREDITS, ...toppedUp });
	});

	test('report: another key of which less was used is told, and nothing is added up', async () => {
		await spend(1);
		const run = report();
		await run();
		service.sandbox.keys.set({ key: 'second-key', credits: 77 });
		const { json } = await run({ apiKey: 'second-key' });
		const nothing = { spent: null, spentCredits: null, toppedUp: null };
		expect(json[0]).toMatchObject({ firstRun: false, ...nothing });
		expect(json[0]?.note).toContain('the key is another one');
		expect((await run({ apiKey: 'second-key' })).json[0]).toMatchObject({ spent: 0 });
	});

	test('report: another credential is told, even if more was used of it', async () => {
		service.sandbox.keys.set({ key: 'second-key', credits: 77 });
		const run = report();
		await run({ apiKey: 'second-key', id: '2' });
		await spend(1);
		const note = 'The last run used another credential.';
		expect((await run()).json[0]).toMatchObject({ spent: null, note });
	});

	test('report: a key without a limit has no top-up', async () => {
		const run = report();
		await run({ apiKey: 'sandbox-key-unlimited' });
		const { json } = await run({ apiKey: 'sandbox-key-unlimited' });
		expect(json[0]).toMatchObject({ spent: 0, spentCredits: 0, toppedUp: null });
	});

	/** The reports on these states of the balance, one after the other. */
	async function reportsOn(...states: object[]) {
		scripted.on('GET', '/v1/balance', ...states.map((json) => ({ json })));
		const run = report();
		const reports = [];
		for (const _ of states)
			reports.push((await run({ credential: scripted.credential() })).json[0] ?? {});
		return reports;
	}

	test('report: a refund of a key without a limit comes out as less than nothing', async () => {
		const unlimited = { success: true, unlimited_quota: true, remain_balance: -1 };
		const [, next] = await reportsOn(
			{ ...unlimited, used_balance: 10 },
			{ ...unlimited, used_balance: 9.5 },
		);
		expect(next).toMatchObject({ spent: -0.5, toppedUp: null });
	});

	test('report: credits are rounded, which is no top-up and no other key', async () => {
		const state = (remaining: number, used: number) => ({
			...{ success: true, unlimited_quota: false },
			...{ remain_balance: remaining, remain_credits: Math.round(remaining * 1_000) },
			...{ used_balance: used, used_credits: Math.round(used * 1_000) },
		});
		const [, bought, refunded] = await reportsOn(state(10, 0), state(9.9625, 0.0375), state(10, 0));
		const noTopUp = { toppedUp: 0, toppedUpCredits: 0 };
		expect(bought).toMatchObject({ spent: 0.0375, spentCredits: 38, ...noTopUp });
		expect(refunded).toMatchObject({ spent: -0.0375, spentCredits: -38, toppedUpCredits: 0 });
		expect(refunded).not.toHaveProperty('note');
	});

	test('report: a key with a limit in place of one without is told', async () => {
		const [, next] = await reportsOn(
			{ success: true, remain_balance: 5, used_balance: 100 },
			{ success: true, unlimited_quota: true, remain_balance: -1, used_balance: 3 },
		);
		expect(next).toMatchObject({ spent: null, note: expect.stringContaining('another one') });
	});

	test('report: a record that does not state what is used loses nothing of the next report', async () => {
		const left = { success: true, remain_balance: 5, remain_credits: 5_000 };
		const [, unstated, next] = await reportsOn(
			{ ...left, used_balance: 1, used_credits: 1_000 },
			left,
			{ ...left, used_balance: 3, used_credits: 3_000 },
		);
		expect(unstated).toMatchObject({ spent: null, spentCredits: null, toppedUp: null });
		expect(unstated?.note).toContain('The service did not state what is used.');
		expect(next).toMatchObject({ spentCredits: 2_000 });
	});

	test('report: one item for all input items, and a failed run changes nothing', async () => {
		service.sandbox.setBalance(1_000);
		const run = report();
		await run();
		await spend(1);
		const failed = await run(forbidden);
		expect(failed.json).toEqual([{ error: expect.objectContaining({ httpStatus: 403 }) }]);
		const { items } = await run({ items: [{ json: {} }, { json: {} }] });
		expect(items).toHaveLength(1);
		const pairedItem = [{ item: 0 }, { item: 1 }];
		expect(items[0]).toMatchObject({ json: { spentCredits: SOUND_CREDITS }, pairedItem });
	});

	const check = (threshold: number | string, onlyOnChange: boolean | string = true) =>
		nodeOf({ operation: 'check', compare: 'credits', threshold, onlyOnChange });

	test('check, Only on Change: the rounds of a loop, each with its threshold, have states of their own', async () => {
		const run = check('={{ $json.at }}');
		const rounds = async () => [
			outputsOf(await run({ items: [{ json: { at: 500 } }] })),
			outputsOf(await run({ items: [{ json: { at: 300 } }] })),
		];
		service.sandbox.setBalance(400);
		expect(await rounds()).toEqual(['low', 'enough']);
		expect(await rounds()).toEqual(['', '']);
	});

	test('check, Only on Change: each threshold has a state of its own', async () => {
		const run = check('={{ $json.at }}');
		const items = [{ json: { at: 500 } }, { json: { at: 300 } }];
		service.sandbox.setBalance(400);
		expect(outputsOf(await run({ items }))).toBe('enough, low');
		service.sandbox.setBalance(200);
		const { outputs } = await run({ items });
		expect(outputs[0]).toEqual([]);
		expect(outputs[1]).toHaveLength(1);
		expect(outputs[1]?.[0]).toMatchObject({ json: { at: 300 }, pairedItem: { item: 1 } });
	});

	test('check, Only on Change: a balance that cannot be read passes as an error and leaves the state', async () => {
		service.sandbox.setBalance(100);
		const run = check(500);
		expect(outputsOf(await run())).toBe('low');
		expect(outputsOf(await run(forbidden))).toBe('low');
		expect(outputsOf(await run())).toBe('');
	});

	test.each<[string, string | boolean, string]>([
		['off', false, 'low'],
		['off by an expression that gives text', '={{ "FALSE" }}', 'low'],
		['on by an expression that gives text', '={{ "true" }}', ''],
	])('check, Only on Change %s: what comes out a second time', async (_, onlyOnChange, second) => {
		service.sandbox.setBalance(100);
		const run = check(500, onlyOnChange);
		expect([outputsOf(await run()), outputsOf(await run())]).toEqual(['low', second]);
	});

	test('check, Only on Change: an expression that fails is not taken for enough', async () => {
		const run = check(500, '={{ $("Nowhere").first() }}');
		expect(outputsOf(await run(goOn))).toBe('low');
	});
});

describe('A service that states no credits', () => {
	const scripted = useScriptedService(jumpingClock);

	const check = async (record: object) => {
		scripted.on('GET', '/v1/balance', {
			json: { success: true, remain_balance: 5, used_balance: 1, ...record },
		});
		const given = { operation: 'check', compare: 'credits', threshold: 1 };
		return await run(given, { credential: scripted.credential() });
	};

	test('check: they are not taken for enough', async () => {
		const { error } = await check({ unlimited_quota: false });
		expect(error?.message).toBe('The service does not state the remaining credits');
		expect(error?.description).toContain('Choose the other unit in "Compare"');
	});

	test('check: a key without a limit has enough', async () => {
		const { outputs } = await check({ unlimited_quota: true });
		expect(outputs.map((items) => items.length)).toStrictEqual([1, 0]);
	});
});

test('check as a tool of an agent, which sees one output: what is low comes out there, and what cannot be read', async () => {
	service.sandbox.setBalance(10);
	const tool = new MediaGenBalance();
	tool.description = { ...tool.description, name: 'mediaGenBalanceTool' };
	const check = async (threshold: number, compare = 'credits') =>
		await runNode({
			node: tool,
			parameters: {
				resource: 'balance',
				operation: 'check',
				compare,
				threshold,
				onlyOnChange: true,
			},
			credential: service.credential(),
			...goOn,
			rounds: 2,
		});
	const answered = { isEnough: true };
	expect((await check(1)).rounds).toMatchObject([[answered], [answered]]);
	expect((await check(11)).outputs).toMatchObject([[{ json: { isEnough: false } }]]);
	expect((await check(10)).outputs).toMatchObject([[{ json: { isEnough: true } }]]);
	expect((await check(-1)).outputs).toMatchObject([[{ json: { error: {} } }]]);
});

test('get asks once for all items', async () => {
	const { json } = await run({}, { items: [{ json: {} }, { json: {} }] });
	expect(json).toHaveLength(2);
	expect(service.sandbox.requests.list()).toHaveLength(1);
});
