import { fastClock } from '../../support/clocks';
import type { RunOptions, RunResult } from '../../support/engine';
import { runnerOf } from '../../support/operations';
import type { Reply } from '../../support/scriptedService';
import {
	accepted,
	chatAnswer,
	completed,
	completedWith,
	failed,
	refused,
	running,
	songAt,
	soundTool,
	unclear,
} from '../../support/scriptedTasks';
import { errorOutput, goOn, retryAndGoOn, retryOnFail } from '../../support/settings';
import { statesOf, useSoundService } from '../../support/soundService';

const { service, onSubmit, onRecord, onRecordOf, buy, pause, bought } = useSoundService(() =>
	fastClock(100),
);

const CHAT = '/v1/messages';

const statesIn = (rounds: RunResult['rounds'] = []) => rounds.map(statesOf);

const song = () => completedWith(songAt(`${service.url}/song.mp3`));

/** The task ends after "Timeout" has passed once. */
const slow: Reply[] = [...Array<Reply>(8).fill(running), completed];

/** Answers each question with the number of its request. */
function numberAnswers(): void {
	let last = 0;
	service.on('POST', CHAT, () => chatAnswer(`Answer ${++last}`));
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

/** A dead link is tried a second time. */
const deadTwice: Reply[] = [
	{ status: 404 },
	{ status: 404 },
	{ text: 'music', headers: { 'content-type': 'audio/mpeg' } },
];

describe('A loop whose rounds send equal requests buys in each round, whatever became of the first', () => {
	test('with On Error: Continue and a task that outlasts "Timeout"', async () => {
		onRecordOf('task_1', running);
		const { rounds } = await buy(1, { timeout: 5 }, { ...goOn, rounds: 3 });
		expect(statesIn(rounds)).toEqual([
			['task_1: submitted'],
			['task_2: completed'],
			['task_3: completed'],
		]);
	});

	test('with On Error: Continue and a 500', async () => {
		onSubmit(unclear, accepted('task_2'), accepted('task_3'));
		const { rounds } = await buy(1, {}, { ...goOn, rounds: 3 });
		expect(statesIn(rounds)).toEqual([['unknown'], ['task_2: completed'], ['task_3: completed']]);
	});

	test('with Retry On Fail and a first item that fails: the good row gets a task of its own in each round', async () => {
		let last = 0;
		onSubmit(({ body }) =>
			(body as { prompt: string }).prompt === 'Sound 0' ? refused : accepted(`task_${++last}`),
		);
		const { rounds } = await buy(2, { concurrency: 1 }, { ...retryAndGoOn, rounds: 3 });
		expect(rounds.map(([, good]) => good?.taskId)).toEqual(['task_1', 'task_2', 'task_3']);
	});

	test('chat: a first question that fails, with Retry On Fail, does not repeat the answer to the second', async () => {
		numberAnswers();
		const items = [{ json: { question: '' } }, { json: { question: 'Why?' } }];
		const { rounds } = await ask({ ...retryAndGoOn, items, rounds: 3 });
		expect(rounds.map(([, good]) => good?.text)).toEqual(['Answer 1', 'Answer 2', 'Answer 3']);
	});

	test('chat: a question without a clear answer is asked by the next round', async () => {
		numberAnswers();
		service.on('POST', CHAT, unclear, chatAnswer('Because.'));
		const { rounds } = await ask({ ...goOn, rounds: 2 });
		expect(rounds[1]?.[0]?.text).toBe('Because.');
	});
});

describe('An item that the error output leads back to the node', () => {
	const back = { ...errorOutput, errorsBack: 1 };
	const earlier: unknown = expect.stringContaining('may have been bought by an earlier attempt');

	test('takes up its task, though other items came first', async () => {
		onRecordOf('task_3', ...slow);
		const { rounds, errorRounds } = await buy(3, { timeout: 5, concurrency: 1 }, back);
		expect(errorRounds.map((items) => items.length)).toStrictEqual([1, 0]);
		expect(statesIn(rounds)).toEqual([
			['task_1: completed', 'task_2: completed'],
			['task_3: completed'],
		]);
		expect(bought()).toHaveLength(3);
	});

	test('takes up its task round after round, until it ends', async () => {
		onRecord(...Array<Reply>(14).fill(running), completed);
		const options = { timeout: 5 };
		const { rounds, errorRounds } = await buy(1, options, {
			...back,
			errorsBack: 5,
		});
		expect(errorRounds.flat().length).toBeGreaterThanOrEqual(2);
		expect(statesIn(rounds.slice(-1))).toEqual([['task_1: completed']]);
		expect(bought()).toHaveLength(1);
	});

	test('is refused, in each further round, where it may have been bought', async () => {
		onSubmit(unclear, accepted('task_2'));
		const { errorRounds } = await buy(1, {}, { ...back, errorsBack: 3 });
		expect(bought()).toHaveLength(1);
		expect(errorRounds.map(([item]) => item?.error)).toEqual([
			expect.objectContaining({
				status: 'unknown',
				message: 'Server error (HTTP 500) [row 1 (item 0)]',
			}),
			...Array<unknown>(3).fill(expect.objectContaining({ status: 'unknown', message: earlier })),
		]);
	});

	test.each<[string, Reply]>([
		['the service refused it', refused],
		['its task failed, which the service refunds', accepted('task_1')],
	])('is bought where %s, and its item names no record', async (_, first) => {
		onSubmit(first, accepted('task_2'));
		onRecordOf('task_1', failed());
		const { rounds, errorRounds } = await buy(1, {}, back);
		expect(errorRounds[0]?.[0]?.error).not.toHaveProperty('recordKey');
		expect(statesIn(rounds)).toEqual([[], ['task_2: completed']]);
	});

	test('is bought with another prompt', async () => {
		onRecordOf('task_1', running);
		const run = { given: { prompt: '={{ $runIndex === 0 ? "Rain" : "Wind" }}' }, ...back };
		const { rounds } = await buy(1, { timeout: 5 }, run);
		expect(statesIn(rounds)).toEqual([[], ['task_2: completed']]);
	});

	test.each([
		['all items fail at once', { concurrency: '={{ $runIndex === 1 ? 0 : 5 }}' }, {}],
		['it is not valid', {}, { additionalFields: { bpm: '={{ $runIndex === 1 ? "fast" : 90 }}' } }],
	])('keeps its task where %s meanwhile', async (_, options, given) => {
		onRecord(...slow);
		const { rounds } = await buy(1, { timeout: 5, ...options }, { given, ...back, errorsBack: 2 });
		expect(statesIn(rounds)).toEqual([[], [], ['task_1: completed']]);
		expect(bought()).toHaveLength(1);
	});

	test('chat: is refused where it may have been answered', async () => {
		service.on('POST', CHAT, unclear, chatAnswer('Because.'));
		const { errorRounds } = await ask(back);
		expect(service.sent('POST', CHAT)).toHaveLength(1);
		expect(errorRounds[1]?.[0]?.error).toMatchObject({ message: earlier });
	});

	test('of a resumed execution takes up its task', async () => {
		onRecord(running);
		const execution = await pause(1, {}, { given: { downloadFiles: true }, ...back });
		onRecord(song);
		service.on('GET', '/song.mp3', ...deadTwice);
		const { resumed } = await execution.callback();
		expect(resumed?.errorRounds[0]?.[0]?.error).toMatchObject({
			taskId: 'task_1',
			recordKey: expect.any(String),
		});
		expect(statesIn(resumed?.rounds).slice(-1)).toEqual([['task_1: completed']]);
		expect(bought()).toHaveLength(1);
	});

	test('of a resumed execution is refused where it may have been bought', async () => {
		onSubmit(accepted('task_1'), unclear, accepted('task_3'));
		onRecord(running);
		const execution = await pause(2, { concurrency: 1 }, back);
		onRecord(completed);
		const { resumed } = await execution.callback();
		expect(resumed?.errorRounds.slice(-1)[0]?.[0]?.error).toMatchObject({ message: earlier });
		expect(bought()).toHaveLength(2);
	});

	test('of a resumed execution is bought where its task failed', async () => {
		onRecord(running);
		const execution = await pause(1, {}, back);
		onRecord(completed);
		onRecordOf('task_1', failed());
		const { resumed } = await execution.callback();
		expect(statesIn(resumed?.rounds).slice(-1)).toEqual([['task_2: completed']]);
	});
});

const LATE = expect.stringContaining('after 5 seconds') as string;

test("an agent's next try takes up what the last one left", async () => {
	onRecord(...slow);
	const { rounds } = await buy(1, { timeout: 5 }, { node: soundTool(), rounds: 2 });
	expect(rounds[1]?.[0]).toMatchObject({ taskId: 'task_1', status: 'completed' });
	expect(rounds[0]?.[0]).toMatchObject({ taskId: 'task_1', error: { message: LATE } });
	expect(JSON.stringify(rounds[0])).not.toContain('recordKey');
	expect(bought()).toHaveLength(1);
});

test('with "Retry On Fail" a tool fails: n8n tries again only then', async () => {
	onRecord(running);
	const { error } = await buy(1, { timeout: 5 }, { node: soundTool(), ...retryOnFail });
	expect(error?.message).toEqual(LATE);
	expect(bought()).toHaveLength(1);
});
