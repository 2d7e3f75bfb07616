import { jumpingClock, until } from '../../support/clocks';
import {
	log,
	ok,
	retryExecution,
	runNode,
	type RunResult,
	runSideBySide,
} from '../../support/engine';
import { prompts } from '../../support/generatePicture';
import { runnerOf } from '../../support/operations';
import { fileItem } from '../../support/sandbox';
import type { Reply } from '../../support/scriptedService';
import {
	accepted,
	byPrompt,
	chatAnswer,
	completed,
	failed,
	refused,
	running,
	SOUNDS,
	soundRun,
	soundTool,
	unclear,
} from '../../support/scriptedTasks';
import { goOn, retryAndGoOn, retryOnFail } from '../../support/settings';
import { statesOf, statusesOf, useSoundService } from '../../support/soundService';

const { service, onSubmit, onRecord, onRecordOf, buy, pause, bought, promptsSent } =
	useSoundService(jumpingClock);

const BALANCE = '/v1/balance';

const CHAT = '/v1/messages';

const fail = { maxTasksReached: 'fail' };

const threeTries = { settings: { ...retryOnFail.settings, maxTries: 3 } };

const onBalance = (...replies: Reply[]) => service.on('GET', BALANCE, ...replies);

const firstSounds = (count: number) => Array.from({ length: count }, (_, at) => `Sound ${at}`);

const remaining = { remain_balance: 5, remain_credits: 5_000 };
const used = { used_balance: 1, used_credits: 1_000 };
const balance = (fields: object = {}): Reply => ({
	json: { success: true, ...remaining, ...used, unlimited_quota: false, ...fields },
});

beforeEach(() => onBalance(balance()));

const deleted: Reply = { json: { success: false, message: 'Key deleted' } };

const messages = (json: RunResult['json']) =>
	json.map(({ error }) => (error as { message: string } | undefined)?.message);

describe('Max Tasks', () => {
	test('a limit that is not reached is not spoken of', async () => {
		const { json, hints } = await buy(3, { maxTasks: 5 });
		expect(json).toHaveLength(3);
		expect(JSON.stringify([json, hints])).not.toContain('Max Tasks');
	});

	test('purchases that find a place do not wait for each other', async () => {
		const bothSent = until(() => bought().length === 2);
		const after = bothSent.catch(() => undefined);
		onSubmit({ ...accepted('task_1'), after }, { ...accepted('task_2'), after });
		await buy(2, { maxTasks: 2 });
		await expect(bothSent).resolves.toBeUndefined();
	});

	test('200 rows with a limit of 20 buy the first 20; the others are error items that name the limit and the figures', async () => {
		const { json } = ok(await buy(200, { maxTasks: 20 }, goOn));
		expect(promptsSent().sort()).toEqual(firstSounds(20).sort());
		expect(statusesOf(json)).toEqual([
			...Array<string>(20).fill('completed'),
			...Array<string>(180).fill('not submitted'),
		]);
		expect(json[20]?.error).toMatchObject({
			message:
				'The request was not sent: "Max Tasks" is 20, and this node has made 20 purchases in this execution [row 21 (item 20)]',
			description:
				'To buy it, raise "Max Tasks" in the options and run the workflow with the items without a result only.',
		});
	});

	test('with Retry On Fail all attempts together buy 20', async () => {
		const { error } = await buy(200, { maxTasks: 20, ...fail }, threeTries);
		expect(error?.message).toContain('"Max Tasks" is 20');
		expect(promptsSent().sort()).toEqual(firstSounds(20).sort());
	});

	test('with Retry On Fail a refunded task gives its place to the next attempt', async () => {
		onRecordOf('task_1', failed());
		const { json } = ok(await buy(3, { maxTasks: 3, concurrency: 1 }, threeTries));
		expect(statesOf(json)).toEqual(['task_4: completed', 'task_2: completed', 'task_3: completed']);
		expect(bought()).toHaveLength(4);
	});

	test('so it does to "Retry" of the execution', async () => {
		onRecordOf('task_1', failed());
		const run = soundRun(service, 3, { maxTasks: 3, concurrency: 1 });
		const { json } = ok(await retryExecution(await runNode(run), run));
		expect(statesOf(json)).toEqual(['task_4: completed', 'task_2: completed', 'task_3: completed']);
	});

	test('with Retry On Fail a task in "Existing Task" that fails has no place to give', async () => {
		onRecordOf('task_known', running, failed());
		onRecordOf('task_1', failed());
		const existingTaskId = "={{ $itemIndex === 0 ? 'task_known' : '' }}";
		const options = { maxTasks: 2, concurrency: 1, existingTaskId };
		await buy(3, options, retryOnFail);
		// Two, and the one in place of the refunded.
		expect(bought()).toHaveLength(3);
	});

	test.each([goOn, retryAndGoOn])(
		'in a loop with %j a refunded task counts once: it would not end',
		async (run) => {
			onRecord(failed());
			await buy(1, { maxTasks: 3, concurrency: 1 }, { ...run, rounds: 6 });
			// With Retry On Fail each of the three rounds buys twice.
			expect(bought()).toHaveLength(run === goOn ? 3 : 6);
		},
	);

	test('of the places of a refunded task and of a refused row, the next round of a loop has the second only', async () => {
		onSubmit(
			byPrompt({
				'Sound 0': [accepted('task_1'), refused, accepted('task_3')],
				'Sound 1': [accepted('task_2'), accepted('task_4')],
				'Sound 2': [refused, refused, accepted('task_5')],
			}),
		);
		onRecordOf('task_1', failed());
		const { rounds } = await buy(3, { maxTasks: 3 }, { ...retryAndGoOn, rounds: 2 });
		expect(rounds.map(statesOf)).toEqual([
			['not submitted', 'task_2: completed', 'not submitted'],
			['task_3: completed', 'not submitted', 'not submitted'],
		]);
		expect(bought()).toHaveLength(6);
	});

	test('the place of a refunded task that a refused row gives back is taken by a later one', async () => {
		onSubmit(accepted('task_1'), accepted('task_2'), refused, accepted('task_3'));
		onRecordOf('task_1', failed());
		const { json } = await buy(3, { maxTasks: 2, concurrency: 1 }, retryAndGoOn);
		expect(statesOf(json)).toEqual(['not submitted', 'task_2: completed', 'task_3: completed']);
	});

	test('places that refused rows give back are taken by later rows of the same run', async () => {
		onSubmit(
			byPrompt({
				'Sound 0': refused,
				'Sound 1': accepted('task_1'),
				'Sound 2': accepted('task_2'),
				'Sound 3': accepted('task_3'),
			}),
		);
		const { json } = await buy(4, { maxTasks: 2 }, goOn);
		expect(statusesOf(json)).toEqual(['not submitted', 'completed', 'completed', 'not submitted']);
		expect(messages(json)[3]).toContain('this node has made 2 purchases');
	});

	test('an agent whose tasks all fail comes to the limit, also with Retry On Fail', async () => {
		onRecord(failed());
		await buy(1, { maxTasks: 2 }, { node: soundTool(), ...retryAndGoOn, rounds: 10 });
		expect(bought()).toHaveLength(2);
	});

	test('the runs of a loop share the limit', async () => {
		const { rounds } = await buy(8, { maxTasks: 20 }, { ...goOn, rounds: 4 });
		const completedIn = (json: RunResult['json']) =>
			json.filter(({ status }) => status === 'completed').length;
		expect(rounds.map(completedIn)).toEqual([8, 8, 4, 0]);
		expect(bought()).toHaveLength(20);
	});

	test('the calls of an agent share the limit, side by side too', async () => {
		const run = soundRun(service, 1, { maxTasks: 3 }, goOn);
		const outcomes = (await runSideBySide(run, 7)).map((each) =>
			each.status === 'fulfilled' ? each.value[0]?.json.status : String(each.reason),
		);
		expect(outcomes.sort()).toEqual([
			...Array<string>(3).fill('completed'),
			...Array<string>(4).fill('not submitted'),
		]);
		expect(bought()).toHaveLength(3);
	});

	test('a pause does not reset the count', async () => {
		onRecord(running);
		const execution = await pause(3, { maxTasks: 5 }, { ...goOn, rounds: 2 });
		expect(execution.paused.json).toHaveLength(3);
		onRecord(completed);
		const { resumed } = await execution.callback();
		expect(resumed?.rounds.map(statusesOf)).toEqual([
			['completed', 'completed', 'completed'],
			['completed', 'completed', 'not submitted'],
		]);
		expect(bought()).toHaveLength(5);
	});

	describe('where On Error is Stop Workflow', () => {
		const note = (items: string, limit: number) =>
			`${items}: not submitted, because "Max Tasks" is ${limit}. To buy the rest, run the workflow with these items only.`;

		test('what was bought comes out; the others are counted by a hint, a note and the custom data', async () => {
			const { json, items, hints, run } = ok(await buy(20, { maxTasks: 3 }));
			expect(statusesOf(json)).toEqual(['completed', 'completed', 'completed']);
			expect(items.map(({ pairedItem }) => pairedItem)).toStrictEqual(
				[0, 1, 2].map((item) => ({ item })),
			);
			const left = note('Rows 4 to 20 (items 3 to 19)', 3);
			expect(json.map(({ notes }) => notes)).toStrictEqual([[left], undefined, undefined]);
			const told = hints.map(({ message }) => message);
			expect(told).toEqual(['3 tasks, no cost stated', left]);
			const counted = { mediagen_tasks: '3', mediagen_left_out: '17' };
			expect(run.data.resultData.metadata).toMatchObject(counted);
		});

		test('the runs of a loop count together, and one that can buy nothing gives out nothing', async () => {
			const { rounds, hints, run } = ok(await buy(2, { maxTasks: 3 }, { rounds: 3 }));
			expect(rounds.map((json) => json.length)).toStrictEqual([2, 1, 0]);
			expect(rounds[1]?.[0]?.notes).toEqual([note('Row 2 (item 1)', 3)]);
			expect(run.data.resultData.metadata).toMatchObject({ mediagen_left_out: '3' });
			expect(hints.map(({ message }) => message)).toContain(note('Rows 1 to 2 (items 0 to 1)', 3));
		});

		test('with nothing bought at all, the hint and the log say so', async () => {
			const { json, hints, error } = await buy(1, { maxTasks: 0 });
			expect([json, error]).toEqual([[], undefined]);
			expect(service.requests).toEqual([]);
			expect(hints.map(({ message }) => message)).toContain(note('Row 1 (item 0)', 0));
			expect(log).toContain(`MediaGen: ${note('Row 1 (item 0)', 0)}`);
		});

		test('an item that fails otherwise fails the node, with all of its tasks and what was not submitted', async () => {
			onRecordOf('task_2', failed('out of luck'));
			const { error, run } = await buy(20, { maxTasks: 3, concurrency: 1 });
			expect(error?.message).toBe(
				'Task task_2 failed: out of luck [row 2 (item 1)] (18 of 20 items have no result)',
			);
			expect(error?.description?.split('<br>\n').slice(-6)).toEqual([
				'Tasks of this run, to be fetched with the resource Task, operation Get:',
				'Row 1 (item 0): task task_1, completed.',
				'Row 2 (item 1): task task_2, failed (Task task_2 failed: out of luck).',
				'Row 3 (item 2): task task_3, completed.',
				'Rows 4 to 20 (items 3 to 19): not submitted (The request was not sent: "Max Tasks" is 3, and this node has made 3 purchases in this execution).',
				'"Retry" in the list of executions continues these tasks and does not buy them again, except those that were refunded.',
			]);
			expect(run.data.resultData.metadata).not.toHaveProperty('mediagen_left_out');
		});

		test('in a sub-workflow the tasks belong to its own execution, and the caller buys them again', async () => {
			onRecordOf('task_2', { status: 404 });
			const { error } = await buy(2, { timeout: 5 }, { mode: 'integrated' });
			expect(error?.description?.split('\n').at(-1)).toBe(
				'In this sub-workflow, "Retry" in the list of executions continues these tasks and does not buy them again. A retry of its caller buys all of them again.',
			);
		});

		test('a task that an earlier attempt bought does not count', async () => {
			onRecordOf('task_2', ...Array<Reply>(7).fill(running), completed);
			const options = { maxTasks: 3, concurrency: 1, timeout: 5 };
			const { json } = ok(await buy(4, options, threeTries));
			expect(json.map(({ taskId }) => taskId)).toStrictEqual(['task_1', 'task_2', 'task_3']);
		});

		test('what was left out stays out after a pause, and the note comes out', async () => {
			onRecord(running);
			const execution = await pause(5, { maxTasks: 2 });
			onRecord(completed);
			const { resumed } = await execution.callback();
			expect(resumed?.json.map(({ status, notes }) => [status, notes])).toEqual([
				['completed', ['This run: 2 tasks, no cost stated', note('Rows 3 to 5 (items 2 to 4)', 2)]],
				['completed', undefined],
			]);
			expect(execution.paused.run.data.resultData.metadata).toMatchObject({
				mediagen_left_out: '3',
			});
		});

		test('an agent always gets the message', async () => {
			const { json } = await buy(1, { maxTasks: 0 }, { node: soundTool() });
			expect(messages(json)[0]).toContain('"Max Tasks" is 0');
		});

		test('"Fail" fails the node, names the tasks that it bought, counts the others and advises to retry', async () => {
			const { error } = await buy(20, { maxTasks: 3, ...fail });
			expect(error?.message).toContain('"Max Tasks" is 3');
			expect(error?.message).toContain('(17 of 20 items have no result)');
			expect(error?.description).toContain(
				'Raise "Max Tasks" in the options, save the workflow, and retry this execution with the currently saved workflow: what it has bought is not bought again.',
			);
			for (const taskId of ['task_1', 'task_2', 'task_3'])
				expect(error?.description).toContain(`task ${taskId}, completed`);
			expect(error?.description).toContain('Rows 4 to 20 (items 3 to 19): not submitted');
			expect(error?.description?.match(/"Max Tasks" is 3/g)).toHaveLength(1);
		});

		test('a retry of the failed execution with a higher limit buys the others, and no item again', async () => {
			const withLimit = (maxTasks: number) =>
				soundRun(service, 4, { maxTasks, concurrency: 1, ...fail });
			const first = await runNode(withLimit(2));
			expect(first.error).toBeDefined();
			const { json } = ok(await retryExecution(first, withLimit(4)));
			expect(json.map(({ taskId }) => taskId)).toStrictEqual([
				'task_1',
				'task_2',
				'task_3',
				'task_4',
			]);
			expect(promptsSent()).toEqual(firstSounds(4));
		});
	});

	const [done, left] = ['completed', 'not submitted'];

	test.each<[string, number, Reply[], Array<string | undefined>]>([
		['that the service refused takes no place', 2, [refused], [left, done, done, left]],
		[
			'that the service refused after others leaves theirs',
			3,
			[accepted('task_8'), accepted('task_9'), refused],
			[done, done, left, done, left],
		],
		['without a clear answer takes one', 2, [unclear], ['unknown', done, left]],
	])('a submission %s', async (_, maxTasks, replies, expected) => {
		let last = 0;
		onSubmit(...replies, () => accepted(`task_${++last}`));
		const { json } = await buy(expected.length, { maxTasks, concurrency: 1 }, goOn);
		expect(statusesOf(json)).toEqual(expected);
		expect(bought()).toHaveLength(expected.length - 1);
	});

	test('what is no number is refused with its label', async () => {
		const { error } = await buy(1, { maxTasks: '={{ "many" }}' });
		expect(error?.message).toContain('"Max Tasks" must be');
		expect(service.requests).toEqual([]);
	});
});

describe('Keep Balance', () => {
	test.each([
		['balance, enough', { keepBalance: 5 }, 1],
		['balance, too little', { keepBalance: 5.01 }, 0],
		['credits, enough', { keepBalance: 5_000, keepBalanceUnit: 'credits' }, 1],
		['credits, too few', { keepBalance: 5_001, keepBalanceUnit: 'credits' }, 0],
	])('%s', async (_, options, purchases) => {
		await buy(1, options);
		expect(bought()).toHaveLength(purchases);
	});

	test('the error names the option, its value and what remains', async () => {
		const { error } = await buy(1, { keepBalance: 6_000, keepBalanceUnit: 'credits' });
		expect(error?.message).toBe(
			'The request was not sent: the remaining balance is 5000 credits, and "Keep Balance" is 6000 [row 1 (item 0)]',
		);
		expect(error?.description).toContain(
			'Top up the balance, or lower "Keep Balance" in the options.',
		);
	});

	test.each([
		['credits', '5000 credits remained'],
		['balance', '5 remained'],
	])('the hint of the run has what remained, in the unit %s', async (unit, remained) => {
		const { hints } = await buy(2, { keepBalance: 1, keepBalanceUnit: unit });
		expect(hints[0]?.message).toBe(`2 tasks, no cost stated, ${remained} before the last purchase`);
	});

	test('the rest of a sum with fractions is nothing', async () => {
		onBalance(balance({ remain_balance: 1 - 0.9 - 0.1 }));
		const { error } = await buy(1, { keepBalance: 1 });
		expect(error?.message).toContain('the remaining balance is 0, and "Keep Balance" is 1');
	});

	test('what remains is compared as it is told', async () => {
		onBalance(balance({ remain_balance: 0.1 + 0.7 + 0.2 - Number.EPSILON }));
		ok(await buy(1, { keepBalance: 1 }));
	});

	test('what was too little for a purchase is not what remained before the last one', async () => {
		onBalance(balance(), balance({ remain_balance: 0.5 }));
		const { hints } = await buy(2, { keepBalance: 1, concurrency: 1 }, goOn);
		expect(hints[0]?.message).toContain(', 5 remained before the last purchase');
	});

	test('an error of a balance that cannot be read says what to do', async () => {
		onBalance(balance({ remain_balance: null }));
		const { error } = await buy(1, { keepBalance: 1 });
		expect(error?.message).toBe(
			'The request was not sent: the service does not state the remaining balance, and "Keep Balance" is set [row 1 (item 0)]',
		);
		expect(error?.description).toBe('Choose the other unit in "Keep Balance: Unit".');
		onBalance(deleted);
		const refused = await buy(1, { keepBalance: 1 });
		expect(refused.error?.message).toMatch(
			/^The request was not sent: the balance could not be read \(.*Key deleted.*\), and "Keep Balance" is set \[row 1 \(item 0\)\]$/,
		);
		expect(refused.error?.description).toBe('Check the API key in the MediaGen credential.');
	});

	test('a key without a limit passes', async () => {
		onBalance(balance({ remain_balance: -1, remain_credits: -1, unlimited_quota: true }));
		const { json } = await buy(1, { keepBalance: 1_000_000 });
		expect(json[0]).toMatchObject({ status: 'completed' });
	});

	const withoutCredits = balance({ remain_credits: null });

	test.each<[string, Reply, string]>([
		['the service refuses it', deleted, 'Key deleted'],
		['the service is down', { status: 503 }, 'Server error (HTTP 503)'],
		['it is not a balance', { text: '<html>' }, 'could not be read'],
		['the unit is not in it', withoutCredits, 'does not state the remaining credits'],
	])('nothing is bought when the balance cannot be read: %s', async (_, reply, words) => {
		onBalance(reply);
		const { json } = await buy(3, { keepBalance: 1, keepBalanceUnit: 'credits' }, goOn);
		expect(bought()).toEqual([]);
		expect(messages(json)).toEqual(Array(3).fill(expect.stringContaining(words)));
	});

	test('after the first item that finds too little, no further balance is read', async () => {
		const { json } = await buy(50, { keepBalance: 6, concurrency: 2 }, goOn);
		expect(messages(json)).toEqual(Array(50).fill(expect.stringContaining('"Keep Balance" is 6')));
		expect(service.sent('GET', BALANCE).length).toBeLessThanOrEqual(2);
	});

	test('parallel submissions overrun it by at most the purchases in flight', async () => {
		const price = 120;
		const keep = 4_000;
		const concurrency = 4;
		let left = 5_000;
		service.on('GET', BALANCE, () => balance({ remain_credits: left }));
		onSubmit(() => {
			left -= price;
			return accepted(`task_${left}`);
		});
		const options = { keepBalance: keep, keepBalanceUnit: 'credits', concurrency };
		await buy(30, options, goOn);
		const exact = Math.floor((5_000 - keep) / price) + 1;
		expect(bought().length).toBeGreaterThanOrEqual(exact);
		expect(bought().length).toBeLessThanOrEqual(exact + concurrency - 1);
	});

	test('with Concurrency 1 only the purchase that crosses it is made', async () => {
		let left = 5;
		service.on('GET', BALANCE, () => balance({ remain_balance: left }));
		onSubmit(() => {
			left -= 2;
			return accepted(`task_${left}`);
		});
		const { json } = await buy(5, { keepBalance: 2, concurrency: 1 }, goOn);
		expect(statusesOf(json)).toEqual([
			...['completed', 'completed'],
			...['not submitted', 'not submitted', 'not submitted'],
		]);
	});
});

describe('Check Only', () => {
	const limit = (withinLimits: number, words: unknown) => ({ withinLimits, limit: words });
	const tooLittle = limit(0, 'the remaining balance is 5, and "Keep Balance" is 6');
	const unknown = limit(0, expect.stringContaining('does not state the remaining balance'));
	const two = limit(2, '"Max Tasks" is 2, and this node has made 0 purchases in this execution');

	test.each<[string, object, object, object]>([
		['all of them', { maxTasks: 3 }, {}, { withinLimits: 3 }],
		['none, with too small a balance', { maxTasks: 2, keepBalance: 6 }, {}, tooLittle],
		['none, with an unknown balance', { keepBalance: 6 }, { remain_balance: null }, unknown],
		['those of "Max Tasks", with a large balance', { maxTasks: 2, keepBalance: 5 }, {}, two],
		['all, without a limit', {}, {}, { withinLimits: 3 }],
	])('how many of three the limits would let through: %s', async (_, options, fields, expected) => {
		onBalance(balance(fields));
		const { json } = await buy(3, { checkOnly: true, ...options });
		expect(json[2]).toMatchObject({ tasks: 3, ...expected });
		expect(json[2]).toHaveProperty('request.path', SOUNDS);
	});

	test('in a loop the limit is what earlier runs left of it', async () => {
		const options = { checkOnly: '={{ $runIndex === 1 }}', maxTasks: 3 };
		const { rounds } = await buy(2, options, { rounds: 2 });
		expect(rounds[1]?.[0]).toMatchObject({ tasks: 2, withinLimits: 1 });
	});

	test('an item says all that a user has to know before the purchase', async () => {
		const { items } = await buy(2, { checkOnly: true, reference: 'row 1', maxTasks: 2 });
		const body = { prompt: 'Sound 1' };
		expect(items[1]).toEqual({
			json: {
				...{ checkOnly: true, tasks: 2, withinLimits: 2, problems: [], notes: [] },
				balance: { remaining: 5, remainingCredits: 5_000 },
				purchaseKey: expect.stringMatching(/^[0-9a-f]{32}$/),
				reference: 'row 1',
				request: { method: 'POST', path: SOUNDS, body },
			},
			pairedItem: { item: 1 },
		});
	});

	test('an item with two mistakes has both, and no more lines, beside its row and its reference', async () => {
		const options = { checkOnly: true, includeInput: true, reference: '={{ $json.id }}' };
		const { items } = await runnerOf(service)(
			'image.generate',
			{ prompt: '={{ $json.prompt }}', n: '={{ $json.prompt ? 1 : 99 }}', options },
			{ items: [{ json: { id: 'a' } }, ...prompts(1)] },
		);
		expect(items[0]).toMatchObject({
			json: { tasks: 1, request: null, reference: 'a', input: { id: 'a' } },
			pairedItem: { item: 0 },
		});
		expect(items[0]?.json.problems).toEqual([
			expect.stringContaining('"Prompt"'),
			expect.stringContaining('"Number of Images"'),
		]);
	});

	const endless = { remaining: null, remainingCredits: null };

	test.each<[string, Reply, object]>([
		['of a key without a limit has no end', balance({ unlimited_quota: true }), endless],
		['that cannot be read says why', deleted, { error: expect.stringContaining('Key deleted') }],
	])('the balance %s', async (_, reply, expected) => {
		onBalance(reply);
		const { json } = await buy(1, { checkOnly: true });
		expect(json[0]?.balance).toEqual(expected);
		expect(json[0]).not.toHaveProperty('limit');
	});

	test('the callback address stands in the request', async () => {
		const callbackBaseUrl = 'https://n8n.example.com/webhook/x';
		const { json } = await buy(1, { checkOnly: true, callbackBaseUrl });
		expect(json[0]).toMatchObject({
			request: { body: { webhook: callbackBaseUrl, prompt: 'Sound 0' } },
		});
	});

	test('a file that would be sent as form data stands in the request', async () => {
		const place = { resource: 'task', operation: 'submit', path: '/v1/music/upload' };
		const form = { ...place, bodyType: 'formData', binaryProperty: 'data', fileField: 'audio' };
		const items = [await fileItem(Buffer.from('song'), 'song.mp3', 'audio/mpeg')];
		const { json } = await buy(1, { checkOnly: true }, { given: form, items });
		expect(json[0]).toMatchObject({
			request: { path: '/v1/music/upload', file: { field: 'audio', content: expect.any(String) } },
		});
	});

	test('no place is taken: the next run of the node has the whole limit', async () => {
		const options = { checkOnly: '={{ $runIndex === 0 }}', maxTasks: 2 };
		const { rounds } = await buy(2, options, { ...goOn, rounds: 2 });
		expect(rounds[0]?.map(({ checkOnly }) => checkOnly)).toStrictEqual([true, true]);
		expect(rounds[1]?.map(({ status }) => status)).toStrictEqual(['completed', 'completed']);
	});
});

describe('Chat Cache', () => {
	const ask = async (count: number, options: object, run: object = goOn) =>
		await runnerOf(service)(
			'chat.message',
			{ prompt: '={{ $json.question }}', options: { watchPrefix: false, ...options } },
			{
				items: Array.from({ length: count }, (_, at) => ({
					json: { question: at === 3 ? '' : `Why ${at}?` },
				})),
				...run,
			},
		);

	const answered = chatAnswer('Because.');

	test('Max Tasks counts the questions', async () => {
		service.on('POST', CHAT, answered);
		const { json } = await ask(3, { maxTasks: 2, concurrency: 1 });
		expect(json.map(({ text }) => text)).toStrictEqual(['Because.', 'Because.', undefined]);
		expect(messages(json)[2]).toContain('"Max Tasks" is 2');
		expect(service.sent('POST', CHAT)).toHaveLength(2);
	});

	test('Max Tasks, where On Error is Stop Workflow: the answers come out, and the others are counted', async () => {
		service.on('POST', CHAT, answered);
		const { json, hints, run } = ok(await ask(3, { maxTasks: 1, concurrency: 1 }, {}));
		const note =
			'Rows 2 to 3 (items 1 to 2): not submitted, because "Max Tasks" is 1. To buy the rest, run the workflow with these items only.';
		expect(json.map(({ text, warnings }) => [text, (warnings as string[])[0]])).toEqual([
			['Because.', note],
		]);
		expect(hints.map(({ message }) => message)).toContain(note);
		expect(run.data.resultData.metadata).toMatchObject({ mediagen_left_out: '2' });
		const failed = await ask(3, { maxTasks: 1, concurrency: 1, ...fail }, {});
		expect(failed.error?.message).toContain('(2 of 3 items have no result)');
		expect(failed.error?.description).toContain(
			'retry this execution with the currently saved workflow',
		);
	});

	test('Keep Balance asks nothing while too little remains', async () => {
		const { error } = await ask(1, { keepBalance: 6 }, {});
		expect(error?.message).toContain('the remaining balance is 5, and "Keep Balance" is 6');
		expect(service.sent('POST', '*')).toEqual([]);
	});

	test('the hint of the run has what remained', async () => {
		service.on('POST', CHAT, answered);
		const { hints } = await ask(2, { keepBalance: 1 });
		expect(hints[0]?.message).toContain(', 2 output tokens, 5 remained before the last purchase');
	});

	test('Check Only lists the requests and the mistakes, and asks nothing', async () => {
		const { json } = await ask(4, { checkOnly: true }, {});
		expect(json.map(({ problems }) => (problems as string[]).length)).toEqual([0, 0, 0, 1]);
		expect(json[0]).toMatchObject({
			tasks: 3,
			request: { method: 'POST', path: CHAT, body: { model: 'vendor-chat-1' } },
		});
		expect(service.sent('POST', '*')).toEqual([]);
	});
});

test.each([
	['checkOnly', 'Check Only'],
	['maxTasks', 'Max Tasks'],
	['keepBalance', 'Keep Balance'],
])('%s whose expression gives nothing is not left out: nothing is bought', async (name, label) => {
	for (const empty of ['={{ $json.nothing }}', '={{ null }}', '={{ "" }}']) {
		const { error } = await buy(3, { [name]: empty });
		expect(error?.message).toBe(`"${label}" is required: its expression is empty`);
		expect(error?.description).toBe('Nothing was sent to the service.');
	}
	expect(service.requests).toEqual([]);
});
