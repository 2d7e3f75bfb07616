import { setTimeout as delay } from 'node:timers/promises';
import axios from 'axios';
import { z } from 'zod/v3';
import type { Execution, Host } from '../../../sandbox/host';
import type { Sandbox } from '../../../sandbox/service';
import { pausingWorkflow, type PausingWorkflow } from './pausingWorkflow';
import { recordedExecutions } from './recorded';

const submissionSchema = z.object({ prompt: z.string(), webhook: z.string() });

/** What tests do with executions that pause until the service calls back. */
export function pausing(host: () => Host, sandbox: () => Sandbox, credential: string) {
	/** What was bought, in the order in which the service accepted it. */
	const bought = () =>
		sandbox()
			.requests.list({ method: 'POST', path: '/v1/images' })
			.filter(({ task }) => task !== null)
			.map(({ task, body }) => ({ taskId: String(task), ...submissionSchema.parse(body) }));

	const taskOf = (prompt: string) => bought().find((task) => task.prompt === prompt)?.taskId ?? '';

	async function until<Value>(
		what: string,
		read: () => Promise<Value | undefined> | Value | undefined,
		timeoutMs = 60_000,
	) {
		const deadline = Date.now() + timeoutMs;
		for (;;) {
			const value = await read();
			if (value !== undefined) return value;
			if (Date.now() > deadline) {
				throw new Error(
					`Not within ${timeoutMs / 1_000} s: ${what}. n8n's log ends with:\n${host().log.tail()}`,
				);
			}
			await delay(200);
		}
	}

	const begin = async ({ url }: PausingWorkflow, prompts: string[]) =>
		await axios.post(url, { prompts }, { proxy: false });

	/** The only execution of a workflow, once it is in that state. */
	async function execution(
		{ id }: PausingWorkflow,
		status: 'waiting' | 'success' | 'error',
	): Promise<Execution> {
		const found = await until(
			`an execution that is "${status}"`,
			async () => {
				const all = await host().executions({ workflowId: id });
				return all.length === 1 && all[0]?.status === status ? all[0] : undefined;
			},
			150_000,
		);
		return await host().execution(found.id);
	}

	/** Starts an execution and waits until it has paused. */
	async function pause(prompts: string[], parameters: object = {}, node: object = {}) {
		const workflow = await pausingWorkflow(host(), credential, parameters, node);
		await begin(workflow, prompts);
		const { id } = await execution(workflow, 'waiting');
		return { workflow, id, webhook: bought()[0]?.webhook ?? '' };
	}

	/** Starts an execution for each prompt, and waits until all have paused. */
	async function pauseEach(prompts: readonly string[]): Promise<PausingWorkflow> {
		const workflow = await pausingWorkflow(host(), credential, { options: { timeout: 3_600 } });
		for (let at = 0; at < prompts.length; at += 10) {
			await Promise.all(
				prompts.slice(at, at + 10).map(async (prompt) => await begin(workflow, [prompt])),
			);
		}
		await until(
			'all paused',
			async () => {
				const waiting = (await recordedExecutions(host(), workflow.id)).filter(
					({ status }) => status === 'waiting',
				);
				return waiting.length === prompts.length ? true : undefined;
			},
			120_000,
		);
		// A kill between the two writes of a pause would leave n8n an execution that it cannot resume.
		await delay(2_000);
		return workflow;
	}

	/** Waits until all executions have ended. Returns how many there are, and the tasks that came out once, in their own execution. */
	async function resumed(
		{ id: workflowId }: PausingWorkflow,
		tasks: ReturnType<typeof bought>,
	): Promise<{ executions: number; right: number }> {
		const all = await until(
			'all resumed',
			async () => {
				const recorded = await recordedExecutions(host(), workflowId);
				return recorded.some(({ status }) => ['new', 'running', 'waiting'].includes(status))
					? undefined
					: recorded;
			},
			120_000,
		);
		// n8n writes an execution's state a moment before its data.
		await delay(2_000);
		const promptOf = new Map(tasks.map(({ taskId, prompt }) => [taskId, prompt]));
		const right = new Set<string>();
		for (const { id, status } of all) {
			const execution = await host().execution(id);
			const [asked] = execution.json('Prompts');
			const { taskId } = execution.json('End')[0] ?? {};
			expect([id, status, execution.json('End')]).toMatchObject([
				id,
				'success',
				[
					{
						taskId,
						status: 'completed',
						results: [{ url: expect.stringContaining(String(taskId)) }],
					},
				],
			]);
			expect(promptOf.get(String(taskId))).toBe(asked?.prompt);
			if (execution.runs.End?.length === 1) right.add(String(taskId));
		}
		return { executions: all.length, right: right.size };
	}

	/** Sends a callback by hand, and returns the status of n8n's answer. */
	async function call(webhook: string, body: unknown): Promise<number> {
		const [delivery] = sandbox().deliveries.send({ base: webhook, body, kind: 'forged' });
		return await until('an answer to the callback', () => {
			const { state, attempts } =
				sandbox()
					.deliveries.list()
					.find(({ id }) => id === delivery?.id) ?? {};
			return state === 'waiting' || state === 'sending'
				? undefined
				: (attempts?.at(-1)?.status ?? 0);
		});
	}

	const callbacksAreOver = async (timeoutMs?: number) =>
		await until(
			'the end of all callbacks',
			() =>
				sandbox()
					.deliveries.list()
					.every(({ state }) => state !== 'waiting' && state !== 'sending')
					? true
					: undefined,
			timeoutMs,
		);

	return {
		begin,
		bought,
		call,
		callbacksAreOver,
		execution,
		pause,
		pauseEach,
		resumed,
		taskOf,
		until,
	};
}
