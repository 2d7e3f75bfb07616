import { MediaGenBalance } from '../../../../nodes/MediaGenBalance/MediaGenBalance.node';
import { MediaGenImage } from '../../../../nodes/MediaGenImage/MediaGenImage.node';
import { MediaGenMusic } from '../../../../nodes/MediaGenMusic/MediaGenMusic.node';
import { MediaGenTrigger } from '../../../../nodes/MediaGenTrigger/MediaGenTrigger.node';
import { jumpingClock } from '../../support/clocks';
import { log, type RunResult, runNode } from '../../support/engine';
import { buyPictures, failSecondPicture, generatePicture } from '../../support/generatePicture';
import { generateSound } from '../../support/generateSound';
import { inputOf, runnerOf } from '../../support/operations';
import type { PausedExecution } from '../../support/pausedExecution';
import { rememberingNode } from '../../support/rememberingNode';
import { useSandbox } from '../../support/sandbox';
import type { Reply } from '../../support/scriptedService';
import { completedWith, running, songAt } from '../../support/scriptedTasks';
import { retryOnFail } from '../../support/settings';
import { useSoundService } from '../../support/soundService';

/** What n8n saves beside the execution. */
const customData = ({ run }: RunResult) => run.data.resultData.metadata;

const figures = (tasks: number, cost: number, credits: number, unpriced: number) => ({
	mediagen_tasks: String(tasks),
	mediagen_cost: String(cost),
	mediagen_credits: String(credits),
	mediagen_unpriced: String(unpriced),
});

describe('The custom data and the bill of the service', () => {
	const service = useSandbox();

	/** The figures of an execution that bought so many tasks, each with its cost, as the service billed it. */
	const billed = (tasks: number, { netCredits } = service.sandbox.ledger()) =>
		figures(tasks, netCredits / 1_000, netCredits, 0);

	const unwaited = { ...generatePicture, waitMode: 'none' };

	const readIt = { taskId: '={{ $json.taskId }}', downloadFiles: false };
	const readLater = (operation: string, options: object) =>
		inputOf(`image.task.${operation}`, { ...readIt, options: { ...options } });

	test('music for 290 credits: no cost is stated, none is made up, and Balance: Report tells what was taken', async () => {
		const { node } = rememberingNode(() => new MediaGenBalance());
		const report = async () =>
			await runNode({
				node,
				parameters: { resource: 'balance', operation: 'report' },
				credential: service.credential(),
			});
		await report();
		const result = await runNode({
			node: new MediaGenMusic(),
			parameters: { ...generateSound, additionalFields: { version: '={{ $json.version }}' } },
			items: ['v5.5', 'v4.5+', 'v4.5'].map((version) => ({ json: { version } })),
			credential: service.credential(),
		});
		expect(service.sandbox.ledger().netCredits).toBe(290);
		expect(result.hints[0]?.message).toBe('3 tasks, 3 without a stated cost');
		expect(customData(result)).toEqual(figures(3, 0, 0, 3));
		expect((await report()).json[0]).toMatchObject({ spentCredits: 290, spent: 0.29 });
	});

	test('agree after Retry On Fail, which reads the other tasks a second time', async () => {
		failSecondPicture(service);
		const result = await buyPictures(service, 3, retryOnFail);
		expect(result.error).toBeUndefined();
		expect(service.sandbox.ledger().accepted).toBe(4);
		expect(customData(result)).toEqual(billed(4));
	});

	test("Don't Wait: tasks without a cost, until Task: Wait of the same execution reads them to the end", async () => {
		const before = await buyPictures(service, 2, { parameters: unwaited });
		expect(customData(before)).toEqual(figures(2, 0, 0, 0));
		service.sandbox.reset();
		const next = readLater('wait', { pollInterval: 1 });
		const result = await buyPictures(service, 2, { parameters: unwaited, next });
		expect(service.sandbox.ledger().netCredits).toBeGreaterThan(0);
		expect(customData(result)).toEqual(billed(2));
	});

	test('Task: Get of a task that this execution has counted adds nothing', async () => {
		const result = await buyPictures(service, 2, { next: readLater('get', {}) });
		expect(customData(result)).toEqual(billed(2));
	});

	test("Existing Task: of a task that this execution bought with Don't Wait, it adds the cost", async () => {
		const options = { pollInterval: 1, existingTaskId: '={{ $json.taskId }}' };
		const next = {
			node: new MediaGenImage(),
			parameters: { ...generatePicture, prompt: 'Again', downloadFiles: false, options },
		};
		const result = await buyPictures(service, 2, { parameters: unwaited, next });
		expect(service.sandbox.ledger().accepted).toBe(2);
		expect(service.sandbox.ledger().netCredits).toBeGreaterThan(0);
		expect(customData(result)).toEqual(billed(2));
	});

	test('a node that fails has counted what it bought', async () => {
		failSecondPicture(service);
		const result = await buyPictures(service, 2, { settings: {} });
		expect(result.error?.message).toContain('out of luck');
		expect(customData(result)).toEqual(billed(2));
	});
});

describe('The custom data', () => {
	const { service, onRecord, onRecordOf, buy, pause } = useSoundService(jumpingClock);

	const ended = (cost: number | null): Reply =>
		completedWith(songAt('https://files.example.com/1.mp3'), {
			cost,
			credits_cost: cost === null ? null : cost * 1_000,
		});

	test('is kept across a pause: each task is counted once', async () => {
		onRecord(running);
		onRecordOf('task_1', ended(0.5));
		const execution = await pause(3, { concurrency: 1 });
		expect(customData(execution.paused)).toEqual(figures(3, 0.5, 500, 0));
		onRecordOf('task_2', ended(0.25));
		onRecordOf('task_3', ended(null));
		const { resumed } = await execution.callback();
		expect(resumed && customData(resumed)).toEqual(figures(3, 0.75, 750, 1));
	});

	test.each<[string, (execution: PausedExecution) => Promise<RunResult | undefined>]>([
		['the callback', async (execution) => (await execution.callback()).resumed],
		['the time limit', async (execution) => await execution.timeLimit()],
	])('counts a paused task once when Task: Get reads it after %s', async (_, goOnAfter) => {
		onRecord(running);
		const given = { taskId: '={{ $json.taskId }}', downloadFiles: false, options: {} };
		const execution = await pause(1, {}, { next: inputOf('music.task.get', given) });
		onRecord(ended(0.25));
		const result = await goOnAfter(execution);
		expect(result && customData(result)).toEqual(figures(1, 0.25, 250, 0));
	});

	test('has no tail of floating point', async () => {
		onRecord(ended(0.1));
		const result = await buy(1, {}, { rounds: 3 });
		expect(customData(result)).toMatchObject({ mediagen_cost: '0.3' });
	});

	test('counts no task that was only read before its end', async () => {
		onRecord(running);
		const given = { taskId: 'task_9', downloadFiles: false };
		const result = await runnerOf(service)('music.task.get', given);
		expect(result.json[0]).toMatchObject({ taskId: 'task_9', status: 'submitted' });
		expect(customData(result)).toBeUndefined();
	});

	test.each([
		['counts the task that a trigger started the execution for', true, figures(1, 0.25, 250, 0)],
		['does not count a record that the trigger did not verify', false, undefined],
	])('%s', async (_, verified, expected) => {
		const result = { images: [{ url: 'https://files.example.com/1.png' }] };
		const raw = { id: 'task_7', status: 'completed', cost: 0.25, credits_cost: 250, result };
		const known = { taskId: 'task_7', family: 'image', key: 'task_7', startId: 'a' };
		const run = await runNode({
			node: new MediaGenTrigger(),
			parameters: { output: 'tasks', downloadFiles: false, options: {} },
			items: [{ json: { ...known, record: { raw, status: raw.status }, verified } }],
			credential: service.credential(),
		});
		expect(run.json[0]).toMatchObject({ taskId: 'task_7', status: 'completed' });
		expect(customData(run)).toEqual(expected);
	});

	test('that cannot be written does not fail the node', async () => {
		onRecord(ended(0.1));
		const node = new MediaGenMusic();
		const inner = new MediaGenMusic();
		node.execute = async function () {
			Object.defineProperty(this, 'customData', {
				get: () => {
					throw new Error('No custom data here');
				},
			});
			return await inner.execute.call(this);
		};
		const { json } = await buy(1, {}, { node });
		expect(json[0]).toMatchObject({ status: 'completed' });
		expect(log.join('\n')).toContain(
			"MediaGen: the execution's custom data could not be written: Error: No custom data here",
		);
	});

	test('is written through the context where n8n has it there', async () => {
		onRecord(ended(0.1));
		const written: Record<string, string> = {
			mediagen_tasks: '2',
			mediagen_cost: '1',
			own: 'kept',
		};
		const node = new MediaGenMusic();
		const inner = new MediaGenMusic();
		node.execute = async function () {
			const setAll = (values: Record<string, string>) => Object.assign(written, values);
			Object.defineProperty(this, 'customData', {
				value: { getAll: () => ({ ...written }), setAll },
			});
			return await inner.execute.call(this);
		};
		const result = await buy(2, {}, { node });
		expect(written).toEqual({ ...figures(4, 1.2, 200, 0), own: 'kept' });
		expect(customData(result)).toBeUndefined();
	});
});
