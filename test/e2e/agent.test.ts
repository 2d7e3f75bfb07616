import sharp from 'sharp';
import { z } from 'zod/v3';

import type { Execution } from '../../sandbox/host';
import { createSandbox, type Sandbox } from '../../sandbox/service';
import {
	AGENTS,
	agentWorkflow,
	chatCredentialFor,
	givenToAgent,
	type Tool,
} from './support/agents';
import { describeOnHosts } from './support/hosts';
import { credentialFor } from './support/workflows';

const MEDIA_KEY = 'media-key-of-the-agent-5d1f';
const CHAT_KEY = 'chat-key-of-the-agent-90ce';
const PROMPT = 'A lighthouse at dawn, in watercolour';

const chatRequest = z.object({
	messages: z.array(z.object({ role: z.string(), content: z.unknown() })),
	tools: z.array(
		z.object({
			function: z.object({
				name: z.string(),
				description: z.string(),
				parameters: z.object({ properties: z.record(z.unknown()) }),
			}),
		}),
	),
});

const pictureTask = z.object({
	taskId: z.string(),
	status: z.string(),
	url: z.string().url(),
	markdown: z.string(),
});

/** MediaGen Image as a tool, with the prompt left to the model. */
const pictures = (parameters: object = {}, settings: object = {}): Tool => ({
	name: 'Make a Picture',
	type: 'mediaGenImageTool',
	parameters: {
		resource: 'image',
		operation: 'generate',
		model: 'imagegen-2-official',
		prompt: "={{ $fromAI('prompt', 'What the picture shows', 'string') }}",
		options: { pollInterval: 1 },
		...parameters,
	},
	settings,
});

describeOnHosts('An AI agent', (host) => {
	let sandbox: Sandbox;
	beforeAll(async () => {
		const keys = [MEDIA_KEY, CHAT_KEY].map((key) => ({ key, credits: 1_000_000 }));
		sandbox = await createSandbox({ keys });
		const media = credentialFor(sandbox, 'Agent');
		await host().createCredential({ ...media, data: { ...media.data, apiKey: MEDIA_KEY } });
		await host().createCredential(chatCredentialFor(sandbox, 'Agent', CHAT_KEY));
	});
	beforeEach(() => {
		sandbox.reset();
		sandbox.durations.set({ image: 1_000 });
	});
	afterAll(async () => await sandbox.close());

	/** The model calls the tool once per set of arguments, and then repeats the last result. */
	async function ask(
		version: number,
		tool: Tool,
		...calls: Array<Record<string, unknown>>
	): Promise<Execution> {
		const name = tool.name.replaceAll(' ', '_');
		sandbox.chat.script(...calls.map((given) => ({ toolCalls: [{ name, arguments: given }] })), {
			text: 'The tool said: {{tool}}',
		});
		const workflow = await host().importWorkflow(
			agentWorkflow(version, 'Agent', 'Do what I need', tool),
		);
		return await host().run(workflow.id, { timeout: 90_000 });
	}

	/** What the model was sent, request by request. */
	const sent = () =>
		sandbox.requests
			.list({ path: '/v1/chat/completions' })
			.map(({ body }) => chatRequest.parse(body));

	/** The tool results that the model was sent last. */
	const told = () =>
		(sent().at(-1)?.messages ?? [])
			.filter(({ role }) => role === 'tool')
			.map(({ content }) => String(content));

	/** Everything that n8n has kept of an execution, as text. */
	async function keptOf({ id }: Execution): Promise<string> {
		return JSON.stringify(await host().api.call(z.unknown(), { url: `/rest/executions/${id}` }));
	}

	describe.each(AGENTS)('of version %s', (version) => {
		test('has a picture made from its own prompt, and gets the URL', async () => {
			const execution = await ask(version, pictures(), { prompt: PROMPT });
			expect(execution.status).toBe('success');

			const [task] = givenToAgent(execution, 'Make a Picture').map((json) =>
				pictureTask.parse(json),
			);
			const url = task?.url ?? '';
			expect(task?.markdown).toBe(`![image](${url})`);
			expect(task?.status).toBe('completed');
			const keys = givenToAgent(execution, 'Make a Picture').map((json) =>
				Object.keys(json).sort(),
			);
			expect(keys).toEqual([['cost', 'markdown', 'status', 'taskId', 'url', 'urls']]);
			const file = await fetch(url);
			expect((await sharp(Buffer.from(await file.arrayBuffer())).metadata()).format).toBe('png');

			const [submission] = sandbox.requests.list({
				method: 'POST',
				path: '/v1/images/generations',
			});
			expect(submission?.body).toMatchObject({ prompt: PROMPT });
			expect(sandbox.ledger().accepted).toBe(1);

			expect(told()).toEqual([expect.stringContaining(url)]);
			expect(execution.json('Agent')).toEqual([{ output: `The tool said: ${told()[0]}` }]);
		}, 120_000);

		test('is offered just what was left to it', async () => {
			await ask(version, pictures(), { prompt: PROMPT });
			const offered = sent()[0]?.tools.map(({ function: { name, description, parameters } }) => [
				name,
				description,
				parameters.properties,
			]);
			expect(offered).toEqual([
				[
					'Make_a_Picture',
					'Generate an image in MediaGen Image',
					{ prompt: { type: 'string', description: 'What the picture shows' } },
				],
			]);
		}, 120_000);

		test('leaves no key in what n8n keeps of the execution', async () => {
			const kept = await keptOf(await ask(version, pictures(), { prompt: PROMPT }));
			expect(kept).toContain(PROMPT);
			expect(kept).not.toContain(MEDIA_KEY);
			expect(kept).not.toContain(CHAT_KEY);
		}, 120_000);

		test('two calls with the same prompt are two pictures', async () => {
			const execution = await ask(version, pictures(), { prompt: PROMPT }, { prompt: PROMPT });
			expect(execution.status).toBe('success');
			expect(sandbox.ledger().accepted).toBe(2);
			expect(new Set(told()).size).toBe(2);
		}, 120_000);

		test('a tool that would have to pause is refused with the reason, before anything is bought', async () => {
			const execution = await ask(version, pictures({ waitMode: 'callback' }), { prompt: PROMPT });
			const refused = (execution.runs['Make a Picture'] ?? []).flatMap(({ error }) => error ?? []);
			expect(refused).toHaveLength(1);
			expect(refused[0]?.message).toContain('A tool of an AI agent cannot pause the execution');
			expect(refused[0]?.description).toContain('Poll Here');
			expect(sandbox.requests.list().filter(({ path }) => path !== '/v1/chat/completions')).toEqual(
				[],
			);
		}, 120_000);

		test('with On Error at Continue, reads of a task that takes too long', async () => {
			sandbox.durations.set({ image: null });
			const slow = pictures(
				{ options: { pollInterval: 1, timeout: 1 } },
				{ onError: 'continueRegularOutput' },
			);
			const execution = await ask(version, slow, { prompt: PROMPT });
			const [bought] = sandbox.tasks.list();
			expect(execution.status).toBe('success');
			const items: unknown = JSON.parse(told()[0] ?? '');
			const error = expect.objectContaining({
				message: expect.stringContaining('after 1 second'),
				description: expect.any(String),
			});
			expect(items).toEqual([expect.objectContaining({ taskId: bought?.id, error })]);
		}, 120_000);

		test('Retry On Fail waits on for the task that was bought', async () => {
			sandbox.durations.set({ image: 2_500 });
			const retry = { retryOnFail: true, maxTries: 5, waitBetweenTries: 100 };
			await ask(version, pictures({ options: { pollInterval: 1, timeout: 1 } }, retry), {
				prompt: PROMPT,
			});
			expect(sandbox.ledger().accepted).toBe(1);
			expect(told()).toEqual([expect.stringContaining('.png')]);
		}, 120_000);

		test('Retry On Fail does not send again what may have been bought', async () => {
			const submit = { method: 'POST' as const, path: '/v1/images/generations' };
			sandbox.faults.add({ match: submit, effect: { type: 'reset', when: 'after' } });
			const retry = { retryOnFail: true, maxTries: 3, waitBetweenTries: 100 };
			const execution = await ask(version, pictures({}, retry), { prompt: PROMPT });
			expect(sandbox.requests.list(submit)).toHaveLength(1);
			const reasons = (execution.runs['Make a Picture'] ?? []).map(({ error }) => error?.message);
			expect(reasons.at(-1)).toContain('may have been bought by an earlier attempt');
		}, 120_000);

		test('asking again for what took too long buys nothing twice', async () => {
			sandbox.durations.set({ image: null });
			await ask(
				version,
				pictures({ options: { pollInterval: 1, timeout: 1 } }),
				{ prompt: PROMPT },
				{ prompt: PROMPT },
			);
			expect(sandbox.ledger().accepted).toBe(1);
		}, 120_000);

		test('that keeps calling buys as many tasks as Max Tasks allows, and reads why there are no more', async () => {
			const limited = pictures(
				{ waitMode: 'none', options: { maxTasks: 20 } },
				{ onError: 'continueRegularOutput' },
			);
			const name = limited.name.replaceAll(' ', '_');
			const turn = (at: number) => ({
				toolCalls: [0, 1, 2, 3, 4].map((call) => ({
					name,
					arguments: { prompt: `${PROMPT}, ${at * 5 + call}` },
				})),
			});
			sandbox.chat.script(...[0, 1, 2, 3, 4].map(turn), { text: 'Enough' });
			const { id } = await host().importWorkflow(
				agentWorkflow(version, 'Agent', 'Make pictures until I say stop', limited),
			);
			const execution = await host().run(id, { timeout: 90_000 });
			expect(execution.status).toBe('success');
			expect(sandbox.ledger().accepted).toBe(20);
			const refused = told().filter((result) => result.includes('Max Tasks'));
			expect([told().length, refused.length]).toEqual([25, 5]);
		}, 120_000);

		test('learns the balance', async () => {
			sandbox.setBalance(12_340, MEDIA_KEY);
			const balance: Tool = {
				name: 'Get the Balance',
				type: 'mediaGenBalanceTool',
				parameters: { resource: 'balance', operation: 'get' },
			};
			const execution = await ask(version, balance, {});
			expect(execution.status).toBe('success');
			expect(givenToAgent(execution, balance.name)).toEqual([
				expect.objectContaining({ remainingCredits: 12_340 }),
			]);
			expect(execution.json('Agent')).toEqual([
				{ output: expect.stringContaining('"remaining":12.34') },
			]);
		}, 120_000);
	});
});
