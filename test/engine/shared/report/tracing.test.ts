import { MediaGenImage } from '../../../../nodes/MediaGenImage/MediaGenImage.node';
import { MediaGenMusic } from '../../../../nodes/MediaGenMusic/MediaGenMusic.node';
import { questions } from '../../support/chat';
import { log, type RunResult, runNode } from '../../support/engine';
import { buyPictures, failSecondPicture, generatePicture } from '../../support/generatePicture';
import { generateSound } from '../../support/generateSound';
import { inputOf, runnerOf } from '../../support/operations';
import { useSandbox } from '../../support/sandbox';
import { retryOnFail } from '../../support/settings';

const service = useSandbox();

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

/** The cost of a run that bought so many tasks, as the service billed it, with tokens beside it. */
const billed = (count: number, { netCredits } = service.sandbox.ledger()) =>
	expect.objectContaining({
		...tasks(count, netCredits),
		'llm.cost.total': netCredits / 1_000,
	}) as object;

const total = (values: unknown[]) =>
	Number(values.reduce<number>((sum, value) => sum + Number(value), 0).toFixed(6));

const model = (cost: number, input: number, output: number) => ({
	'llm.cost.total': cost,
	'llm.tokens.in': input,
	'llm.tokens.out': output,
	'llm.tokens.total': input + output,
	'llm.tokens.estimated': false,
});

function figuresOf(json: RunResult['json']) {
	const usages = json.flatMap(({ usage }) => (usage ? [usage as Record<string, number>] : []));
	const input = total(usages.map((usage) => usage.input_tokens));
	const output = total(usages.map((usage) => usage.output_tokens));
	return model(total(json.flatMap(({ cost }) => cost ?? [])), input, output);
}

test('pictures: cost and tokens by the names of the model nodes, and a refunded task adds none', async () => {
	failSecondPicture(service);
	const result = await buyPictures(service, 3);
	const { netCredits } = service.sandbox.ledger();
	expect(tracing(result)).toEqual([{ ...figuresOf(result.json), ...tasks(3, netCredits) }]);
	expect(figuresOf(result.json)['llm.tokens.total']).toBeGreaterThan(0);
	expect(figuresOf(result.json)['llm.cost.total']).toBe(netCredits / 1_000);
});

test('each run of a loop states its own', async () => {
	const result = await buyPictures(service, 2, { rounds: 3 });
	const figures = tracing(result).map(
		(run) => (run as Record<string, unknown>)['mediagen.credits'],
	);
	expect(figures).toHaveLength(3);
	expect(total(figures)).toBe(service.sandbox.ledger().netCredits);
});

test('the attempts of Retry On Fail add up, and what the first one bought is not counted twice', async () => {
	failSecondPicture(service);
	const result = await buyPictures(service, 3, retryOnFail);
	expect(result.error).toBeUndefined();
	expect(service.sandbox.ledger().accepted).toBe(4);
	expect(tracing(result)).toEqual([billed(4)]);
});

test('a task that states no cost is unpriced, not free', async () => {
	const result = await runNode({
		node: new MediaGenMusic(),
		parameters: { ...generateSound, prompt: 'Waves' },
		credential: service.credential(),
	});
	expect(tracing(result)).toEqual([tasks(1, 0, 1)]);
});

test('the node that reads the end of a task states its cost, and the one that bought it does not', async () => {
	const next = inputOf('image.task.wait', {
		...{ taskId: '={{ $json.taskId }}', downloadFiles: false },
		options: { pollInterval: 1 },
	});
	const parameters = { ...generatePicture, waitMode: 'none' };
	const result = await buyPictures(service, 2, { parameters, next });
	expect(tracing(result)).toEqual([tasks(2, 0)]);
	expect(tracing(result, 'Next')).toEqual([billed(0)]);
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
	const input = total(usages.map((usage) => usage.inputTotal));
	const output = total(usages.map((usage) => usage.output));
	const cost = total(result.json.map(({ estimatedCost }) => estimatedCost));
	expect(output).toBeGreaterThan(0);
	expect(tracing(result)).toEqual([model(cost, input, output)]);
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
	const { json, run } = await buyPictures(service, 1, { node });
	expect(json[0]).toMatchObject({ status: 'completed' });
	expect(run.data.resultData.metadata).toMatchObject({ mediagen_tasks: '1' });
	expect(log.join('\n')).toContain(
		"MediaGen: the execution's tracing metadata could not be written: Error: No metadata here",
	);
});
