import { MediaGenImage } from '../../../../nodes/MediaGenImage/MediaGenImage.node';
import { MediaGenMusic } from '../../../../nodes/MediaGenMusic/MediaGenMusic.node';
import { questions } from '../../support/chat';
import { log, type RunOptions, type RunResult, runNode } from '../../support/engine';
import { generatePicture, prompts } from '../../support/generatePicture';
import { generateSound } from '../../support/generateSound';
import { inputOf, runnerOf } from '../../support/operations';
import { useSandbox } from '../../support/sandbox';
import { goOn, retryOnFail } from '../../support/settings';

const service = useSandbox();

/** What n8n keeps for the span of each run of a node. */
const tracing = ({ run }: RunResult, node = 'Under Test') =>
	(run.data.resultData.runData[node] ?? []).map(({ metadata }) =>
		metadata && 'tracing' in metadata ? metadata.tracing : undefined,
	);

const buyPictures = async (count: number, run: Partial<RunOptions> = {}) =>
	await runNode({
		node: new MediaGenImage(),
		parameters: { ...generatePicture, downloadFiles: false },
		items: prompts(count),
		credential: service.credential(),
		...goOn,
		...run,
	});

const failSecond = () =>
	service.sandbox.faults.add({
		match: { family: 'image' },
		nth: 2,
		effect: { type: 'failTask', message: 'out of luck' },
	});

const total = (values: unknown[]) =>
	Number(values.reduce<number>((sum, value) => sum + Number(value), 0).toFixed(6));

function figuresOf(json: RunResult['json']) {
	const usages = json.flatMap(({ usage }) => (usage ? [usage as Record<string, number>] : []));
	const input = total(usages.map((usage) => usage.input_tokens));
	const output = total(usages.map((usage) => usage.output_tokens));
	return {
		'llm.cost.total': total(json.flatMap(({ cost }) => cost ?? [])),
		'llm.tokens.in': input,
		'llm.tokens.out': output,
		'llm.tokens.total': input + output,
		'llm.tokens.estimated': false,
	};
}

test('pictures: cost and tokens by the names of the model nodes, and a refunded task adds none', async () => {
	failSecond();
	const result = await buyPictures(3);
	const { netCredits } = service.sandbox.ledger();
	expect(tracing(result)).toEqual([
		{
			...figuresOf(result.json),
			'mediagen.tasks': 3,
			'mediagen.credits': netCredits,
			'mediagen.unpriced': 0,
		},
	]);
	expect(figuresOf(result.json)['llm.tokens.total']).toBeGreaterThan(0);
	expect(figuresOf(result.json)['llm.cost.total']).toBe(netCredits / 1_000);
});

test('each run of a loop states its own', async () => {
	const result = await buyPictures(2, { rounds: 3 });
	const figures = tracing(result).map(
		(run) => (run as Record<string, unknown>)['mediagen.credits'],
	);
	expect(figures).toHaveLength(3);
	expect(total(figures)).toBe(service.sandbox.ledger().netCredits);
});

test('the attempts of Retry On Fail add up, and what the first one bought is not counted twice', async () => {
	failSecond();
	const result = await buyPictures(3, retryOnFail);
	expect(result.error).toBeUndefined();
	const { netCredits, accepted } = service.sandbox.ledger();
	expect(accepted).toBe(4);
	expect(tracing(result)).toEqual([
		expect.objectContaining({
			'llm.cost.total': netCredits / 1_000,
			'mediagen.tasks': 4,
			'mediagen.credits': netCredits,
		}),
	]);
});

test('a task that states no cost is unpriced, not free', async () => {
	const result = await runNode({
		node: new MediaGenMusic(),
		parameters: { ...generateSound, prompt: 'Waves' },
		credential: service.credential(),
	});
	expect(tracing(result)).toEqual([
		{ 'mediagen.tasks': 1, 'mediagen.credits': 0, 'mediagen.unpriced': 1 },
	]);
});

test('the node that reads the end of a task states its cost, and the one that bought it does not', async () => {
	const next = inputOf('image.task.wait', {
		...{ taskId: '={{ $json.taskId }}', downloadFiles: false },
		options: { pollInterval: 1 },
	});
	const parameters = { ...generatePicture, waitMode: 'none' };
	const result = await buyPictures(2, { parameters, next });
	expect(tracing(result)).toEqual([
		{ 'mediagen.tasks': 2, 'mediagen.credits': 0, 'mediagen.unpriced': 0 },
	]);
	const { netCredits } = service.sandbox.ledger();
	expect(tracing(result, 'Next')).toEqual([
		expect.objectContaining({
			'llm.cost.total': netCredits / 1_000,
			'mediagen.tasks': 0,
			'mediagen.credits': netCredits,
		}),
	]);
});

test('chat answers: their tokens and the estimated cost, once each under Retry On Fail', async () => {
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
	);
	expect(result.error).toBeUndefined();
	const usages = result.json.map(({ usage }) => usage as { inputTotal: number; output: number });
	const [input, output] = [
		total(usages.map((usage) => usage.inputTotal)),
		total(usages.map((usage) => usage.output)),
	];
	expect(output).toBeGreaterThan(0);
	expect(tracing(result)).toEqual([
		{
			...{
				'llm.tokens.in': input,
				'llm.tokens.out': output,
				'llm.tokens.total': input + output,
				'llm.tokens.estimated': false,
			},
			'llm.cost.total': total(result.json.map(({ estimatedCost }) => estimatedCost)),
		},
	]);
});

test('that cannot be written does not fail the node, nor the custom data', async () => {
	const node = new MediaGenImage();
	const inner = new MediaGenImage();
	node.execute = async function () {
		this.setMetadata = () => {
			throw new Error('No metadata here');
		};
		return await inner.execute.call(this);
	};
	const { json, run } = await buyPictures(1, { node });
	expect(json[0]).toMatchObject({ status: 'completed' });
	expect(run.data.resultData.metadata).toMatchObject({ mediagen_tasks: '1' });
	expect(log.join('\n')).toContain(
		"MediaGen: the execution's tracing metadata could not be written: Error: No metadata here",
	);
});
