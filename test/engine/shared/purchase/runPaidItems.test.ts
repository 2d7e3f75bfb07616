import type { INodeExecutionData, INodeParameters } from 'n8n-workflow';

import { clock } from '../../../../nodes/shared/util/clock';
import { openServer } from '../../../support/server';
import { cancelWhen, jumpingClock, turns, until } from '../../support/clocks';
import {
	log,
	ok,
	retryExecution,
	runNode,
	type RunOptions,
	runSideBySide,
} from '../../support/engine';
import { runnerOf } from '../../support/operations';
import { stopWatching } from '../../support/pausedExecution';
import { fileItem, picture } from '../../support/sandbox';
import { type Reply, SCRIPTED_KEY } from '../../support/scriptedService';
import {
	accepted,
	completed,
	completedWith,
	failed,
	refused,
	running,
	serviceError,
	songAt,
	soundRun,
	unclear,
} from '../../support/scriptedTasks';
import { errorOutput, goOn, retryAndGoOn, retryOnFail } from '../../support/settings';
import { statesOf, statusesOf, useSoundService } from '../../support/soundService';

const { service, onSubmit, onRecord, onRecordOf, buy, pause, bought, promptsSent, recordsRead } =
	useSoundService(jumpingClock);

/** An item without a result goes from the error output back to the node, once. */
const ledBack = { ...errorOutput, errorsBack: 1 } as const;

const oneByOne = { concurrency: 1 };

const tooMany = (retryAfter: string): Reply => ({
	...serviceError(429, 'Slow down'),
	headers: { 'retry-after': retryAfter },
});

const byEarlierAttempt = 'may have been bought by an earlier attempt';

const inLog = (words: string) => log.filter((message) => message.includes(words));

/** The place of an item in the log. */
const placeOf = (item: number, executionId = '1') =>
	`execution ${executionId}, workflow engine-test "Engine test", node "Under Test", row ${item + 1} (item ${item})`;

const runAgainLater =
	'Run the node again later, with the items without a result only: the others would be bought again.';

const UPLOADS = '/v1/uploads/images';
const GENERATIONS = '/v1/images/generations';

/** Makes a picture from that of each row. */
const editPicture = async (
	given: INodeParameters,
	items: INodeExecutionData[],
	more: Partial<RunOptions>,
) =>
	await runnerOf(service)(
		'image.generate',
		{ referenceImages: 'binary', imageBinaryProperties: 'data', ...given },
		{ items, ...more },
	);

const secondsBetween = (requests: ReadonlyArray<{ at: number }>) =>
	requests.slice(1).map(({ at }, index) => (at - (requests[index]?.at ?? 0)) / 1_000);

describe('Retry-After never outlasts "Timeout"', () => {
	test('20 seconds on a poll, with a timeout of 5: the node ends after about 5 seconds and names the task', async () => {
		onRecord(tooMany('20'));
		const began = clock.now();
		const { error } = await buy(1, { timeout: 5 });
		expect(error?.message).toBe('Task task_1 was still submitted after 5 seconds [row 1 (item 0)]');
		expect(error?.description).toContain('The last request failed: Rate limit reached');
		expect((clock.now() - began) / 1_000).toBeLessThan(6);
	});

	test('15 seconds on a submission, with a timeout of 5: nothing is bought', async () => {
		onSubmit(tooMany('15'), accepted('task_1'));
		const { json } = ok(await buy(3, { timeout: 5, concurrency: 1 }, goOn));
		expect(statusesOf(json)).toStrictEqual(Array(3).fill('not submitted'));
		expect(JSON.stringify(json)).toContain('Rate limit reached');
		expect(bought()).toHaveLength(1);
	});

	test('a submission that outlasts it: the next item is not bought any more, and says so', async () => {
		onSubmit(() => {
			void clock.sleep(10_000);
			return accepted('task_1');
		});
		onRecord(running);
		const { json } = await buy(2, { timeout: 5, concurrency: 1 }, goOn);
		expect(statesOf(json)).toEqual(['task_1: submitted', 'not submitted']);
		expect(json[1]?.error).toMatchObject({
			message: 'The timeout passed before the task was bought [row 2 (item 1)]',
			description: runAgainLater,
		});
		expect(bought()).toHaveLength(1);
	});

	test('a download that the service puts off ends with "Timeout"', async () => {
		onRecord(completedWith(songAt(`${service.url}/1.mp3`)));
		service.on('GET', '/1.mp3', { ...tooMany('15'), status: 503 });
		const began = clock.now();
		const { error } = await buy(1, { timeout: 20 }, { given: { downloadFiles: true } });
		expect(error?.description).toContain('task_1');
		expect((clock.now() - began) / 1_000).toBeLessThan(21);
		expect(service.sent('GET', '/1.mp3')).toHaveLength(2);
	});
});

test('a task that is bought late has "Timeout" for itself: the rate limit has taken some of it', async () => {
	onSubmit(accepted('task_1'), tooMany('25'), accepted('task_2'));
	let boughtAt = Infinity;
	onRecordOf('task_2', () => {
		boughtAt = Math.min(boughtAt, clock.now());
		return clock.now() - boughtAt < 20_000 ? running : completed;
	});
	const { json } = ok(await buy(2, { timeout: 30, concurrency: 1 }));
	expect(statesOf(json)).toEqual(['task_1: completed', 'task_2: completed']);
});

test('a pause, which may last for a day, does not buy for a day under a rate limit', async () => {
	onSubmit(accepted('task_1'), tooMany('45'));
	onRecord(running);
	const began = clock.now();
	const { waiting } = await pause(3, oneByOne, goOn, { watches: true });
	stopWatching();
	expect(((bought().at(-1)?.at ?? began) - began) / 60_000).toBeLessThan(11);
	expect(statusesOf(waiting.map(({ json }) => json))).toEqual([
		'submitted',
		'not submitted',
		'not submitted',
	]);
});

describe('"Don\'t Wait" has no timeout', () => {
	const none = { waitMode: 'none' };

	test.each([retryOnFail, retryAndGoOn])(
		'a first task that the service accepts as failed has no other item bought again by Retry On Fail: %j',
		async (run) => {
			const error = { message: 'Busy' };
			onSubmit(
				{
					json: { code: 200, data: [{ task_id: 'task_1', status: 'failed', result: null, error }] },
				},
				accepted('task_2'),
				accepted('task_3'),
				accepted('task_4'),
			);
			const { json } = await buy(3, { concurrency: 1 }, { given: none, ...run });
			expect(json.map(({ taskId }) => taskId)).toEqual(['task_4', 'task_2', 'task_3']);
			expect(bought()).toHaveLength(4);
		},
	);

	test('it buys on under a rate limit, longer than ten minutes', async () => {
		let last = 0;
		let acceptedAt = clock.now() - 60_000;
		onSubmit(() => {
			if (clock.now() - acceptedAt < 60_000) return tooMany('30');
			acceptedAt = clock.now();
			return accepted(`task_${++last}`);
		});
		const began = clock.now();
		const { json } = ok(await buy(30, { timeout: 5 }, { given: none }));
		expect(new Set(json.map(({ taskId }) => taskId)).size).toBe(30);
		expect((clock.now() - began) / 1_000).toBeGreaterThan(25 * 60);
	});

	test('it gives up when nothing is accepted for ten minutes, and says what to run again', async () => {
		onSubmit(accepted('task_1'), tooMany('45'));
		const began = clock.now();
		const { json } = await buy(3, oneByOne, { given: none, ...goOn });
		expect(statesOf(json)).toEqual(['task_1: submitted', 'not submitted', 'not submitted']);
		expect((clock.now() - began) / 60_000).toBeLessThan(11);
		const [second, third] = json
			.slice(1)
			.map(({ error }) => error as { message: string; description: string });
		expect(second?.message).toContain('Rate limit reached');
		expect(second?.description).toBe(`Lower "Concurrency" in the options. ${runAgainLater}`);
		expect(third?.message).toMatch(
			/Rate limit reached|The service accepted no task for ten minutes, so this one was not sent/,
		);
		expect(third?.description).toContain(runAgainLater);
	});
});

test('Retry-After is at least half a second', async () => {
	const refusals = Array<Reply>(8).fill(tooMany('0'));
	onSubmit(...refusals, accepted('task_1'));
	const { json } = await buy();
	expect(json[0]).toMatchObject({ taskId: 'task_1', status: 'completed' });
	expect(bought()).toHaveLength(9);
	expect(Math.min(...secondsBetween(bought()))).toBeGreaterThanOrEqual(0.5);
});

test('Retry-After holds back the other items too, not only the one that met it', async () => {
	let last = 0;
	const bothSent = until(() => bought().length >= 2).catch(() => undefined);
	// The one beside it is answered once the refusal has been read.
	const after = bothSent.then(async () => await turns());
	onSubmit({ ...tooMany('20'), after: bothSent }, () => ({ ...accepted(`task_${++last}`), after }));
	const { json } = await buy(6, { concurrency: 2 });
	expect(statusesOf(json)).toStrictEqual(Array(6).fill('completed'));
	const [first, second, ...others] = bought();
	expect(others).toHaveLength(5);
	expect((second?.at ?? 0) - (first?.at ?? 0)).toBeLessThan(1_000);
	for (const { at } of others) expect(at - (first?.at ?? 0)).toBeGreaterThanOrEqual(20_000);
});

/** Stops an execution when so many submissions have arrived. Answers that wait for `released` come once `release` is called. */
function stopAfter(count: number) {
	let release = () => {};
	const released = new Promise<void>((resolve) => (release = resolve));
	return { released, release, onStart: cancelWhen(() => bought().length === count) };
}

describe('Stop, while purchases are in flight', () => {
	test('the node ends at once, so that n8n saves it; the log names the tasks, and what was not sent yet is not sent', async () => {
		const { released, release, onStart } = stopAfter(4);
		let last = 0;
		onSubmit(({ body }) =>
			(body as { prompt: string }).prompt === 'Sound 0'
				? accepted('task_first')
				: { ...accepted(`task_${++last}`), after: released },
		);
		const { run, error } = await buy(6, { concurrency: 3 }, { onStart });
		expect(run.status).toBe('canceled');
		expect(recordsRead()).toEqual([]);
		expect(error?.description).toContain('task_first');
		for (const words of [
			'Row 2 (item 1): may have been bought (The execution was canceled)',
			'Rows 5 to 6 (items 4 to 5): not submitted (The execution was canceled)',
		])
			expect(error?.description).toContain(words);
		// n8n's editor has no "Retry" for a canceled execution.
		expect(error?.description).toContain('POST /api/v1/executions/1/retry');
		release();
		await until(() => inLog('after the execution was canceled').length === 3);
		for (const taskId of ['task_1', 'task_2', 'task_3'])
			expect(inLog('after the execution was canceled').join('\n')).toMatch(
				new RegExp(`task ${taskId} submitted .* \\(execution 1, .*, row \\d \\(item \\d\\)\\)`),
			);
		expect(bought()).toHaveLength(4);
	});

	test.each([
		['the same', '={{ $json.prompt }}'],
		['others, by $now', '={{ $json.prompt }} at {{ $now }}'],
	])(
		'"Retry" knows the tasks that the service has named since, and buys the rest: its requests are %s',
		async (_, prompt) => {
			const { released, release, onStart } = stopAfter(4);
			const late = [accepted('task_2'), refused, accepted('task_3\nMediaGen: task_x submitted')];
			const inTime = ['task_4', 'task_5', 'task_6'].map((taskId) => accepted(taskId));
			onSubmit(
				accepted('task_1'),
				...late.map((reply) => ({ ...reply, after: released })),
				...inTime,
			);
			onRecord(completed);
			const run = soundRun(service, 6, { concurrency: 3, maxTasks: 6 }, { given: { prompt } });
			const { run: atEnd, ...canceled } = await runNode({ ...run, onStart });
			const saved = { ...canceled, run: JSON.parse(JSON.stringify(atEnd)) as typeof atEnd };
			// One before these answers does not know them.
			const early = await retryExecution(saved, run);
			expect(early.error?.message).toContain('may have been bought by an earlier attempt');
			release();
			await until(() => inLog('task was not bought: Bad request').length === 1);
			await until(() => inLog('after the execution was canceled').length === 2);
			expect(log.join('\n')).not.toMatch(/^MediaGen: task_x/m);
			const { json } = await retryExecution(early, run);
			expect(statusesOf(json)).toEqual(Array(6).fill('completed'));
			expect(new Set(json.map(({ taskId }) => taskId)).size).toBe(6);
			// The refused one was sent again, in its own place of "Max Tasks".
			expect(promptsSent()).toHaveLength(7);
		},
	);
});

describe('What an attempt left is taken up by the next one in the same execution', () => {
	test('"Send Again" buys it, and the user was told of the choice', async () => {
		onSubmit({ reset: true }, accepted('task_2'));
		const { rounds, errorRounds } = await buy(1, { whenUnsure: 'sendAgain' }, ledBack);
		expect(JSON.stringify(errorRounds[0])).toContain(
			'set \\"If It May Have Been Bought\\" in the options to \\"Send Again\\"',
		);
		expect(rounds[1]?.[0]).toMatchObject({ taskId: 'task_2', status: 'completed' });
		expect(bought()).toHaveLength(2);
	});

	test.each([
		['Max Tasks', { maxTasks: 1 }, '"Max Tasks" is 1'],
		['Keep Balance', { keepBalance: 5 }, 'the remaining balance is 1'],
	])('"Send Again" beyond %s: it may have been bought, not left out', async (_, limit, problem) => {
		service.on(
			'GET',
			'/v1/balance',
			{ json: { remain_balance: 9, remain_credits: 9 } },
			{ json: { remain_balance: 1, remain_credits: 1 } },
		);
		onSubmit({ reset: true }, accepted('task_2'));
		const { error } = await buy(1, { whenUnsure: 'sendAgain', ...limit }, retryOnFail);
		expect(bought()).toHaveLength(1);
		expect(error?.message).toContain(byEarlierAttempt);
		expect(error?.message).toContain(problem);
	});

	test.each(['a refusal', 'a rate limit until "Timeout"'])(
		'"Send Again" that meets %s says nothing of the first attempt: it may have been bought',
		async (kind) => {
			const reply = kind === 'a refusal' ? refused : tooMany('15');
			onSubmit({ reset: true }, reply);
			const options = { whenUnsure: 'sendAgain', timeout: 5 };
			const { json } = ok(await buy(1, options, retryAndGoOn));
			expect(json).toMatchObject([
				{
					status: 'unknown',
					error: {
						message: expect.stringContaining(byEarlierAttempt),
						httpStatus: kind === 'a refusal' ? 400 : 429,
					},
				},
			]);
			expect(JSON.stringify(json)).toContain('was not bought again: ');
		},
	);

	test('a failure of another task does not count as a refund', async () => {
		onRecord(failed('Not yours', { id: 'other' }));
		const { error } = await buy(1, {}, retryOnFail);
		expect(bought()).toHaveLength(1);
		expect(error?.message).toContain('answered with the record of task other');
		expect(error?.message ?? '').not.toContain('failed');
		expect(error?.description).toContain('task_1');
	});

	test('an end of which no refund is promised does not count as one', async () => {
		onRecord({ json: { code: 200, data: { status: 'cancelled', progress: 40 } } });
		const { error } = await buy(1, {}, retryOnFail);
		expect(bought()).toHaveLength(1);
		expect(error?.message).toContain('Task task_1 failed');
		expect(error?.description).toContain(
			'No refund is promised for a task that ended as "cancelled"',
		);
	});

	test('with Retry On Fail it reaches the next run too', async () => {
		onSubmit({ status: 502 }, accepted('task_2'));
		const settings = { ...ledBack.settings, ...retryOnFail.settings };
		const { errorRounds } = await buy(1, {}, { ...ledBack, settings });
		expect(bought()).toHaveLength(1);
		expect(JSON.stringify(errorRounds[1])).toContain(byEarlierAttempt);
	});

	describe('what came out beside an item that failed', () => {
		/** The service refuses one of two sounds, as often as `times` says. */
		function refuse(refusedPrompt: string, times: number): void {
			let left = times;
			onSubmit(({ body }) => {
				const { prompt } = body as { prompt: string };
				return prompt === refusedPrompt && left-- > 0 ? refused : accepted(prompt);
			});
		}

		const timesSent = (prompt: string) => promptsSent().filter((sent) => sent === prompt).length;

		test.each([
			['', 'Sound 0', 'Sound 1', retryOnFail],
			['', 'Sound 1', 'Sound 0', retryOnFail],
			[' and On Error: Continue', 'Sound 0', 'Sound 1', retryAndGoOn],
		])(
			'with Retry On Fail%s it is not bought again when %s failed',
			async (_, refusedOnce, cameOut, settings) => {
				refuse(refusedOnce, 1);
				const { json } = ok(await buy(2, oneByOne, settings));
				expect(statesOf(json)).toEqual(['Sound 0: completed', 'Sound 1: completed']);
				expect([timesSent(refusedOnce), timesSent(cameOut)]).toEqual([2, 1]);
			},
		);

		const ofNow = { prompt: '={{ $json.prompt + " at " + $now.toMillis() + Math.random() }}' };

		/** What was sent, without what an expression made of it by itself. */
		const prompts = () => promptsSent().map((prompt) => prompt.split(' at ')[0]);

		test('with Retry On Fail it is not bought again although its prompt changes by itself', async () => {
			onSubmit(accepted('task_1'), refused, accepted('task_3'), accepted('task_2'));
			const run = { ...retryOnFail, given: ofNow };
			const { json } = ok(await buy(3, { concurrency: 1, maxTasks: 3 }, run));
			expect(json.map(({ taskId }) => taskId)).toEqual(['task_1', 'task_2', 'task_3']);
			expect(prompts()).toEqual(['Sound 0', 'Sound 1', 'Sound 2', 'Sound 1']);
			expect(json[0]?.notes).toContainEqual(
				expect.stringContaining('This is the task that an earlier attempt bought'),
			);
			expect(JSON.stringify(json[1])).not.toContain('earlier attempt');
		});

		test('nor is one that may have been bought', async () => {
			onSubmit({ status: 503 });
			const { error } = await buy(1, {}, { ...retryOnFail, given: ofNow });
			expect(bought()).toHaveLength(1);
			expect(error?.message).toContain(byEarlierAttempt);
		});

		test('nor by the retry of the execution', async () => {
			onSubmit(accepted('task_1'), refused, accepted('task_2'));
			const run = soundRun(service, 2, oneByOne, { given: ofNow });
			const { json } = await retryExecution(await runNode(run), run);
			expect(json.map(({ taskId }) => taskId)).toEqual(['task_1', 'task_2']);
			expect(prompts()).toEqual(['Sound 0', 'Sound 1', 'Sound 1']);
		});

		test('with On Error: Continue alone it is bought again by the next run, as a loop wants it', async () => {
			refuse('Sound 0', 1);
			await buy(2, oneByOne, { ...goOn, rounds: 2 });
			expect(timesSent('Sound 1')).toBe(2);
		});

		test('with Retry On Fail, where the last item failed and the node continues, so it is too', async () => {
			refuse('Sound 1', Infinity);
			await buy(2, oneByOne, { ...retryAndGoOn, rounds: 2 });
			expect(timesSent('Sound 0')).toBe(2);
		});
	});

	test.each([
		['Vary Slightly is not Vary: it is bought', 'lowVariation', ['task_1', 'task_2']],
		['the same operation takes up its task', 'variation', ['task_1']],
	])('%s', async (_, second, tasks) => {
		service.on('GET', '/v1/tasks/parent', { json: { status: 'SUCCESS' } });
		const states = [...Array<string>(8).fill('IN_PROGRESS'), 'SUCCESS'];
		service.on('GET', '/v1/tasks/task_*', ...states.map((status) => ({ json: { status } })));
		const operation = `={{ $runIndex === 0 ? "variation" : "${second}" }}`;
		const given = { operation, taskId: 'parent', matchBy: 'index', downloadFiles: false };
		const options = { pollInterval: 1, timeout: 5 };
		const run = runnerOf(service);
		const { rounds, errorRounds } = await run('grid.variation', { ...given, options }, ledBack);
		const ids = [
			...errorRounds.flat().map(({ error }) => (error as { taskId: string }).taskId),
			...rounds.flat().map(({ taskId }) => taskId),
		];
		expect([...new Set(ids)]).toEqual(tasks);
	});
});

describe('Items that may have been bought', () => {
	test.each<[string, Reply[]]>([
		['beside one that was bought', [accepted('task_1'), unclear, { reset: true }]],
		['all of them', [unclear, { text: '{"data": [' }, { reset: true }, { text: '' }]],
	])('each is named in the message of a failed run and in the log: %s', async (_, replies) => {
		onSubmit(...replies);
		const { error } = await buy(replies.length, oneByOne);
		expect(bought()).toHaveLength(replies.length);
		expect(error?.description).toContain('may have been bought anyway');
		const unsure = replies.flatMap(({ json }, item) => (json === undefined ? [item] : []));
		const described = unsure
			.map((item) => `Row ${item + 1} (item ${item}): may have been bought (`)
			.filter((text) => error?.description?.includes(text));
		expect(described).toHaveLength(unsure.length);
		expect(error?.description).not.toContain('not submitted');
		const answers = replies.map(({ text }) => (text ? `. The answer was ${text.toString()}` : ''));
		expect(inLog('may have been bought')).toEqual(
			unsure.map(
				(item) =>
					`MediaGen: no clear answer: the task may have been bought${answers[item]} (${placeOf(item)})`,
			),
		);
	});

	test.each<[string, Reply]>([
		['a 502', serviceError(502, 'Bad gateway', { task_id: 'task-7331' })],
		['a 408', { status: 408, json: { data: [{ task_id: 'task-7331' }] } }],
		['an error in HTTP 200', { json: { code: 500, message: 'Late', data: { job: 'task-7331' } } }],
	])('its answer stands in the error of the run: %s that names its task', async (_, reply) => {
		onSubmit(accepted('task_1'), reply);
		const { error } = await buy(2, oneByOne);
		expect(error?.message.split('task-7331')).toHaveLength(2);
		expect(error?.description).toContain('task-7331');
		expect(bought()).toHaveLength(2);
	});

	test.each([400, 402, 422, 429])(
		'one that is refused with %d, and whose task the answer names, is among them',
		async (status) => {
			const names = {
				...serviceError(status, 'No'),
				json: { error: { message: 'No' }, task_id: 'task-7331' },
			};
			onSubmit(names, accepted('task_2'));
			const { error } = await buy(1, {}, retryOnFail);
			expect(bought()).toHaveLength(1);
			expect(error?.message).toContain(byEarlierAttempt);
			expect(error?.message).toContain('task-7331');
		},
	);

	test('has the status unknown where the node continues, not "not submitted"', async () => {
		onSubmit(unclear, refused);
		const { json, hints } = await buy(2, oneByOne, goOn);
		expect(statusesOf(json)).toStrictEqual(['unknown', 'not submitted']);
		expect(hints[0]?.message).toContain('2 of 2 items without a result, 1 may have been bought');
	});

	test('one of which the service says that it took too long (408) is among them: it may have taken the task', async () => {
		onSubmit({ status: 408 }, accepted('task_2'));
		const { error } = await buy(1, {}, retryOnFail);
		expect(bought()).toHaveLength(1);
		expect(error?.message).toContain(byEarlierAttempt);
	});

	test.each<[string, Reply]>([
		['500', unclear],
		['a reset', { reset: true }],
		['an answer that is not JSON', { text: '<html>' }],
	])('one whose picture could not be uploaded is not among them (%s)', async (_, reply) => {
		service.on('POST', UPLOADS, reply);
		const { json } = await editPicture({}, [await fileItem(await picture(8, 8))], goOn);
		expect(service.sent('POST', '/v1/images/generations')).toEqual([]);
		const words = /^A file could not be uploaded, so nothing was bought\./;
		const description = expect.stringMatching(words) as string;
		expect(json[0]).toMatchObject({ status: 'not submitted', error: { description } });
		expect(JSON.stringify([json, log])).not.toContain('may have been bought');
	});

	test("n8n's log leads from each task to its execution, workflow, node, item and reference", async () => {
		onSubmit(accepted('task_1'), unclear);
		const options = { concurrency: 1, reference: '=row "{{ $itemIndex }}"\nscripted-key' };
		await buy(2, options, { ...goOn, executionId: '77' });
		expect(log.filter((message) => message.startsWith('MediaGen: '))).toEqual([
			`MediaGen: task task_1 submitted (${placeOf(0, '77')}, reference "row \\"0\\"\\n•••")`,
			`MediaGen: no clear answer: the task may have been bought (${placeOf(1, '77')}, reference "row \\"1\\"\\n•••")`,
		]);
	});

	test('a request that the service refused is not among them', async () => {
		onSubmit(refused, unclear);
		const { error } = await buy(2, oneByOne);
		expect(error?.description).not.toContain('Row 1 (item 0): may');
		expect(inLog('may have been bought')).toHaveLength(1);
	});

	test('one whose answer is lost after the execution was stopped is named in the log', async () => {
		const { released, release, onStart } = stopAfter(1);
		onSubmit({ reset: true, after: released });
		await buy(1, {}, { onStart });
		release();
		await until(() => inLog('may have been bought').length > 0);
		expect(log.join('\n')).toContain(
			`MediaGen: no clear answer: the task may have been bought (${placeOf(0)})`,
		);
	});
});

describe('After an error that every item would get, nothing more is sent', () => {
	test.each([
		[401, 'Authentication failed'],
		[402, 'Insufficient balance'],
		[403, 'Permission denied'],
	])('%d: the other items are told the same', async (status, message) => {
		onSubmit({ status });
		const { json } = await buy(3, oneByOne, goOn);
		expect(json).toMatchObject(
			['row 1 (item 0)', 'row 2 (item 1)', 'row 3 (item 2)'].map((row) => ({
				status: 'not submitted',
				error: { message: `${message} [${row}]` },
			})),
		);
		expect(bought()).toHaveLength(1);
	});

	describe('no connection', () => {
		const ALL_ATTEMPTS_MS = 15_000;
		const buyAt = async (baseUrl: string) => {
			const began = clock.now();
			const credential = { ...service.credential(), baseUrl };
			const given = { waitMode: 'none' };
			const { json } = await buy(3, oneByOne, { ...goOn, credential, given });
			return { states: statesOf(json), ms: clock.now() - began };
		};

		test('to a service that no item has reached: the other items try it once', async () => {
			const { states, ms } = await buyAt('http://127.0.0.1:9');
			expect(states).toEqual(Array(3).fill('not submitted'));
			expect(ms).toBeLessThanOrEqual(ALL_ATTEMPTS_MS);
		});

		test('to a service that was there before: each item tries it', async () => {
			const refusal = { error: { code: 400, message: 'No' } };
			for (const [first, answer] of [
				['task_1: submitted', { task_id: 'task_1' }],
				['not submitted', refusal],
			]) {
				const { url, close } = await openServer((_, response) => {
					response.setHeader('connection', 'close');
					response.end(JSON.stringify(answer), () => void close());
				});
				const { states, ms } = await buyAt(url);
				expect(states).toEqual([first, 'not submitted', 'not submitted']);
				expect(ms).toBeGreaterThan(ALL_ATTEMPTS_MS);
			}
		});
	});

	test('after a 402 the balance is asked for once, and is told to all', async () => {
		onSubmit({ status: 402 });
		service.on('GET', '/v1/balance', { json: { success: true, remain_balance: 0.5 } });
		const { json } = await buy(20, {}, goOn);
		for (const { error } of json)
			expect(error).toMatchObject({ description: expect.stringContaining('Remaining: 0.5') });
		expect(service.sent('GET', '/v1/balance')).toHaveLength(1);
	});

	test.each([400, 422])('%d is about its own item: the others are bought', async (status) => {
		onSubmit({ status }, accepted('task_2'));
		const { json } = await buy(2, oneByOne, goOn);
		expect(statusesOf(json)).toStrictEqual(['not submitted', 'completed']);
	});

	const balance = (remaining: object): Reply => ({ json: { success: true, ...remaining } });
	const ofAccount = 'The key has no limit of its own: what remains is that of its account.';
	const [money, credits] = [{ remain_balance: 0.5 }, { remain_credits: 500 }];

	test.each<[string, Reply, string]>([
		['what is stated', balance({ ...money, ...credits }), 'Remaining: 0.5 (500 credits). '],
		['without credits', balance(money), 'Remaining: 0.5 (unknown credits). '],
		['without an amount', balance(credits), 'Remaining: unknown (500 credits). '],
		['that of the account', balance({ ...money, unlimited_quota: true }), `${ofAccount} `],
		['nothing, if it cannot be read', { status: 404 }, ''],
	])('an empty balance says what remains: %s', async (_, reply, remaining) => {
		onSubmit({ status: 402 });
		service.on('GET', '/v1/balance', reply);
		const { error } = await buy();
		expect(error?.description).toBe(
			`${remaining}Top up the balance, then run the node again for the items without a result.`,
		);
	});
});

describe('A picture that an earlier attempt uploaded', () => {
	const HOUR_MS = 3_600_000;

	const inTheNextRound = { ...goOn, rounds: 2 } as const;

	/** Two attempts for one picture. Returns the requests of the second and how many uploads there were. */
	async function attempts(first: Reply, run: Partial<RunOptions>, hours = 0) {
		let last = 0;
		service.on('POST', UPLOADS, () => ({
			json: { url: `https://files.example.com/upload-${++last}.png` },
		}));
		service.on(
			'POST',
			GENERATIONS,
			() => {
				void clock.sleep(hours * HOUR_MS);
				return first;
			},
			accepted('task_2'),
		);
		const result = { image_urls: ['https://files.example.com/result.png'] };
		service.on('GET', '/v1/tasks/task_1', failed());
		service.on('GET', '/v1/tasks/task_2', completedWith(result));
		const options = { pollInterval: 1, whenUnsure: 'sendAgain' };
		const items = [await fileItem(await picture(8, 8))];
		const { json } = await editPicture({ downloadFiles: false, options }, items, run);
		expect(json[0]).toMatchObject({ taskId: 'task_2', status: 'completed' });
		return {
			uploads: service.sent('POST', UPLOADS).length,
			links: service.sent('POST', GENERATIONS).map(({ body }) => body),
		};
	}

	const link = (upload: number) => ({
		image_urls: [`https://files.example.com/upload-${upload}.png`],
	});

	test.each<[string, Reply, Partial<RunOptions>]>([
		['a refused submission, under Retry On Fail', refused, retryOnFail],
		['a refused submission, in the next round', refused, inTheNextRound],
		['a refused submission, from the error output', refused, ledBack],
		['no balance, from the error output', { status: 402 }, ledBack],
		['a task that failed and was refunded, under Retry On Fail', accepted('task_1'), retryOnFail],
	])('is used again after %s', async (_, first, run) => {
		const { uploads, links } = await attempts(first, run);
		expect(uploads).toBe(1);
		expect(links).toMatchObject([link(1), link(1)]);
	});

	test.each<[string, Reply, Partial<RunOptions>, number, number]>([
		['is used again after an unclear submission', unclear, inTheNextRound, 1, 1],
		['is uploaded again before its link ends after 72 hours', unclear, inTheNextRound, 71, 2],
		['is uploaded again so after a refused submission too', refused, ledBack, 71, 2],
	])('%s', async (_, first, run, hours, expected) => {
		const { uploads, links } = await attempts(first, run, hours);
		expect(uploads).toBe(expected);
		expect(links).toMatchObject([link(1), link(expected)]);
	});
});

test('rows with one picture share its upload, also where it fails: each by itself would wait for all attempts', async () => {
	service.on('POST', UPLOADS, { status: 500 });
	const row = await fileItem(await picture(8, 8));
	const { json } = await editPicture({}, [row, row, row], goOn);
	expect(statusesOf(json)).toEqual(Array(3).fill('not submitted'));
	// The attempts of one upload.
	expect(service.sent('POST', UPLOADS)).toHaveLength(5);
});

describe('An attempt under Retry On Fail that does not come to a purchase names what the one before bought', () => {
	test('for a row whose picture cannot be found any more', async () => {
		const rows = [await fileItem(await picture(8, 8)), await fileItem(await picture(9, 8))];
		service.on('POST', UPLOADS, { json: { url: 'https://files.example.com/1.png' } });
		service.on('POST', GENERATIONS, refused, accepted('task_2'), refused);
		// The node counts its tasks there.
		const hasBought = "$execution.customData.get('mediagen_tasks')";
		const imageBinaryProperties = `={{ $itemIndex === 1 && ${hasBought} ? 'gone' : 'data' }}`;
		const given = { imageBinaryProperties, waitMode: 'none', options: oneByOne };
		const { json } = await editPicture(given, rows, retryAndGoOn);
		expect(json[1]).toMatchObject({
			status: 'not submitted',
			error: {
				message: expect.stringContaining('no binary data in the field "gone"'),
				description: expect.stringMatching(/Of earlier attempts: task task_2 \(.*\)\.$/),
				recordKey: expect.any(String),
			},
		});
		expect(JSON.stringify(json[0])).not.toContain('earlier attempts');
		expect(service.sent('POST', GENERATIONS)).toHaveLength(3);
	});

	test('for all rows, where the credential cannot be used any more', async () => {
		const credential = service.credential();
		onRecord(completed);
		onSubmit(refused, () => (Object.assign(credential, { baseUrl: '' }), accepted('task_2')));
		const { json } = await buy(2, oneByOne, { ...retryAndGoOn, credential });
		// For Task: Wait.
		expect(json.map(({ taskId }) => taskId)).toEqual([undefined, 'task_2']);
		expect(json).toMatchObject(
			Array(2).fill({
				error: {
					message: expect.stringContaining('credential cannot be used'),
					description: expect.stringContaining('Row 2 (item 1): task task_2 ('),
				},
			}),
		);
		// By which an item that is led back finds its task.
		expect(json.map(({ error }) => typeof (error as Record<string, unknown>).recordKey)).toEqual([
			'undefined',
			'string',
		]);
		expect(bought()).toHaveLength(2);
	});
});

describe('Before the purchase, nothing is waited for longer than "Timeout"', () => {
	const rowsWithPictures = async (options: object) => {
		const rows = [8, 9, 10, 11].map(async (width) => await fileItem(await picture(width, 8)));
		const began = clock.now();
		const given = { options: { timeout: 20, concurrency: 1, ...options } };
		const { json } = await editPicture(given, await Promise.all(rows), goOn);
		expect(statusesOf(json)).toEqual(Array(4).fill('not submitted'));
		expect(bought()).toEqual([]);
		return { errors: JSON.stringify(json), seconds: (clock.now() - began) / 1_000 };
	};

	test.each<[string, Reply]>([
		['fails', { status: 500 }],
		['is put off', tooMany('3')],
	])('an upload that %s', async (_, reply) => {
		service.on('POST', UPLOADS, reply);
		const { errors, seconds } = await rowsWithPictures({});
		expect(seconds).toBeLessThan(25);
		expect(errors.split('A file could not be uploaded, so nothing was bought')).toHaveLength(5);
	});

	test('the balance for "Keep Balance"', async () => {
		service.on('GET', '/v1/balance', tooMany('3'));
		const { errors, seconds } = await rowsWithPictures({ keepBalance: 1 });
		expect(seconds).toBeLessThan(25);
		expect(errors).toContain('the balance could not be read');
	});
});

describe('Runs side by side with the same run index, such as the batches of an agent', () => {
	const taskIds = (runs: Array<PromiseSettledResult<Array<{ json: object }>>>) =>
		runs.map((run) =>
			run.status === 'fulfilled' && run.value[0] && 'taskId' in run.value[0].json
				? run.value[0].json.taskId
				: run,
		);

	beforeEach(() => {
		let last = 0;
		onSubmit(() => ({ ...accepted(`task_${++last}`), afterMs: 30 }));
	});

	test('each gets a task of its own', async () => {
		onRecord(running, running, completed);
		const runs = await runSideBySide(soundRun(service), 2);
		expect(taskIds(runs).sort()).toEqual(['task_1', 'task_2']);
		expect(bought()).toHaveLength(2);
	});

	test("one that fails neither loses its task nor takes the other's", async () => {
		onRecordOf('task_1', running);
		const runs = await runSideBySide(soundRun(service, 1, { timeout: 5 }), 2);
		const errors = runs.flatMap((run) =>
			run.status === 'rejected' ? [(run.reason as Error).message] : [],
		);
		expect(errors).toEqual(['Task task_1 was still submitted after 5 seconds [row 1 (item 0)]']);
		expect(taskIds(runs)).toContain('task_2');
	});
});

describe('The key', () => {
	test.each(['two\nlines', 'Cyrillic-\u0430'])(
		'is refused before anything is sent, and not repeated, with a character that no header can have: %j',
		async (apiKey) => {
			const credential = { ...service.credential(), apiKey };
			const { error } = await buy(1, {}, { credential });
			expect(error?.description).toContain('"API Key" must have only characters that a header');
			expect(JSON.stringify(error)).not.toContain(apiKey.slice(-5));
			expect(service.requests).toEqual([]);
		},
	);

	test.each(['\u200b%', '%\u200e', 'Bearer %', '\ufeffBearer\u200b %'])(
		'is sent and hidden without what a copy added to it: %j',
		async (copied) => {
			const credential = service.credential();
			credential.apiKey = copied.replace('%', credential.apiKey);
			onRecord({
				json: { status: 'completed', title: SCRIPTED_KEY, result: songAt('data:audio/mpeg,x') },
			});
			const { json } = await buy(1, {}, { credential });
			expect(bought()[0]?.headers.authorization).toBe(`Bearer ${SCRIPTED_KEY}`);
			expect(json).toMatchObject([{ title: '•••' }]);
		},
	);

	test('is sent without the blanks around it', async () => {
		const credential = { ...service.credential(), apiKey: ' scripted-key\n' };
		ok(await buy(1, {}, { credential }));
		expect(new Set(service.requests.map(({ headers }) => headers.authorization))).toEqual(
			new Set(['Bearer scripted-key']),
		);
	});

	test('is in no record and in no error item, where the service repeats it', async () => {
		const echo = { 'Bearer scripted-key': ['scripted-key'] };
		const result = songAt('https://x.example/scripted-key.mp3');
		const error = { message: 'Key scripted-key', type: 'scripted-key', code: 'scripted-key' };
		onSubmit(accepted('task_1'), accepted('task_2'), { status: 400, json: { error } });
		onRecordOf('task_1', completedWith(result, { echo }));
		onRecordOf('task_2', completedWith(result, { echo, status: 'failed', error }));
		for (const simplify of [true, false]) {
			const { items, hints } = await buy(3, { simplify, concurrency: 1 }, goOn);
			const told = JSON.stringify([items, hints, log]);
			expect(told).toContain('•••');
			expect(told).not.toContain('scripted-key');
		}
	});
});

test('a custom request has the same records: one that may have been bought is not sent again', async () => {
	const path = '/v1/music/generations/create';
	service.on('POST', path, { text: '<html>Bad gateway</html>' }, accepted('task_2'));
	const given = { path, bodyType: 'json', body: '{"prompt": "x"}', waitMode: 'none' };
	const { errorRounds } = await runnerOf(service)('music.task.submit', given, ledBack);
	expect(service.sent('POST', path).map(({ body }) => body)).toStrictEqual([{ prompt: 'x' }]);
	expect(errorRounds.map(([item]) => (item?.error as { message: string }).message)).toEqual([
		'The response could not be read (HTTP 200): <html>Bad gateway</html> [row 1 (item 0)]',
		expect.stringContaining(byEarlierAttempt),
	]);
});
