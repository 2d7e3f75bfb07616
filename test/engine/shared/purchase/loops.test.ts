import { MediaGenMusic } from '../../../../nodes/MediaGenMusic/MediaGenMusic.node';
import { fastClock } from '../../support/clocks';
import { runNode, type RunOptions } from '../../support/engine';
import { runnerOf } from '../../support/operations';
import { pauseNode } from '../../support/pausedExecution';
import { type Reply, useScriptedService } from '../../support/scriptedService';
import {
	accepted,
	buySounds,
	completed,
	numberTasks,
	RECORD,
	running,
	SOUNDS,
	soundRun,
} from '../../support/scriptedTasks';

const service = useScriptedService(() => fastClock(100));

const CHAT = '/v1/messages';

const goOn = { onError: 'continueRegularOutput' } as const;

const errorOutput = { onError: 'continueErrorOutput' } as const;

const retry = { retryOnFail: true, maxTries: 2, waitBetweenTries: 1 };

const bought = () => service.sent('POST', SOUNDS);

const taskOf = (taskId: string) => `/v1/music/tasks/${taskId}`;

const tasksOf = (rounds: Array<Array<Record<string, unknown>>>) =>
	rounds.map((items) => items.map(({ taskId, status }) => [taskId, status]));

const loud: Reply = { status: 400, json: { error: { message: 'Too loud' } } };

const song = (): Reply => ({
	json: { status: 'completed', result: { music: [{ audio_url: `${service.url}/song.mp3` }] } },
});

/** Answers each question with the number of its request. */
function numberAnswers(): void {
	let last = 0;
	service.on('POST', CHAT, () => ({
		json: {
			content: [{ type: 'text', text: `Answer ${++last}` }],
			stop_reason: 'end_turn',
			usage: { input_tokens: 1, output_tokens: 1 },
		},
	}));
}

const ask = async (run: Partial<RunOptions>, options: object = {}) =>
	await runnerOf(service)(
		'chat.message',
		{
			prompt: '={{ $json.question }}',
			options: { watchPrefix: false, concurrency: 1, ...options },
		},
		{ items: [{ json: { question: 'Why?' } }], ...run },
	);

const because: Reply = { json: { content: [{ type: 'text', text: 'Because.' }] } };

const deadOnce: Reply[] = [
	{ status: 404 },
	{ text: 'music', headers: { 'content-type': 'audio/mpeg' } },
];

describe('A loop whose rounds send equal requests buys in each round, whatever became of the first', () => {
	test('with On Error: Continue and a dead link', async () => {
		numberTasks(service);
		service.on('GET', RECORD, song);
		service.on('GET', '/song.mp3', ...deadOnce);
		const run = { given: { downloadFiles: true }, settings: goOn, rounds: 3 };
		const { rounds } = await buySounds(service, 1, {}, run);
		expect(rounds.map(([item]) => [item?.taskId, item?.error === undefined])).toEqual([
			['task_1', false],
			['task_2', true],
			['task_3', true],
		]);
	});

	test('with On Error: Continue and a task that outlasts "Timeout"', async () => {
		numberTasks(service);
		service.on('GET', RECORD, completed);
		service.on('GET', taskOf('task_1'), running);
		const { rounds } = await buySounds(service, 1, { timeout: 5 }, { settings: goOn, rounds: 3 });
		expect(tasksOf(rounds)).toEqual([
			[['task_1', 'submitted']],
			[['task_2', 'completed']],
			[['task_3', 'completed']],
		]);
	});

	test('with On Error: Continue and a 500', async () => {
		service.on('POST', SOUNDS, { status: 500 }, accepted('task_2'), accepted('task_3'));
		service.on('GET', RECORD, completed);
		const { rounds } = await buySounds(service, 1, {}, { settings: goOn, rounds: 3 });
		expect(tasksOf(rounds)).toEqual([
			[[undefined, 'unknown']],
			[['task_2', 'completed']],
			[['task_3', 'completed']],
		]);
	});

	test('with Retry On Fail and a first item that fails: the good row gets a task of its own in each round', async () => {
		let last = 0;
		service.on('POST', SOUNDS, ({ body }) =>
			(body as { prompt: string }).prompt === 'Sound 0' ? loud : accepted(`task_${++last}`),
		);
		service.on('GET', RECORD, completed);
		const settings = { ...goOn, ...retry };
		const { rounds } = await buySounds(service, 2, { concurrency: 1 }, { settings, rounds: 3 });
		expect(rounds.map(([, good]) => good?.taskId)).toEqual(['task_1', 'task_2', 'task_3']);
	});

	test('chat: a first question that fails, with Retry On Fail, does not repeat the answer to the second', async () => {
		numberAnswers();
		const items = [{ json: { question: '' } }, { json: { question: 'Why?' } }];
		const { rounds } = await ask({ settings: { ...goOn, ...retry }, items, rounds: 3 });
		expect(rounds.map(([, good]) => good?.text)).toEqual(['Answer 1', 'Answer 2', 'Answer 3']);
	});

	test('chat: a question without a clear answer is asked by the next round', async () => {
		numberAnswers();
		service.on('POST', CHAT, { status: 500 }, because);
		const { rounds } = await ask({ settings: goOn, rounds: 2 });
		expect(rounds[1]?.[0]?.text).toBe('Because.');
	});

	test('with a pause in each round', async () => {
		numberTasks(service);
		service.on('GET', RECORD, running);
		const execution = await pauseNode(
			soundRun(service, 1, {}, { given: { waitMode: 'callback' }, settings: goOn, rounds: 2 }),
		);
		service.on('GET', RECORD, completed);
		const { resumed } = await execution.callback();
		expect(tasksOf(resumed?.rounds ?? [])).toEqual([
			[['task_1', 'completed']],
			[['task_2', 'completed']],
		]);
	});
});

describe('An item that the error output leads back to the node', () => {
	const back = { settings: errorOutput, errorsBack: 1 };
	const earlier: unknown = expect.stringContaining('may have been bought by an earlier attempt');

	test('takes up its task, though other items came first', async () => {
		numberTasks(service);
		service.on('GET', RECORD, completed);
		service.on('GET', taskOf('task_3'), ...Array<Reply>(8).fill(running), completed);
		const options = { timeout: 5, concurrency: 1 };
		const { rounds, errorRounds } = await buySounds(service, 3, options, back);
		expect(errorRounds.map((items) => items.length)).toStrictEqual([1, 0]);
		expect(tasksOf(rounds)).toEqual([
			[
				['task_1', 'completed'],
				['task_2', 'completed'],
			],
			[['task_3', 'completed']],
		]);
		expect(bought()).toHaveLength(3);
	});

	test('takes up its task round after round, until it ends', async () => {
		numberTasks(service);
		service.on('GET', RECORD, ...Array<Reply>(14).fill(running), completed);
		const options = { timeout: 5 };
		const { rounds, errorRounds } = await buySounds(service, 1, options, {
			...back,
			errorsBack: 5,
		});
		expect(errorRounds.flat().length).toBeGreaterThanOrEqual(2);
		expect(tasksOf(rounds.slice(-1))).toEqual([[['task_1', 'completed']]]);
		expect(bought()).toHaveLength(1);
	});

	test('is refused, in each further round, where it may have been bought', async () => {
		service.on('POST', SOUNDS, { status: 500 }, accepted('task_2'));
		const { errorRounds } = await buySounds(service, 1, {}, { ...back, errorsBack: 3 });
		expect(bought()).toHaveLength(1);
		expect(errorRounds.map(([item]) => item?.error)).toEqual([
			expect.objectContaining({
				status: 'unknown',
				message: 'Server error (HTTP 500) [row 1 (item 0)]',
			}),
			...Array<unknown>(3).fill(expect.objectContaining({ status: 'unknown', message: earlier })),
		]);
	});

	test('is sent where "Send Again" says so', async () => {
		service.on('POST', SOUNDS, { status: 500 }, accepted('task_2'));
		service.on('GET', RECORD, completed);
		const { rounds } = await buySounds(service, 1, { whenUnsure: 'sendAgain' }, back);
		expect(tasksOf(rounds)).toEqual([[], [['task_2', 'completed']]]);
	});

	test.each<[string, Reply, () => void]>([
		['the service refused it', loud, () => undefined],
		[
			'its task failed, which the service refunds',
			accepted('task_1'),
			() =>
				service.on('GET', taskOf('task_1'), {
					json: { status: 'failed', error: { message: 'Too loud' } },
				}),
		],
	])('is bought where %s, and its item names no record', async (_, first, script) => {
		service.on('POST', SOUNDS, first, accepted('task_2'));
		service.on('GET', RECORD, completed);
		script();
		const { rounds, errorRounds } = await buySounds(service, 1, {}, back);
		expect(errorRounds[0]?.[0]?.error).not.toHaveProperty('recordKey');
		expect(tasksOf(rounds)).toEqual([[], [['task_2', 'completed']]]);
	});

	test('is bought with another prompt', async () => {
		numberTasks(service);
		service.on('GET', RECORD, completed);
		service.on('GET', taskOf('task_1'), running);
		const options = { timeout: 5 };
		const run = { given: { prompt: '={{ $runIndex === 0 ? "Rain" : "Wind" }}' }, ...back };
		const { rounds } = await buySounds(service, 1, options, run);
		expect(tasksOf(rounds)).toEqual([[], [['task_2', 'completed']]]);
	});

	test('keeps its task where all items fail at once meanwhile', async () => {
		numberTasks(service);
		service.on('GET', RECORD, ...Array<Reply>(8).fill(running), completed);
		const options = { timeout: 5, concurrency: '={{ $runIndex === 1 ? 0 : 5 }}' };
		const { rounds } = await buySounds(service, 1, options, { ...back, errorsBack: 2 });
		expect(tasksOf(rounds)).toEqual([[], [], [['task_1', 'completed']]]);
		expect(bought()).toHaveLength(1);
	});

	test('keeps its task where it is not valid meanwhile', async () => {
		numberTasks(service);
		service.on('GET', RECORD, ...Array<Reply>(8).fill(running), completed);
		const options = { timeout: 5 };
		const run = {
			given: { additionalFields: { bpm: '={{ $runIndex === 1 ? "fast" : 90 }}' } },
			...back,
			errorsBack: 2,
		};
		const { rounds } = await buySounds(service, 1, options, run);
		expect(tasksOf(rounds)).toEqual([[], [], [['task_1', 'completed']]]);
		expect(bought()).toHaveLength(1);
	});

	test('chat: is refused where it may have been answered', async () => {
		service.on('POST', CHAT, { status: 500 }, because);
		const { errorRounds } = await ask(back);
		expect(service.sent('POST', CHAT)).toHaveLength(1);
		expect(errorRounds[1]?.[0]?.error).toMatchObject({ message: earlier });
	});

	test('of a resumed execution takes up its task', async () => {
		numberTasks(service);
		service.on('GET', RECORD, running);
		const execution = await pauseNode(
			soundRun(service, 1, {}, { given: { waitMode: 'callback', downloadFiles: true }, ...back }),
		);
		service.on('GET', RECORD, song);
		service.on('GET', '/song.mp3', ...deadOnce);
		const { resumed } = await execution.callback();
		expect(resumed?.errorRounds[0]?.[0]?.error).toMatchObject({
			taskId: 'task_1',
			recordKey: expect.any(String),
		});
		expect(tasksOf(resumed?.rounds ?? []).slice(-1)).toEqual([[['task_1', 'completed']]]);
		expect(bought()).toHaveLength(1);
	});

	test('of a resumed execution is refused where it may have been bought', async () => {
		service.on('POST', SOUNDS, accepted('task_1'), { status: 500 }, accepted('task_3'));
		service.on('GET', RECORD, running);
		const execution = await pauseNode(
			soundRun(service, 2, { concurrency: 1 }, { given: { waitMode: 'callback' }, ...back }),
		);
		service.on('GET', RECORD, completed);
		const { resumed } = await execution.callback();
		expect(resumed?.errorRounds.slice(-1)[0]?.[0]?.error).toMatchObject({
			message: expect.stringContaining('may have been bought by an earlier attempt'),
		});
		expect(bought()).toHaveLength(2);
	});

	test('of a resumed execution is bought where its task failed', async () => {
		numberTasks(service);
		service.on('GET', RECORD, running);
		const execution = await pauseNode(
			soundRun(service, 1, {}, { given: { waitMode: 'callback' }, ...back }),
		);
		service.on('GET', RECORD, completed);
		service.on('GET', taskOf('task_1'), {
			json: { status: 'failed', error: { message: 'Too loud' } },
		});
		const { resumed } = await execution.callback();
		expect(tasksOf(resumed?.rounds ?? []).slice(-1)).toEqual([[['task_2', 'completed']]]);
	});
});

test('an item whose pause ended by its time limit names its record', async () => {
	numberTasks(service);
	service.on('GET', RECORD, running);
	const execution = await pauseNode(soundRun(service, 1, {}, { given: { waitMode: 'callback' } }));
	const [item] = (await execution.timeLimit()).json;
	expect(item).toMatchObject({ status: 'submitted', recordKey: expect.any(String) });
});

test("an agent's next try takes up what the last one left", async () => {
	const tool = new MediaGenMusic();
	tool.description = { ...tool.description, name: 'mediaGenMusicTool' };
	numberTasks(service);
	service.on('GET', RECORD, ...Array<Reply>(8).fill(running), completed);
	const { rounds } = await runNode(
		soundRun(service, 1, { timeout: 5 }, { node: tool, settings: goOn, rounds: 2 }),
	);
	expect(rounds[1]?.[0]).toMatchObject({ taskId: 'task_1', status: 'completed' });
	expect(JSON.stringify(rounds[0])).not.toContain('recordKey');
	expect(bought()).toHaveLength(1);
});
