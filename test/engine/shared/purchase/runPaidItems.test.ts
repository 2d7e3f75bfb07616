import { MediaGenImage } from '../../../../nodes/MediaGenImage/MediaGenImage.node';
import { MediaGenMusic } from '../../../../nodes/MediaGenMusic/MediaGenMusic.node';
import { clock } from '../../../../nodes/shared/util/clock';
import { jumpingClock, until } from '../../support/clocks';
import { log, retryExecution, runNode, type RunOptions, runSideBySide } from '../../support/engine';
import { generatePicture } from '../../support/generatePicture';
import { runnerOf } from '../../support/operations';
import { fileItem, picture } from '../../support/sandbox';
import { type Reply, useScriptedService } from '../../support/scriptedService';
import {
	accepted,
	buySounds,
	completed,
	numberTasks,
	RECORD,
	refused,
	running,
	SOUNDS,
	soundRun,
} from '../../support/scriptedTasks';

const service = useScriptedService(jumpingClock);

const goOn = { onError: 'continueRegularOutput' } as const;

/** An item without a result goes from the error output back to the node, once. */
const ledBack = { settings: { onError: 'continueErrorOutput' }, errorsBack: 1 } as const;

const bought = () => service.sent('POST', SOUNDS);

const tooMany = (retryAfter: string): Reply => ({
	status: 429,
	headers: { 'retry-after': retryAfter },
	json: { error: { message: 'Slow down' } },
});

const realMs = async (ms: number) => await new Promise((resolve) => setTimeout(resolve, ms));

const secondsBetween = (requests: ReadonlyArray<{ at: number }>) =>
	requests.slice(1).map(({ at }, index) => (at - (requests[index]?.at ?? 0)) / 1_000);

describe('Retry-After never outlasts "Timeout"', () => {
	test('20 seconds on a poll, with a timeout of 5: the node ends after about 5 seconds and names the task', async () => {
		numberTasks(service);
		service.on('GET', RECORD, tooMany('20'));
		const began = clock.now();
		const { error } = await buySounds(service, 1, { timeout: 5 });
		expect(error?.message).toBe('Task task_1 was still submitted after 5 seconds [row 1 (item 0)]');
		expect(error?.description).toContain('The last request failed: Rate limit reached.');
		expect((clock.now() - began) / 1_000).toBeLessThan(6);
	});

	test('15 seconds on a submission, with a timeout of 5: nothing is bought', async () => {
		service.on('POST', SOUNDS, tooMany('15'), accepted('task_1'));
		const options = { timeout: 5, concurrency: 1 };
		const { json, error } = await buySounds(service, 3, options, { settings: goOn });
		expect(error).toBeUndefined();
		expect(json.map(({ status }) => status)).toStrictEqual(Array(3).fill('not submitted'));
		expect(JSON.stringify(json)).toContain('Rate limit reached');
		expect(bought()).toHaveLength(1);
	});

	test('a submission that outlasts it: the next item is not bought any more', async () => {
		service.on('POST', SOUNDS, () => {
			void clock.sleep(10_000);
			return accepted('task_1');
		});
		service.on('GET', RECORD, running);
		const options = { timeout: 5, concurrency: 1 };
		const { json } = await buySounds(service, 2, options, { settings: goOn });
		expect(json.map(({ taskId, status }) => [taskId, status])).toEqual([
			['task_1', 'submitted'],
			[undefined, 'not submitted'],
		]);
		expect(JSON.stringify(json[1]?.error)).toContain(
			'The timeout passed before the task was bought',
		);
		expect(bought()).toHaveLength(1);
	});

	test('a download that the service puts off ends with "Timeout"', async () => {
		numberTasks(service);
		service.on('GET', RECORD, {
			json: { status: 'completed', result: { music: [{ audio_url: `${service.url}/1.mp3` }] } },
		});
		service.on('GET', '/1.mp3', { ...tooMany('15'), status: 503 });
		const began = clock.now();
		const options = { timeout: 20 };
		const { error } = await buySounds(service, 1, options, { given: { downloadFiles: true } });
		expect(error?.description).toContain('task_1');
		expect((clock.now() - began) / 1_000).toBeLessThan(21);
		expect(service.sent('GET', '/1.mp3')).toHaveLength(2);
	});
});

describe('"Don\'t Wait" has no timeout', () => {
	const none = { waitMode: 'none' };

	test('it buys on under a rate limit, longer than ten minutes', async () => {
		let last = 0;
		let acceptedAt = clock.now() - 60_000;
		service.on('POST', SOUNDS, () => {
			if (clock.now() - acceptedAt < 60_000) return tooMany('30');
			acceptedAt = clock.now();
			return accepted(`task_${++last}`);
		});
		const began = clock.now();
		const { json, error } = await buySounds(service, 30, { timeout: 5 }, { given: none });
		expect(error).toBeUndefined();
		expect(new Set(json.map(({ taskId }) => taskId)).size).toBe(30);
		expect((clock.now() - began) / 1_000).toBeGreaterThan(25 * 60);
	});

	test('it gives up when nothing is accepted for ten minutes, and says what to run again', async () => {
		service.on('POST', SOUNDS, accepted('task_1'), tooMany('30'));
		const began = clock.now();
		const run = { given: none, settings: goOn };
		const { json } = await buySounds(service, 3, { concurrency: 1 }, run);
		expect(json.map(({ taskId, status }) => [taskId, status])).toEqual([
			['task_1', 'submitted'],
			[undefined, 'not submitted'],
			[undefined, 'not submitted'],
		]);
		expect((clock.now() - began) / 60_000).toBeLessThan(11);
		const rest =
			'Run the node again later, with the items without a result only: the others would be bought again.';
		const [second, third] = json
			.slice(1)
			.map(({ error }) => error as { message: string; description: string });
		expect(second?.message).toContain('Rate limit reached');
		expect(second?.description).toBe(`Lower "Concurrency" in the options. ${rest}`);
		expect(third?.message).toMatch(
			/Rate limit reached|The service accepted no task for ten minutes, so this one was not sent/,
		);
		expect(third?.description).toContain(rest);
	});
});

describe('Retry-After is at least half a second', () => {
	test.each([
		['zero', () => '0'],
		['a past date', () => new Date(clock.now() - 60_000).toUTCString()],
		['a negative number', () => '-1'],
	])('%s', async (_, header) => {
		const refusals = Array.from({ length: 8 }, () => () => tooMany(header()));
		service.on('POST', SOUNDS, ...refusals, accepted('task_1'));
		service.on('GET', RECORD, completed);
		const { json } = await buySounds(service);
		expect(json[0]).toMatchObject({ taskId: 'task_1', status: 'completed' });
		expect(bought()).toHaveLength(9);
		expect(Math.min(...secondsBetween(bought()))).toBeGreaterThanOrEqual(0.5);
	});

	test('1e308 is no time to wait', async () => {
		service.on('POST', SOUNDS, tooMany('1e308'), accepted('task_1'));
		service.on('GET', RECORD, tooMany('1e308'), completed);
		const { json } = await buySounds(service);
		expect(json[0]).toMatchObject({ status: 'completed' });
		expect(bought()).toHaveLength(2);
	});
});

test('Retry-After holds back the other items too, not only the one that met it', async () => {
	let last = 0;
	const buy = () => accepted(`task_${++last}`);
	service.on('POST', SOUNDS, tooMany('20'), buy);
	service.on('GET', RECORD, completed);
	const { json } = await buySounds(service, 6, { concurrency: 2 });
	expect(json.map(({ status }) => status)).toStrictEqual(Array(6).fill('completed'));
	const [first, second, ...others] = bought();
	expect(others).toHaveLength(5);
	expect((second?.at ?? 0) - (first?.at ?? 0)).toBeLessThan(1_000);
	for (const { at } of others) expect(at - (first?.at ?? 0)).toBeGreaterThanOrEqual(20_000);
});

describe('Stop, while purchases are in flight', () => {
	test('their answers are awaited and their tasks named; what was not sent yet is not sent', async () => {
		let release = () => {};
		const released = new Promise<void>((resolve) => (release = resolve));
		let last = 0;
		service.on('POST', SOUNDS, () => ({ ...accepted(`task_${++last}`), after: released }));
		const onStart = (cancel: () => void) => {
			void until(() => bought().length === 3).then(async () => {
				cancel();
				await realMs(50);
				release();
			});
		};
		const { run, error } = await buySounds(service, 5, { concurrency: 3 }, { onStart });
		expect(run.status).toBe('canceled');
		expect(bought()).toHaveLength(3);
		expect(service.sent('GET', RECORD)).toEqual([]);
		for (const taskId of ['task_1', 'task_2', 'task_3']) {
			const words = `task ${taskId} submitted after the execution was canceled`;
			expect(log.join('\n')).toMatch(
				new RegExp(`${words} \\(execution 1, .*, row \\d \\(item \\d\\)\\)`),
			);
			expect(error?.description).toContain(taskId);
		}
		expect(error?.description).toContain(
			'Rows 4 to 5 (items 3 to 4): not submitted (The execution was canceled)',
		);
		expect(error?.description).not.toContain('"Retry"');
	});
});

describe('What an attempt left is taken up by the next one in the same execution', () => {
	test('"Send Again" buys it, and the user was told of the choice', async () => {
		service.on('POST', SOUNDS, { reset: true }, accepted('task_2'));
		service.on('GET', RECORD, completed);
		const { rounds, errorRounds } = await buySounds(
			service,
			1,
			{ whenUnsure: 'sendAgain' },
			ledBack,
		);
		expect(JSON.stringify(errorRounds[0])).toContain(
			'set \\"If It May Have Been Bought\\" in the options to \\"Send Again\\"',
		);
		expect(rounds[1]?.[0]).toMatchObject({ taskId: 'task_2', status: 'completed' });
		expect(bought()).toHaveLength(2);
	});

	test('with Retry On Fail it reaches the next run too', async () => {
		service.on('POST', SOUNDS, { status: 502 }, accepted('task_2'));
		const settings = { ...ledBack.settings, retryOnFail: true, maxTries: 2, waitBetweenTries: 1 };
		const { errorRounds } = await buySounds(service, 1, {}, { ...ledBack, settings });
		expect(bought()).toHaveLength(1);
		expect(JSON.stringify(errorRounds[1])).toContain('may have been bought by an earlier attempt');
	});

	test('what came out is bought again by the next run, as a loop wants it', async () => {
		numberTasks(service);
		service.on('GET', RECORD, completed);
		const { rounds } = await buySounds(service, 1, {}, { rounds: 3 });
		expect(rounds.map(([item]) => item?.taskId)).toEqual(['task_1', 'task_2', 'task_3']);
	});

	describe('what came out beside an item that failed', () => {
		const retry = { retryOnFail: true, maxTries: 2, waitBetweenTries: 1 };

		/** The service refuses one of two sounds once. */
		function refuseOnce(refusedPrompt: string): void {
			let refused = false;
			service.on('GET', RECORD, completed);
			service.on('POST', SOUNDS, ({ body }) => {
				const { prompt } = body as { prompt: string };
				if (refused || prompt !== refusedPrompt) return accepted(prompt);
				refused = true;
				return { status: 400, json: { error: { message: 'Too loud' } } };
			});
		}

		const timesSent = (prompt: string) =>
			bought().filter(({ body }) => (body as { prompt: string }).prompt === prompt).length;

		test.each([
			['', 'Sound 0', 'Sound 1', retry],
			['', 'Sound 1', 'Sound 0', retry],
			[' and On Error: Continue', 'Sound 0', 'Sound 1', { ...retry, ...goOn }],
		])(
			'with Retry On Fail%s it is not bought again when %s failed',
			async (_, failed, cameOut, settings) => {
				refuseOnce(failed);
				const { json, error } = await buySounds(service, 2, { concurrency: 1 }, { settings });
				expect(error).toBeUndefined();
				expect(json.map(({ taskId, status }) => [taskId, status])).toEqual([
					['Sound 0', 'completed'],
					['Sound 1', 'completed'],
				]);
				expect([timesSent(failed), timesSent(cameOut)]).toEqual([2, 1]);
			},
		);

		const ofNow = { prompt: '={{ $json.prompt + " at " + $now.toMillis() + Math.random() }}' };

		/** What was sent, without what an expression made of it by itself. */
		const prompts = () =>
			bought().map(({ body }) => (body as { prompt: string }).prompt.split(' at ')[0]);

		test('with Retry On Fail it is not bought again although its prompt changes by itself', async () => {
			service.on('GET', RECORD, completed);
			service.on(
				'POST',
				SOUNDS,
				accepted('task_1'),
				refused,
				accepted('task_3'),
				accepted('task_2'),
			);
			const { json, error } = await buySounds(
				service,
				3,
				{ concurrency: 1, maxTasks: 3 },
				{ settings: retry, given: ofNow },
			);
			expect(error).toBeUndefined();
			expect(json.map(({ taskId }) => taskId)).toEqual(['task_1', 'task_2', 'task_3']);
			expect(prompts()).toEqual(['Sound 0', 'Sound 1', 'Sound 2', 'Sound 1']);
			expect(json[0]?.notes).toContainEqual(
				expect.stringContaining('This is the task that an earlier attempt bought'),
			);
			expect(JSON.stringify(json[1])).not.toContain('earlier attempt');
		});

		test('nor is one that may have been bought', async () => {
			service.on('POST', SOUNDS, { status: 503 });
			const { error } = await buySounds(service, 1, {}, { settings: retry, given: ofNow });
			expect(bought()).toHaveLength(1);
			expect(error?.message).toContain('may have been bought by an earlier attempt');
		});

		test('nor by the retry of the execution', async () => {
			service.on('GET', RECORD, completed);
			service.on('POST', SOUNDS, accepted('task_1'), refused, accepted('task_2'));
			const run = soundRun(service, 2, { concurrency: 1 }, { given: ofNow });
			const { json } = await retryExecution(await runNode(run), run);
			expect(json.map(({ taskId }) => taskId)).toEqual(['task_1', 'task_2']);
			expect(prompts()).toEqual(['Sound 0', 'Sound 1', 'Sound 1']);
		});

		test('with On Error: Continue alone it is bought again by the next run, as a loop wants it', async () => {
			refuseOnce('Sound 0');
			await buySounds(service, 2, { concurrency: 1 }, { settings: goOn, rounds: 2 });
			expect(timesSent('Sound 1')).toBe(2);
		});

		test('with Retry On Fail, where the last item failed and the node continues, so it is too', async () => {
			service.on('GET', RECORD, completed);
			service.on('POST', SOUNDS, ({ body }) =>
				(body as { prompt: string }).prompt === 'Sound 1'
					? { status: 400, json: { error: { message: 'Too loud' } } }
					: accepted('task_1'),
			);
			const options = { concurrency: 1 };
			const run = { settings: { ...retry, ...goOn }, rounds: 2 };
			await buySounds(service, 2, options, run);
			expect(timesSent('Sound 0')).toBe(2);
		});
	});

	test('a request that never left is sent again: a key with a line break', async () => {
		const credential = { ...service.credential(), apiKey: 'two\nlines' };
		const { rounds } = await buySounds(service, 1, {}, { settings: goOn, rounds: 2, credential });
		const message = expect.stringContaining('the API key has a character that no header can have');
		const errors = rounds.flat().map(({ error }) => error);
		expect(errors).toEqual(Array(2).fill(expect.objectContaining({ message })));
		expect(JSON.stringify(rounds)).not.toContain('may have been bought');
		expect(JSON.stringify(rounds)).not.toContain('two');
	});

	test.each([
		['Vary Slightly is not Vary: it is bought', 'lowVariation', ['task_1', 'task_2']],
		['the same operation takes up its task', 'variation', ['task_1']],
	])('%s', async (_, second, tasks) => {
		numberTasks(service);
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
		['beside one that was bought', [accepted('task_1'), { status: 500 }, { reset: true }]],
		['all of them', [{ status: 500 }, { text: '<html>' }, { reset: true }]],
	])('each is named in the message of a failed run and in the log: %s', async (_, replies) => {
		service.on('POST', SOUNDS, ...replies);
		service.on('GET', RECORD, completed);
		const { error } = await buySounds(service, 3, { concurrency: 1 });
		const unsure = replies.flatMap(({ json }, item) => (json === undefined ? [item] : []));
		const described = unsure
			.map((item) => `Row ${item + 1} (item ${item}): may have been bought (`)
			.filter((text) => error?.description?.includes(text));
		expect(described).toHaveLength(unsure.length);
		expect(error?.description).not.toContain('not submitted');
		expect(log.filter((message) => message.includes('may have been bought'))).toEqual(
			unsure.map(
				(item) =>
					`MediaGen: no clear answer: the task may have been bought (execution 1, workflow engine-test "Engine test", node "Under Test", row ${item + 1} (item ${item}))`,
			),
		);
	});

	test('has the status unknown where the node continues, not "not submitted"', async () => {
		const loud = { status: 400, json: { error: { message: 'Too loud' } } };
		service.on('POST', SOUNDS, { status: 500 }, loud);
		const { json } = await buySounds(service, 2, { concurrency: 1 }, { settings: goOn });
		expect(json.map(({ status }) => status)).toStrictEqual(['unknown', 'not submitted']);
	});

	test('one of which the service says that it took too long (408) is among them: it may have taken the task', async () => {
		service.on('POST', SOUNDS, { status: 408 }, accepted('task_2'));
		const settings = { retryOnFail: true, maxTries: 2, waitBetweenTries: 1 };
		const { error } = await buySounds(service, 1, {}, { settings });
		expect(bought()).toHaveLength(1);
		expect(error?.message).toContain('may have been bought by an earlier attempt');
	});

	test.each<[string, Reply[]]>([
		['500', [{ status: 500 }]],
		['a reset', [{ reset: true }]],
		['an answer that is not JSON', [{ text: '<html>' }]],
	])('one whose picture could not be uploaded is not among them (%s)', async (_, replies) => {
		service.on('POST', '/v1/uploads/images', ...replies);
		const given = { referenceImages: 'binary', imageBinaryProperties: 'data' };
		const items = [await fileItem(await picture(8, 8))];
		const run = runnerOf(service);
		const { json } = await run('image.generate', given, { items, settings: goOn });
		expect(service.sent('POST', '/v1/images/generations')).toEqual([]);
		const words = /^A file could not be uploaded, so nothing was bought\./;
		const description = expect.stringMatching(words) as string;
		expect(json[0]).toMatchObject({ status: 'not submitted', error: { description } });
		expect(JSON.stringify([json, log])).not.toContain('may have been bought');
	});

	test("n8n's log leads from each task to its execution, workflow, node, item and reference", async () => {
		service.on('POST', SOUNDS, accepted('task_1'), { status: 500 });
		service.on('GET', RECORD, completed);
		const options = { concurrency: 1, reference: '=row "{{ $itemIndex }}"\nscripted-key' };
		await buySounds(service, 2, options, { settings: goOn, executionId: '77' });
		const place = 'execution 77, workflow engine-test "Engine test", node "Under Test"';
		expect(log.filter((message) => message.startsWith('MediaGen: '))).toEqual([
			`MediaGen: task task_1 submitted (${place}, row 1 (item 0), reference "row \\"0\\"\\n•••")`,
			`MediaGen: no clear answer: the task may have been bought (${place}, row 2 (item 1), reference "row \\"1\\"\\n•••")`,
		]);
	});

	test('a request that the service refused is not among them', async () => {
		service.on(
			'POST',
			SOUNDS,
			{ status: 400, json: { error: { message: 'Too loud' } } },
			{ status: 500 },
		);
		const { error } = await buySounds(service, 2, { concurrency: 1 });
		expect(error?.description).not.toContain('Row 1 (item 0): may');
		expect(log.filter((message) => message.includes('may have been bought'))).toHaveLength(1);
	});

	test('one whose answer is lost after the execution was stopped is named in the log', async () => {
		let release = () => {};
		service.on('POST', SOUNDS, {
			reset: true,
			after: new Promise<void>((resolve) => (release = resolve)),
		});
		const onStart = (cancel: () => void) => {
			void until(() => bought().length > 0).then(async () => {
				cancel();
				await realMs(50);
				release();
			});
		};
		await buySounds(service, 1, {}, { onStart }).catch(() => undefined);
		await until(() => log.some((message) => message.includes('may have been bought')));
		expect(log.join('\n')).toContain(
			'MediaGen: no clear answer: the task may have been bought (execution 1, workflow engine-test "Engine test", node "Under Test", row 1 (item 0))',
		);
	});
});

describe('After an error that every item would get, nothing more is sent', () => {
	test.each([
		[401, 'Authentication failed'],
		[402, 'Insufficient balance'],
		[403, 'Permission denied'],
	])('%d: the other items are told the same', async (status, message) => {
		service.on('POST', SOUNDS, { status });
		const { json } = await buySounds(service, 3, { concurrency: 1 }, { settings: goOn });
		expect(
			json.map(({ error, status: state }) => [(error as { message: string }).message, state]),
		).toEqual(
			[0, 1, 2].map((item) => [`${message} [row ${item + 1} (item ${item})]`, 'not submitted']),
		);
		expect(bought()).toHaveLength(1);
	});

	test.each([400, 422])('%d is about its own item: the others are bought', async (status) => {
		service.on('POST', SOUNDS, { status }, accepted('task_2'));
		service.on('GET', RECORD, completed);
		const { json } = await buySounds(service, 2, { concurrency: 1 }, { settings: goOn });
		expect(json.map(({ status: state }) => state)).toStrictEqual(['not submitted', 'completed']);
	});

	test.each<[string, Reply, string]>([
		[
			'what is stated',
			{ json: { success: true, remain_balance: 0.5, remain_credits: 500 } },
			'Remaining: 0.5 (500 credits). ',
		],
		[
			'without credits',
			{ json: { success: true, remain_balance: 0.5 } },
			'Remaining: 0.5 (unknown credits). ',
		],
		[
			'without an amount',
			{ json: { success: true, remain_credits: 500 } },
			'Remaining: unknown (500 credits). ',
		],
		['nothing, if it cannot be read', { status: 404 }, ''],
	])('an empty balance says what remains: %s', async (_, reply, remaining) => {
		service.on('POST', SOUNDS, { status: 402 });
		service.on('GET', '/v1/balance', reply);
		const { error } = await buySounds(service);
		expect(error?.description).toBe(
			`${remaining}Top up the balance, then run the node again for the items without a result.`,
		);
	});

	test('a purchase that the deadline has overtaken says so', async () => {
		service.on('POST', SOUNDS, () => {
			void clock.sleep(10_000);
			return accepted('task_1');
		});
		service.on('GET', RECORD, completed);
		const options = { timeout: 5, concurrency: 1 };
		const { json } = await buySounds(service, 2, options, { settings: goOn });
		expect(json[1]?.error).toMatchObject({
			message: 'The timeout passed before the task was bought [row 2 (item 1)]',
			description:
				'Run the node again later, with the items without a result only: the others would be bought again.',
		});
	});
});

describe('A picture that an earlier attempt uploaded', () => {
	const HOUR_MS = 3_600_000;
	const UPLOADS = '/v1/uploads/images';
	const GENERATIONS = '/v1/images/generations';

	const retried = { settings: { retryOnFail: true, maxTries: 2, waitBetweenTries: 1 } } as const;
	const inTheNextRound = { settings: goOn, rounds: 2 } as const;
	const unclear: Reply = { status: 500 };
	const refused: Reply = { status: 400, json: { error: { message: 'Try another model' } } };

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
		service.on('GET', '/v1/tasks/task_1', {
			json: { status: 'failed', error: { message: 'Try again' } },
		});
		service.on('GET', '/v1/tasks/task_2', {
			json: {
				status: 'completed',
				result: { image_urls: ['https://files.example.com/result.png'] },
			},
		});
		const {
			json,
			run: { data },
		} = await runNode({
			node: new MediaGenImage(),
			parameters: {
				...generatePicture,
				referenceImages: 'binary',
				imageBinaryProperties: 'data',
				downloadFiles: false,
				options: { pollInterval: 1, whenUnsure: 'sendAgain' },
			},
			items: [await fileItem(await picture(8, 8))],
			credential: service.credential(),
			...run,
		});
		const links = service.sent('POST', GENERATIONS).map(({ body }) => body);
		expect(json[0]).toMatchObject({ taskId: 'task_2', status: 'completed' });
		return {
			uploads: service.sent('POST', UPLOADS).length,
			links,
			kept: JSON.stringify(data.executionData?.contextData),
		};
	}

	const link = (upload: number) => ({
		image_urls: [`https://files.example.com/upload-${upload}.png`],
	});

	test.each<[string, Reply, Partial<RunOptions>]>([
		['a refused submission, under Retry On Fail', refused, retried],
		['a refused submission, in the next round', refused, inTheNextRound],
		['a refused submission, from the error output', refused, ledBack],
		['no balance, from the error output', { status: 402 }, ledBack],
		['a task that failed and was refunded, under Retry On Fail', accepted('task_1'), retried],
	])('is used again after %s, and forgotten when its item has come out', async (_, first, run) => {
		const { uploads, links, kept } = await attempts(first, run);
		expect(uploads).toBe(1);
		expect(links).toMatchObject([link(1), link(1)]);
		expect(kept).not.toContain('upload-1');
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

describe('Runs side by side with the same run index, such as the batches of an agent', () => {
	const taskIds = (runs: Array<PromiseSettledResult<Array<{ json: object }>>>) =>
		runs.map((run) =>
			run.status === 'fulfilled' && run.value[0] && 'taskId' in run.value[0].json
				? run.value[0].json.taskId
				: run,
		);

	test('each gets a task of its own', async () => {
		let last = 0;
		service.on('POST', SOUNDS, () => ({ ...accepted(`task_${++last}`), afterMs: 30 }));
		service.on('GET', RECORD, running, running, completed);
		const runs = await runSideBySide(soundRun(service), 2);
		expect(taskIds(runs).sort()).toEqual(['task_1', 'task_2']);
		expect(bought()).toHaveLength(2);
	});

	test("one that fails neither loses its task nor takes the other's", async () => {
		let last = 0;
		service.on('POST', SOUNDS, () => ({ ...accepted(`task_${++last}`), afterMs: 30 }));
		service.on('GET', '/v1/music/tasks/task_1', running);
		service.on('GET', '/v1/music/tasks/task_2', completed);
		const runs = await runSideBySide(soundRun(service, 1, { timeout: 5 }), 2);
		const failed = runs.flatMap((run) =>
			run.status === 'rejected' ? [(run.reason as Error).message] : [],
		);
		expect(failed).toEqual(['Task task_1 was still submitted after 5 seconds [row 1 (item 0)]']);
		expect(taskIds(runs)).toContain('task_2');
	});
});

describe('The key', () => {
	test('is sent without the blanks around it', async () => {
		numberTasks(service);
		service.on('GET', RECORD, completed);
		const credential = { ...service.credential(), apiKey: ' scripted-key\n' };
		const { error } = await buySounds(service, 1, {}, { credential });
		expect(error).toBeUndefined();
		expect(new Set(service.requests.map(({ headers }) => headers.authorization))).toEqual(
			new Set(['Bearer scripted-key']),
		);
	});

	test('is in no record and in no error item, where the service repeats it', async () => {
		const task = {
			echo: { 'Bearer scripted-key': ['scripted-key'] },
			result: { music: [{ audio_url: 'https://x.example/scripted-key.mp3' }] },
		};
		service.on('POST', SOUNDS, accepted('task_1'), accepted('task_2'), {
			status: 400,
			json: { error: { message: 'Key scripted-key', type: 'scripted-key', code: 'scripted-key' } },
		});
		service.on('GET', '/v1/music/tasks/task_1', { json: { ...task, status: 'completed' } });
		service.on('GET', '/v1/music/tasks/task_2', {
			json: {
				...task,
				status: 'failed',
				error: { message: 'scripted-key is bad', code: 'scripted-key' },
			},
		});
		for (const simplify of [true, false]) {
			const options = { simplify, concurrency: 1 };
			const { items, hints } = await buySounds(service, 3, options, { settings: goOn });
			const told = JSON.stringify([items, hints, log]);
			expect(told).toContain('•••');
			expect(told).not.toContain('scripted-key');
		}
	});

	test('nor as URLs, JSON, base64 or hexadecimal digits have it', async () => {
		const key = 'scripted/key+of="ours"';
		const bearer = `Bearer ${key}`;
		const forms = [
			encodeURIComponent(key),
			JSON.stringify(key).slice(1, -1),
			...['base64', 'base64url', 'hex'].map((form) =>
				Buffer.from(key).toString(form as BufferEncoding),
			),
		];
		const echo = [
			...forms,
			encodeURIComponent(bearer),
			JSON.stringify({ bearer }),
			Buffer.from(bearer).toString('base64'),
		];
		service.on('POST', SOUNDS, accepted('task_1'), {
			status: 400,
			json: { error: { message: echo.join(' ') } },
		});
		service.on('GET', RECORD, {
			json: {
				status: 'completed',
				echo,
				result: { music: [{ audio_url: 'https://x.example/1.mp3' }] },
			},
		});
		const credential = { ...service.credential(), apiKey: key };
		const options = { concurrency: 1 };
		const { items, hints } = await buySounds(service, 2, options, { settings: goOn, credential });
		const told = JSON.stringify([items, hints, log]);
		expect(told).toContain('•••');
		for (const form of [...forms, Buffer.from(bearer).toString('base64').slice(12, -6), 'scripted'])
			expect(told).not.toContain(form);
	});
});

test('a custom request has the same records: one that may have been bought is not sent again', async () => {
	service.on(
		'POST',
		'/v1/music/generations/create',
		{ text: '<html>Bad gateway</html>' },
		accepted('task_2'),
	);
	const { errorRounds } = await runNode({
		node: new MediaGenMusic(),
		parameters: {
			resource: 'task',
			operation: 'submit',
			path: '/v1/music/generations/create',
			bodyType: 'json',
			body: '{"prompt": "x"}',
			waitMode: 'none',
		},
		credential: service.credential(),
		...ledBack,
	});
	expect(
		service.sent('POST', '/v1/music/generations/create').map(({ body }) => body),
	).toStrictEqual([{ prompt: 'x' }]);
	expect(errorRounds.map(([item]) => (item?.error as { message: string }).message)).toEqual([
		'The response could not be read (HTTP 200): <html>Bad gateway</html> [row 1 (item 0)]',
		expect.stringContaining('may have been bought by an earlier attempt'),
	]);
});
