import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod/v3';
import type { Execution, ExecutionStatus, Host } from '../../../sandbox/host';
import type { Sandbox } from '../../../sandbox/service';
import { tally } from '../../support/tally';
import { callWebhook, type Listening, listenWith, onlyExecution } from '../support/executions';
import { chain, end, type NodeJson, pictureNode, startByWebhook } from '../support/nodes';
import { eventually, until } from '../support/poll';
import { pictureSubmissions } from '../support/sandbox';
import { READ_EVERY_MS, type Recorded, recordedExecutions } from './recorded';

const submissionSchema = z.object({ prompt: z.string(), webhook: z.string() });

/** Makes an item of each of the prompts in the call that starts the workflow. */
export const prompts: NodeJson = {
	name: 'Prompts',
	type: 'n8n-nodes-base.splitOut',
	parameters: { fieldToSplitOut: 'body.prompts', options: { destinationFieldName: 'prompt' } },
};

/**
 * Imports and activates a workflow that a webhook starts with `{ "prompts": […] }`, one item each, and that pauses in the node
 * "Pictures" until they are made; `settings` are the node's own, and `last` is the node behind it.
 */
export async function pausingWorkflow(
	host: Host,
	credential: string,
	parameters: object = {},
	settings: object = {},
	last: NodeJson = end,
): Promise<Listening> {
	const path = randomUUID();
	const paused = { waitMode: 'callback', ...parameters };
	const pictures = pictureNode('Pictures', credential, paused, settings);
	const nodes = [startByWebhook(path), prompts, pictures, last];
	return await listenWith(host, chain(`Pausing ${path}`, nodes));
}

const statesOf = (executions: readonly Recorded[]) => tally(executions.map(({ status }) => status));

/** Starts an execution for each prompt. */
export async function startEach({ url }: Listening, given: readonly string[]): Promise<void> {
	for (let at = 0; at < given.length; at += 10) {
		const some = given.slice(at, at + 10);
		await Promise.all(some.map(async (prompt) => await callWebhook(url, { prompts: [prompt] })));
	}
}

/** What the executions that failed say. Where there are any, the ends of n8n's logs are printed: in queue mode they are of other processes. */
async function errorsOf(host: Host, executions: readonly Recorded[]): Promise<unknown[]> {
	const failed = executions.filter(({ status }) => status === 'error' || status === 'crashed');
	const errors = await Promise.all(
		failed.map(async ({ id }) => {
			const { error, lastNode } = await host.execution(id);
			return [lastNode, error?.message, error?.description];
		}),
	);
	if (errors.length > 0) console.log(`Failed executions: ${JSON.stringify(errors)}`);
	for (const { name, process } of errors.length > 0 ? host.companions : [])
		console.log(`The log of ${name} ends with:\n${process.log.tail()}`);
	return errors;
}

/** Waits until so many executions of a workflow have this status, and expects that there are no others. */
export async function untilAllAre(
	host: Host,
	{ id }: Listening,
	count: number,
	status: ExecutionStatus,
): Promise<Recorded[]> {
	const expected = { [status]: count };
	const found = await until(
		async () => await recordedExecutions(host, id),
		(all) => isDeepStrictEqual(statesOf(all), expected),
		120_000,
		READ_EVERY_MS,
	);
	expect({ states: statesOf(found), errors: await errorsOf(host, found) }).toEqual({
		states: expected,
		errors: [],
	});
	return found;
}

/** What tests do with executions that pause until the service calls back. */
export function pausing(host: () => Host, sandbox: () => Sandbox, credential: string) {
	/** What was bought, in the order in which the service accepted it. */
	const bought = () =>
		pictureSubmissions(sandbox()).map(({ taskId, body }) => ({
			taskId,
			...submissionSchema.parse(body),
		}));

	const taskOf = (prompt: string) => bought().find((task) => task.prompt === prompt)?.taskId ?? '';

	const finishAll = () => bought().forEach(({ taskId }) => void sandbox().tasks.finish(taskId));

	const execution = async ({ id }: Listening, status: 'waiting' | 'success' | 'error') =>
		await onlyExecution(host(), id, status);

	/** Starts an execution with these prompts. */
	async function begin(given: string[], parameters: object = {}, node: object = {}) {
		const workflow = await pausingWorkflow(host(), credential, parameters, node);
		await callWebhook(workflow.url, { prompts: given });
		return workflow;
	}

	/** Starts an execution and waits until it has paused. */
	async function pause(given: string[], parameters: object = {}, node: object = {}) {
		const workflow = await begin(given, parameters, node);
		const { id } = await execution(workflow, 'waiting');
		return { workflow, id, webhook: bought()[0]?.webhook ?? '' };
	}

	/** Starts an execution for each prompt, and waits until all have paused. */
	async function pauseEach(given: readonly string[], parameters: object = {}): Promise<Listening> {
		const options = { options: { timeout: 3_600 }, ...parameters };
		const workflow = await pausingWorkflow(host(), credential, options);
		await startEach(workflow, given);
		await untilAllAre(host(), workflow, given.length, 'waiting');
		// A kill between the two writes of a pause would leave n8n an execution that it cannot resume.
		await delay(2_000);
		return workflow;
	}

	/**
	 * Waits until all executions have ended, each with its own result. Returns how many tasks came out once, in their own
	 * execution.
	 */
	async function resumed(
		workflow: Listening,
		tasks: ReturnType<typeof bought>,
		look: (execution: Execution) => Promise<void> = async () => {},
	): Promise<number> {
		const all = await untilAllAre(host(), workflow, tasks.length, 'success');
		const promptOf = new Map(tasks.map(({ taskId, prompt }) => [taskId, prompt]));
		const right = new Set<string>();
		for (const { id } of all) {
			const execution = await host().execution(id);
			const [asked] = execution.json('Prompts');
			const taskId = String(execution.json('End')[0]?.taskId);
			const results = [{ url: expect.stringContaining(taskId) }];
			expect(execution.json('End')).toMatchObject([{ taskId, status: 'completed', results }]);
			expect(promptOf.get(taskId)).toBe(asked?.prompt);
			if (execution.runs.End?.length === 1) right.add(taskId);
			await look(execution);
		}
		return right.size;
	}

	/** Sends a callback by hand, and returns the status of n8n's answer. */
	async function call(webhook: string, body: unknown): Promise<number> {
		const [delivery] = sandbox().deliveries.send({ base: webhook, body, kind: 'forged' });
		const status = () => {
			const sent = sandbox().deliveries.list();
			const { state, attempts } = sent.find(({ id }) => id === delivery?.id) ?? {};
			return state !== 'waiting' && state !== 'sending' && { is: attempts?.at(-1)?.status ?? 0 };
		};
		return (await eventually('an answer to the callback', status)).is;
	}

	return { begin, bought, call, execution, finishAll, pause, pauseEach, resumed, taskOf };
}
