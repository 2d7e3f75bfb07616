import sharp from 'sharp';
import { z } from 'zod/v3';

import type { Execution } from '../../sandbox/host';
import {
	AGENTS,
	agentWorkflow,
	balanceTool,
	chatCredentialFor,
	givenToAgent,
	pictureTool,
} from './support/agents';
import { runWorkflow } from './support/executions';
import { describeOnHosts } from './support/hosts';
import type { NodeJson } from './support/nodes';
import { pictureSubmissions, SUBMISSION, useSandbox } from './support/sandbox';

const CREDENTIAL = 'Agent';
const CHAT_KEY = 'chat-key-of-the-agent-90ce';
const PROMPT = 'A lighthouse at dawn, in watercolour';
const TOOL = 'Make a Picture';

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

const pictureTask = z.object({ taskId: z.string(), url: z.string().url() });

const pictures = (parameters: object = {}, settings: object = {}) =>
	pictureTool(CREDENTIAL, parameters, settings);

/** Gives up on a picture after a second. */
const impatient = (settings: object = {}) =>
	pictures({ options: { pollInterval: 1, timeout: 1 } }, settings);

const retry = { retryOnFail: true, maxTries: 5, waitBetweenTries: 100 };

describeOnHosts('An AI agent', (host) => {
	const sandbox = useSandbox(host, CREDENTIAL, {
		durations: { image: 1_000 },
		keys: [{ key: CHAT_KEY, credits: 1_000_000 }],
	});
	beforeAll(
		async () =>
			void (await host().createCredential(chatCredentialFor(sandbox(), CREDENTIAL, CHAT_KEY))),
	);

	/** The model makes these turns of calls, and then repeats the last result. */
	async function askInTurns(version: number, tool: NodeJson, turns: object[][]) {
		const name = tool.name.replaceAll(' ', '_');
		const replies = turns.map((calls) => ({
			toolCalls: calls.map((given) => ({ name, arguments: { ...given } })),
		}));
		sandbox().chat.script(...replies, { text: 'The tool said: {{tool}}' });
		const definition = agentWorkflow(version, CREDENTIAL, 'Do what I need', tool);
		return await runWorkflow(host(), definition, { timeout: 90_000 });
	}

	/** The model calls the tool once per set of arguments. */
	const ask = async (version: number, tool: NodeJson, ...calls: object[]) =>
		await askInTurns(
			version,
			tool,
			calls.map((given) => [given]),
		);

	/** What the model was sent, request by request. */
	const sent = () =>
		sandbox()
			.requests.list({ path: '/v1/chat/completions' })
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
		test('is offered just what was left to it, has a picture made from its own prompt, and gets the URL; n8n keeps no key', async () => {
			const execution = await ask(version, pictures(), { prompt: PROMPT });
			expect(execution.status).toBe('success');

			const offered = sent()[0]?.tools.map(({ function: { name, description, parameters } }) => [
				name,
				description,
				parameters.properties,
			]);
			const prompt = { type: 'string', description: 'What the picture shows' };
			expect(offered).toEqual([
				['Make_a_Picture', 'Generate an image in MediaGen Image', { prompt }],
			]);

			const [given, ...more] = givenToAgent(execution, TOOL);
			expect(more).toEqual([]);
			const { url } = pictureTask.parse(given);
			expect(given).toMatchObject({ status: 'completed', markdown: `![image](${url})` });
			const fields = ['cost', 'markdown', 'status', 'taskId', 'url', 'urls'];
			expect(Object.keys(given ?? {}).sort()).toEqual(fields);
			const file = await fetch(url);
			expect((await sharp(Buffer.from(await file.arrayBuffer())).metadata()).format).toBe('png');

			expect(pictureSubmissions(sandbox())[0]?.body).toMatchObject({ prompt: PROMPT });
			expect(sandbox().ledger().accepted).toBe(1);

			expect(told()).toEqual([expect.stringContaining(url)]);
			expect(execution.json('Agent')).toEqual([{ output: `The tool said: ${told()[0]}` }]);

			const kept = await keptOf(execution);
			expect(kept).toContain(PROMPT);
			expect(kept).not.toContain(sandbox().key);
			expect(kept).not.toContain(CHAT_KEY);
		});

		test('two calls with the same prompt are two pictures', async () => {
			const execution = await ask(version, pictures(), { prompt: PROMPT }, { prompt: PROMPT });
			expect(execution.status).toBe('success');
			expect(sandbox().ledger().accepted).toBe(2);
			expect(new Set(told()).size).toBe(2);
		});

		test('reads of a task that takes too long', async () => {
			sandbox().durations.set({ image: null });
			const execution = await ask(version, impatient(), { prompt: PROMPT });
			const [bought] = sandbox().tasks.list();
			expect(execution.status).toBe('success');
			const items: unknown = JSON.parse(told()[0] ?? '');
			const error = expect.objectContaining({
				message: expect.stringContaining('after 1 second'),
				description: expect.any(String),
			});
			expect(items).toEqual([expect.objectContaining({ taskId: bought?.id, error })]);
		});

		test('Retry On Fail waits on for the task that was bought', async () => {
			sandbox().durations.set({ image: 2_500 });
			await ask(version, impatient(retry), { prompt: PROMPT });
			expect(sandbox().ledger().accepted).toBe(1);
			expect(told()).toEqual([expect.stringContaining('.png')]);
		});

		test('Retry On Fail does not send again what may have been bought', async () => {
			sandbox().faults.add({ match: SUBMISSION, effect: { type: 'reset', when: 'after' } });
			const execution = await ask(version, pictures({}, retry), { prompt: PROMPT });
			expect(sandbox().requests.list(SUBMISSION)).toHaveLength(1);
			const reasons = (execution.runs[TOOL] ?? []).map(({ error }) => error?.message);
			expect(reasons.at(-1)).toContain('may have been bought by an earlier attempt');
		});

		test('asking again for what took too long buys nothing twice', async () => {
			sandbox().durations.set({ image: null });
			await ask(version, impatient(), { prompt: PROMPT }, { prompt: PROMPT });
			expect(sandbox().ledger().accepted).toBe(1);
		});

		test('that keeps calling buys as many tasks as Max Tasks allows, and reads why there are no more', async () => {
			const limited = pictures({ waitMode: 'none', options: { maxTasks: 20 } });
			const five = [0, 1, 2, 3, 4];
			const turns = five.map((turn) =>
				five.map((call) => ({ prompt: `${PROMPT}, ${turn * 5 + call}` })),
			);
			const execution = await askInTurns(version, limited, turns);
			expect(execution.status).toBe('success');
			expect(sandbox().ledger().accepted).toBe(20);
			const refused = told().filter((result) => result.includes('Max Tasks'));
			expect([told().length, refused.length]).toEqual([25, 5]);
		});

		test('learns the balance', async () => {
			sandbox().setBalance(12_340);
			const balance = balanceTool(CREDENTIAL);
			const execution = await ask(version, balance, {});
			expect(execution.status).toBe('success');
			expect(givenToAgent(execution, balance.name)).toEqual([
				expect.objectContaining({ remainingCredits: 12_340 }),
			]);
			expect(execution.json('Agent')).toEqual([
				{ output: expect.stringContaining('"remaining":12.34') },
			]);
		});
	});
});
