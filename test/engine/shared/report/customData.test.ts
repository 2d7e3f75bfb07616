import type { IExecuteFunctions } from 'n8n-workflow';

import { MediaGenBalance } from '../../../../nodes/MediaGenBalance/MediaGenBalance.node';
import { MediaGenImage } from '../../../../nodes/MediaGenImage/MediaGenImage.node';
import { MediaGenMusic } from '../../../../nodes/MediaGenMusic/MediaGenMusic.node';
import { MediaGenTrigger } from '../../../../nodes/MediaGenTrigger/MediaGenTrigger.node';
import { questions } from '../../support/chat';
import { jumpingClock } from '../../support/clocks';
import { log, ok, runNode, type RunResult } from '../../support/engine';
import { buyPictures, failSecondPicture, generatePicture } from '../../support/generatePicture';
import { inputOf, runnerOf } from '../../support/operations';
import type { PausedExecution } from '../../support/pausedExecution';
import { rememberingNode } from '../../support/rememberingNode';
import { useSandbox } from '../../support/sandbox';
import type { Reply } from '../../support/scriptedService';
import { buySounds, completedWith, running, songAt } from '../../support/scriptedTasks';
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

/** What n8n keeps for the span of each run of a node. */
const tracing = ({ run }: RunResult, node = 'Under Test') =>
	(run.data.resultData.runData[node] ?? []).map(({ metadata }) =>
		metadata && 'tracing' in metadata ? metadata.tracing : undefined,
	);

const tasks = (count: number, credits: number, unpriced = 0) => ({
	'mediagen.tasks': count,
	'mediagen.credits': credits,
	'mediagen.unpriced': unpriced,
});

const model = (cost: number, input: number, output: number) => ({
	'llm.cost.total': cost,
	'llm.tokens.in': input,
	'llm.tokens.out': output,
	'llm.tokens.total': input + output,
	'llm.tokens.estimated': false,
});

const total = (values: unknown[]) =>
	Number(values.reduce<number>((sum, value) => sum + Number(value), 0).toFixed(6));

/** A node in whose run the context is another one. */
function nodeIn<Node extends MediaGenImage | MediaGenMusic>(
	create: () => Node,
	change: (context: IExecuteFunctions) => void,
): Node {
	const [node, inner] = [create(), create()];
	node.execute = async function () {
		change(this);
		return await inner.execute.call(this);
	};
	return node;
}

describe('The custom data, the tracing, and the bill of the service', () => {
	const service = useSandbox();

	/** The figures of an execution that bought so many tasks, each with its cost, as the service billed it. */
	const billed = (tasks: number, { netCredits } = service.sandbox.ledger()) =>
		figures(tasks, netCredits / 1_000, netCredits, 0);

	/** The same in the span of one run, beside its tokens. */
	const billedSpan = (count: number, { netCredits } = service.sandbox.ledger()) =>
		expect.objectContaining({
			...tasks(count, netCredits),
			'llm.cost.total': netCredits / 1_000,
		}) as object;

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
		const items = ['v5.5', 'v4.5+', 'v4.5'].map((version) => ({ json: { version } }));
		const given = { additionalFields: { version: '={{ $json.version }}' } };
		const result = await buySounds(service, 1, {}, { given, items });
		expect(service.sandbox.ledger().netCredits).toBe(290);
		expect(result.hints[0]?.message).toBe('3 tasks, no cost stated');
		expect(customData(result)).toEqual(figures(3, 0, 0, 3));
		expect(tracing(result)).toEqual([tasks(3, 0, 3)]);
		expect((await report()).json[0]).toMatchObject({ spentCredits: 290, spent: 0.29 });
	});

	test('three songs from two requests: the hint counts the one that was asked for twice', async () => {
		const items = ['Rain', 'Wind', 'Rain'].map((prompt) => ({ json: { prompt } }));
		const { hints } = await buySounds(
			service,
			1,
			{},
			{ given: { prompt: '={{ $json.prompt }}' }, items },
		);
		expect(hints[0]?.message).toBe('3 tasks, 1 with the same request as another, no cost stated');
	});

	test('agree after Retry On Fail, which reads the other tasks a second time', async () => {
		failSecondPicture(service);
		const result = ok(await buyPictures(service, 3, retryOnFail));
		expect(service.sandbox.ledger().accepted).toBe(4);
		expect(customData(result)).toEqual(billed(4));
		expect(tracing(result)).toEqual([billedSpan(4)]);
	});

	test("Don't Wait: tasks without a cost, until Task: Wait of the same execution reads them to the end", async () => {
		const before = await buyPictures(service, 2, { parameters: unwaited });
		expect(customData(before)).toEqual(figures(2, 0, 0, 0));
		service.sandbox.reset();
		const next = readLater('wait', { pollInterval: 1 });
		const result = await buyPictures(service, 2, { parameters: unwaited, next });
		expect(service.sandbox.ledger().netCredits).toBeGreaterThan(0);
		expect(customData(result)).toEqual(billed(2));
		expect(tracing(result)).toEqual([tasks(2, 0)]);
		expect(tracing(result, 'Next')).toEqual([billedSpan(0)]);
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

	test('the tracing of pictures: cost and tokens by the names of the model nodes, and a refunded task adds none', async () => {
		failSecondPicture(service);
		const result = await buyPictures(service, 3);
		const { netCredits } = service.sandbox.ledger();
		const usages = result.json.flatMap(({ usage }) =>
			usage ? [usage as Record<string, number>] : [],
		);
		const input = total(usages.map((usage) => usage.input_tokens));
		const output = total(usages.map((usage) => usage.output_tokens));
		const cost = total(result.json.flatMap((item) => item.cost ?? []));
		expect(tracing(result)).toEqual([{ ...model(cost, input, output), ...tasks(3, netCredits) }]);
		expect(input + output).toBeGreaterThan(0);
		expect(cost).toBe(netCredits / 1_000);
	});

	test('each run of a loop has a span of its own', async () => {
		const result = await buyPictures(service, 2, { rounds: 3 });
		const figures = tracing(result).map(
			(run) => (run as Record<string, unknown>)['mediagen.credits'],
		);
		expect(figures).toHaveLength(3);
		expect(total(figures)).toBe(service.sandbox.ledger().netCredits);
	});

	test('the tracing of chat answers: their tokens and the estimated cost, once each under Retry On Fail', async () => {
		service.sandbox.faults.add({
			match: { path: '/v1/messages' },
			nth: 2,
			effect: { type: 'status', status: 400 },
		});
		const result = await runnerOf(service)(
			'chat.message',
			{
				prompt: '={{ $json.question }}',
				options: { watchPrefix: false, priceInput: 3, priceOutput: 15, concurrency: 1 },
			},
			{ items: questions('Why?', 'How?', 'When?'), ...retryOnFail },
		).then(ok);
		const usages = result.json.map(({ usage }) => usage as { inputTotal: number; output: number });
		const input = total(usages.map((usage) => usage.inputTotal));
		const output = total(usages.map((usage) => usage.output));
		const cost = total(result.json.map(({ estimatedCost }) => estimatedCost));
		expect(output).toBeGreaterThan(0);
		expect(tracing(result)).toEqual([model(cost, input, output)]);
	});

	test('tracing that cannot be written does not fail the node, nor the custom data', async () => {
		const node = nodeIn(
			() => new MediaGenImage(),
			(context) => {
				context.setMetadata = () => {
					throw new Error('No metadata here');
				};
			},
		);
		const { json, run } = await buyPictures(service, 1, { node });
		expect(json[0]).toMatchObject({ status: 'completed' });
		expect(run.data.resultData.metadata).toMatchObject({ mediagen_tasks: '1' });
		expect(log.join('\n')).toContain(
			"MediaGen: the execution's tracing metadata could not be written: Error: No metadata here",
		);
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
		const get = () => {
			throw new Error('No custom data here');
		};
		const node = nodeIn(
			() => new MediaGenMusic(),
			(context) => Object.defineProperty(context, 'customData', { get }),
		);
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
		const setAll = (values: Record<string, string>) => Object.assign(written, values);
		const value = { getAll: () => ({ ...written }), setAll };
		const node = nodeIn(
			() => new MediaGenMusic(),
			(context) => Object.defineProperty(context, 'customData', { value }),
		);
		const result = await buy(2, {}, { node });
		expect(written).toEqual({ ...figures(4, 1.2, 200, 0), own: 'kept' });
		expect(customData(result)).toBeUndefined();
	});
});
