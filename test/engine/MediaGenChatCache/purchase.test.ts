import type { IDataObject } from 'n8n-workflow';
import { z } from 'zod/v3';

import { clock } from '../../../nodes/shared/util/clock';
import type { FaultRuleInput } from '../../../sandbox/service';
import {
	blocks,
	CHAT_OPERATIONS,
	CHAT_PATHS,
	chatNode,
	type ChatRunOptions,
	document,
	questions,
	useChatSandbox,
} from '../support/chat';
import { cancelWhen, until, useShortRequestLimit } from '../support/clocks';
import { log, ok } from '../support/engine';
import { errorOutput, goOn, retryOnFail } from '../support/settings';

const service = useChatSandbox();

const cachedBlocks = blocks({ text: document('pump', 1_500) });

const retry = { settings: { ...retryOnFail.settings, maxTries: 3 } };

const body = z.object({
	messages: z.array(z.object({ content: z.array(z.object({ text: z.string() })) })),
});

/** How often each question was sent. */
function timesSent(): Record<string, number> {
	const times: Record<string, number> = {};
	for (const request of service.requests()) {
		const question = body.parse(request.body).messages.at(-1)?.content.at(-1)?.text ?? '';
		times[question] = (times[question] ?? 0) + 1;
	}
	return times;
}

/** Whether the answer wrote something to the cache. */
const isWrite = ({ usage }: IDataObject) =>
	typeof usage === 'object' && usage !== null && 'cacheWrite' in usage && usage.cacheWrite !== 0;

const three = questions('One?', 'Two?', 'Three?');
const four = questions('One?', 'Two?', 'Three?', 'Four?');
/** Whether a question met the fault that a test has set. */
const isSlow = () => service.requests().some((request) => request.fault !== null);

const ten = questions(...Array.from({ length: 10 }, (_, at) => `Question ${at}?`));

describe.each(CHAT_OPERATIONS)('%s', (operation) => {
	const node = () => chatNode(operation, service.credential);
	/** Runs a new node with the cached block and these options. */
	const ask = async (options: object = {}, run: ChatRunOptions = {}) =>
		await node().run({ parameters: { cachedBlocks, options }, ...run });
	const match = { path: CHAT_PATHS[operation] };
	const fault = (effect: FaultRuleInput['effect'], rule: Partial<FaultRuleInput> = {}) =>
		service.sandbox.faults.add({ match, effect, ...rule });
	const one = { concurrency: 1 };
	const eachOnce = { 'One?': 1, 'Two?': 1, 'Three?': 1, 'Four?': 1 };

	/** Asks three questions, of which the second gets no answer. */
	const failSecond = async (run: ChatRunOptions, options: object = {}) => {
		fault({ type: 'status', status: 500 }, { nth: 2 });
		return await ask({ ...one, ...options }, { items: three, ...run });
	};

	test('a rate limit is waited for, and the answer comes once', async () => {
		fault({ type: 'status', status: 429, retryAfter: 1 }, { count: 2 });
		const { json } = ok(await ask());
		expect(json[0]).toMatchObject({ usage: { cacheHit: false } });
		expect(service.requests()).toHaveLength(3);
	});

	async function expectSentOnce(effect: FaultRuleInput['effect'], message: string): Promise<void> {
		fault(effect, { count: null });
		const { error } = await ask({ timeout: 20 });
		expect(error?.message).toContain(message);
		expect(error?.description).toContain('The answer may have been bought anyway');
		expect(timesSent()).toEqual({ 'Why?': 1 });
		const { error: afterRetry } = await ask({ timeout: 20 }, retry);
		expect(afterRetry?.message).toContain('may have been bought');
		expect(afterRetry?.description).toContain(
			'set "If It May Have Been Bought" in the options to "Send Again"',
		);
		expect(timesSent()).toEqual({ 'Why?': 2 });
	}

	test.each([
		['a 500', { type: 'status', status: 500 }, 'Server error (HTTP 500)'],
		['a 502', { type: 'status', status: 502 }, 'Bad gateway (HTTP 502)'],
		['a reset', { type: 'reset', when: 'after' }, 'The connection to the service was lost'],
		['a broken answer', { type: 'malformedJson' }, 'The response could not be read'],
	] as const)(
		'%s: not sent again, by "Retry On Fail" neither: it may have been paid for',
		async (_, effect, message) => await expectSentOnce(effect, message),
	);

	test('under a rate limit that does not end, the questions are not asked one by one', async () => {
		fault({ type: 'status', status: 429 }, { count: null });
		const began = clock.now();
		const { json } = await ask({ concurrency: 10, timeout: 70 }, { items: ten, ...goOn });
		expect(json.filter((item) => 'error' in item)).toHaveLength(10);
		expect(clock.now() - began).toBeLessThan(5 * 70_000);
	});

	describe('no answer', () => {
		// Longer than the answers take below, also on a busy machine.
		useShortRequestLimit(3_000);

		test('not sent again, by "Retry On Fail" neither: it may have been paid for', async () =>
			await expectSentOnce({ type: 'hang' }, 'The request timed out'));

		test('after two questions without one, the others are not asked one by one', async () => {
			service.sandbox.settings.set({ chatLatency: 3_000 });
			fault({ type: 'hang' }, { count: 2 });
			const { json } = await ask({ concurrency: 10, timeout: 20 }, { items: ten, ...goOn });
			expect(json.filter((item) => 'error' in item)).toHaveLength(2);
			expect(json.filter(isWrite)).toHaveLength(8);
		});
	});

	test('with "Continue" each item has its answer or its error, in order, paired with its item', async () => {
		const { json, items, hints } = await failSecond(goOn);
		expect(json).toEqual([
			expect.objectContaining({ text: expect.any(String) }),
			{
				error: expect.objectContaining({
					message: expect.stringContaining('HTTP 500'),
					description: expect.any(String),
					httpStatus: 500,
				}),
			},
			expect.objectContaining({ text: expect.any(String) }),
		]);
		expect(items.map(({ pairedItem }) => pairedItem)).toStrictEqual(
			[0, 1, 2].map((item) => ({ item })),
		);
		expect(hints[0]).toMatchObject({
			type: 'warning',
			message: expect.stringContaining('2 answers, 1 item without an answer'),
		});
	});

	test('with an error output, items without an answer go there', async () => {
		const { outputs } = await failSecond(errorOutput);
		expect(outputs.map((output) => output.length)).toStrictEqual([2, 1]);
		expect(outputs[1]?.[0]?.json).toMatchObject({
			error: { message: expect.stringContaining('HTTP 500'), description: expect.any(String) },
			message: expect.stringContaining('HTTP 500'),
		});
	});

	test.each([1, 2])('when %d get a 500, the next runs alone: still one write', async (failing) => {
		service.sandbox.settings.set({ chatLatency: 3_000 });
		fault({ type: 'status', status: 500 }, { count: failing });
		const { json } = await ask({ concurrency: 10 }, { items: ten, ...goOn });
		expect(json.filter((item) => 'error' in item)).toHaveLength(failing);
		expect(json.filter(isWrite)).toHaveLength(1);
	});

	test('an unknown key stops the run after the first request, and never shows', async () => {
		const apiKey = 'a-key-nobody-knows';
		const credential = { ...service.credential(), apiKey };
		const { error, run } = await ask({}, { items: ten, credential });
		expect(error?.message).toContain('Authentication failed');
		expect(error?.httpCode).toBe('401');
		expect(service.requests()).toHaveLength(1);
		expect(JSON.stringify(run)).not.toContain(apiKey);
	});

	test('a canceled execution ends at once, sends no further question, and names each answer in the log', async () => {
		fault({ type: 'slow', ms: 1_800_000 }, { nth: 2 });
		const { error } = await ask(one, { items: ten, onStart: cancelWhen(isSlow) });
		expect(error?.message).toBe(
			'The execution was canceled [row 2 (item 1)] (9 of 10 items have no result)',
		);
		const answers = (words: string) =>
			log.filter((line) => line.includes(`question answered with`) && line.includes(words));
		expect(answers('row 1 (item 0)')).toHaveLength(1);
		await service.pass(60);
		await until(() => answers('row 2 (item 1)').length > 0);
		expect(answers('after the execution was canceled')).toEqual([
			expect.stringContaining('Sample answer to: Question 1?'),
		]);
		expect(service.requests()).toHaveLength(2);
	});

	test('what a canceled execution wrote to the cache is known to the next one', async () => {
		fault({ type: 'slow', ms: 1_800_000 }, { nth: 1 });
		const canceled = node();
		const onStart = cancelWhen(() => service.requests().length > 0);
		await canceled.run({ parameters: { cachedBlocks }, onStart });
		expect(canceled.stored()).toContain('mediaGenPrefixes');
	});

	test('"Retry On Fail" runs on in a canceled execution, and names each answer once', async () => {
		fault({ type: 'slow', ms: 1_800_000 }, { nth: 2 });
		await ask(one, { items: ten, ...retry, onStart: cancelWhen(isSlow) });
		expect(log.filter((line) => line.includes('question answered with'))).toHaveLength(1);
		expect(service.requests()).toHaveLength(2);
	});

	test.each([
		['first', 1],
		['third', 3],
	])('"Continue" with "Retry On Fail", the %s of four fails: each is sent once', async (_, nth) => {
		fault({ type: 'status', status: 500 }, { nth });
		const settings = { ...retry.settings, ...goOn.settings };
		const { json } = await ask(one, { items: four, settings });
		expect(timesSent()).toEqual(eachOnce);
		expect(json.map((item) => ('error' in item ? 'error' : typeof item.text))).toEqual(
			[1, 2, 3, 4].map((at) => (at === nth ? 'error' : 'string')),
		);
	});

	test('"Retry On Fail": four items of which one fails, and no item is asked again', async () => {
		fault({ type: 'reset', when: 'after' }, { nth: 2 });
		const { error } = await ask(one, { items: four, ...retry });
		expect(timesSent()).toEqual(eachOnce);
		expect(error?.message).toContain('(1 of 4 items have no result)');
	});

	test('with "Send Again" the next attempt sends an uncertain question again, and only that one', async () => {
		const { json } = ok(await failSecond(retry, { whenUnsure: 'sendAgain' }));
		expect(json).toHaveLength(3);
		expect(timesSent()).toEqual({ 'One?': 1, 'Two?': 2, 'Three?': 1 });
	});

	test('a question that the service refused is sent again by "Retry On Fail"', async () => {
		fault({ type: 'status', status: 400 });
		const { json } = ok(await ask({}, retry));
		expect(json[0]).toMatchObject({ text: expect.any(String) });
		expect(timesSent()).toEqual({ 'Why?': 2 });
	});
});
