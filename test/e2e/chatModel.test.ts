import axios from 'axios';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { z } from 'zod/v3';

import type { Execution, HostVersion } from '../../sandbox/host';
import { promptBlocks } from '../support/promptBlocks';
import { listenWith } from './support/executions';
import { describeOnHosts } from './support/hosts';
import { readUntil } from './support/poll';
import { useSandbox } from './support/sandbox';
import {
	haveTalk,
	inputCost,
	QUESTIONS,
	readShare,
	REQUESTS,
	STYLE_GUIDE,
	type Style,
	talkWorkflow,
} from './support/talks';

const PATHS = { messages: '/v1/messages', completions: '/v1/chat/completions' };

const CREDENTIAL = 'Chat Model';

const given = { credential: CREDENTIAL };

/** A talk has 15 requests and five pictures. */
const TALK_MS = 300_000;

jest.setTimeout(2 * TALK_MS);

/** n8n 1.123 has no SDK for AI nodes. */
const hasSdk = (version: HostVersion) => version !== '1.123';

const logEntry = z.object({
	tokenUsage: z.object({
		promptTokens: z.number(),
		completionTokens: z.number(),
		cacheRead: z.number(),
		cacheWrite: z.number(),
		cost: z.number().optional(),
	}),
});

/** What the log of an execution says of the model's answers. */
const logOf = (execution: Execution | undefined) =>
	(execution?.runs.Model ?? [])
		.flatMap(({ data }) => data?.ai_languageModel?.flat() ?? [])
		.flatMap((item) => item ?? [])
		.map(({ json }) => logEntry.parse(json).tokenUsage);

describeOnHosts('MediaGen Chat Model', (host, version) => {
	// Strict: it refuses markers without an effect, and talks that do not fit together.
	const sandbox = useSandbox(host, CREDENTIAL, { strict: true, durations: { image: 500 } });

	const talk = async (style: Style, caching: 'off' | '5m', streams = false, options = {}) =>
		await haveTalk(host(), sandbox(), { ...given, style, caching, streams, options });

	/** Asks one question, with what the model says to it prepared before. */
	async function ask(
		options: { streams?: boolean; options?: object; style?: Style; agentVersion?: number } = {},
	) {
		const { id: workflowId, url } = await listenWith(
			host(),
			talkWorkflow({ ...given, style: 'messages', caching: '5m', ...options }),
		);
		const asked = new AbortController();
		const answer = axios.post<string>(
			url,
			{ question: 'How deep is the sea?', session: workflowId },
			{ proxy: false, responseType: 'text', validateStatus: () => true, signal: asked.signal },
		);
		const execution = async () => {
			const [latest] = await host().executions({ workflowId });
			if (!latest) throw new Error('There is no execution');
			return await host().waitFor(latest.id, { timeout: 120_000 });
		};
		return { answer, leave: () => asked.abort(), execution, workflowId };
	}

	/** The error with which an answer to such a question ends. */
	async function errorOf(options: Parameters<typeof ask>[0]) {
		const { answer, execution } = await ask(options);
		await answer;
		const { status, error } = await execution();
		expect(status).toBe('error');
		return error;
	}

	if (!hasSdk(version)) {
		test('says which n8n it needs, and asks nothing', async () => {
			const error = await errorOf({ agentVersion: 3 });
			expect(error?.message).toContain('needs n8n 2.30 or newer');
			expect(error?.description).toContain('OpenAI Chat Model');
			expect(sandbox().requests.list()).toEqual([]);
		});
		return;
	}

	test('has a system prompt of 3,000 tokens to cache', () => {
		expect(countTokens(STYLE_GUIDE)).toBeGreaterThan(2_900);
		expect(countTokens(STYLE_GUIDE)).toBeLessThan(3_100);
	});

	describe.each(['messages', 'completions'] as const)('in %s style', (style) => {
		test.each([
			['at once', false],
			['streamed', true],
		])(
			'ten turns, %s, are read from the cache, at less than a third of the price of their input',
			async (how, streams) => {
				const executions = await talk(style, '5m', streams, { priceInput: 3 });
				expect(executions.map(({ status }) => status)).toStrictEqual(
					QUESTIONS.map(() => 'success'),
				);
				const { requests } = sandbox().chat.bill();
				expect(requests).toHaveLength(REQUESTS.all);
				expect(sandbox().ledger().accepted).toBe(5);
				expect(readShare(requests.slice(REQUESTS.firstTurn))).toBeGreaterThanOrEqual(0.85);
				const log = executions.flatMap(logOf);
				expect(log.map(({ cacheRead, cacheWrite }) => [cacheRead, cacheWrite])).toEqual(
					requests.map(({ read, written5m }) => [read, written5m]),
				);
				expect(log.map(({ completionTokens }) => completionTokens)).toStrictEqual(
					requests.map(({ output }) => output),
				);

				sandbox().reset();
				await talk(style, 'off', streams);
				const off = sandbox().chat.bill().requests;
				expect(off).toHaveLength(REQUESTS.all);
				expect(readShare(off)).toBe(0);
				const share = inputCost(requests) / inputCost(off);
				// docs/chat-model.md has these figures.
				console.log(
					`${style}, ${how}: ${(readShare(requests.slice(REQUESTS.firstTurn)) * 100).toFixed(1)}% read from the cache, input for ${Math.round(inputCost(requests))} instead of ${Math.round(inputCost(off))} plain tokens`,
				);
				expect(share).toBeLessThanOrEqual(0.3);
			},
		);

		test('a request has the bytes of the one before, until the memory drops a turn', async () => {
			await talk(style, '5m');
			const prompts = sandbox()
				.requests.list({ path: PATHS[style] })
				.map(({ body }) => promptBlocks(body));
			expect(prompts).toHaveLength(REQUESTS.all);
			// The default window holds ten messages: at the fourth turn the first ones are gone.
			const whole = prompts.slice(0, 5);
			for (const [at, blocks] of whole.entries())
				expect(blocks.slice(0, whole[at - 1]?.length ?? 0)).toEqual(whole[at - 1] ?? []);
			const constant = (blocks: string[]) =>
				blocks.filter((block) => /^\["(tools|system)"/.test(block));
			for (const blocks of prompts) expect(constant(blocks)).toEqual(constant(whole[0] ?? []));
			expect(constant(whole[0] ?? [])).toHaveLength(3);
		});

		test('a stream that is cut in the middle is an error that names what was bought', async () => {
			sandbox().chat.script({ text: 'The sea is about four thousand meters deep in most places.' });
			sandbox().faults.add({ match: { path: PATHS[style] }, effect: { type: 'cutBody' } });
			const error = await errorOf({ style, streams: true });
			expect(error?.message).toMatch(/The answer broke off after \d words/);
			expect(error?.description).toContain('The sea is about');
			expect(sandbox().requests.list({ path: PATHS[style] })).toHaveLength(1);
		});

		test('stopping the execution in the middle of a stream ends the request', async () => {
			sandbox().settings.set({ chatPieceDelay: 500 });
			sandbox().chat.script({ text: 'word '.repeat(600) });
			const { answer, leave, execution, workflowId } = await ask({ style, streams: true });
			const requests = () => sandbox().requests.list({ path: PATHS[style] });
			expect(await readUntil(() => sandbox().chat.bill().requests.length, 1, 60_000)).toBe(1);
			const [running] = await host().executions({ workflowId });
			await host().stopExecution(running?.id ?? '');
			// The stream would take five minutes.
			const outcomes = () => requests().map(({ outcome }) => outcome);
			expect(await readUntil(outcomes, ['cut'], 60_000)).toEqual(['cut']);
			expect((await execution()).status).toBe('canceled');
			// n8n leaves the one who asked without an end.
			leave();
			await answer.catch(() => undefined);
		});
	});

	test('the cost of an answer is in its log, and in the tracing of n8n', async () => {
		const options = {
			priceInput: 3,
			priceCacheRead: 0.3,
			priceCacheWrite5m: 3.75,
			priceOutput: 15,
			reference: 'row 7',
		};
		const { answer, execution } = await ask({ options });
		await answer;
		const done = await execution();
		const [bill] = sandbox().chat.bill().requests;
		const [entry] = logOf(done);
		expect(entry?.cost).toBeCloseTo((bill?.credits ?? 0) / 1_000, 5);
		const kept = await host().api.call(z.unknown(), { url: `/rest/executions/${done.id}` });
		expect(JSON.stringify(kept)).toContain('llm.cost.total');
		expect(JSON.stringify(kept)).toContain('row 7');
	});
});
