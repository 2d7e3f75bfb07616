import { z } from 'zod/v3';

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
import { useShortRequestLimit } from '../support/clocks';
import { goOn, retryOnFail } from '../support/settings';

const service = useChatSandbox();

const cachedBlocks = blocks({ text: document('pump', 1_500) });

const retry = { ...retryOnFail.settings, maxTries: 3 };

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

describe.each(CHAT_OPERATIONS)('%s', (operation) => {
	const ask = async (
		list: string[],
		options: object,
		settings: ChatRunOptions['settings'] = retry,
	) =>
		await chatNode(operation, service.credential).run({
			items: questions(...list),
			parameters: { cachedBlocks, options },
			settings,
		});
	const one = { concurrency: 1 };
	const four = ['One?', 'Two?', 'Three?', 'Four?'];
	const eachOnce = { 'One?': 1, 'Two?': 1, 'Three?': 1, 'Four?': 1 };
	const match = { path: CHAT_PATHS[operation] };

	async function expectSentOnce(effect: FaultRuleInput['effect']): Promise<void> {
		service.sandbox.faults.add({ match, count: null, effect });
		const { error } = await ask(['Why?'], { timeout: 20 });
		expect(timesSent()).toEqual({ 'Why?': 1 });
		expect(error?.message).toContain('may have been bought');
		expect(error?.description).toContain(
			'set "If It May Have Been Bought" in the options to "Send Again"',
		);
	}

	test.each([
		['a 500', { type: 'status', status: 500 }],
		['a reset', { type: 'reset', when: 'after' }],
	] as const)('"Retry On Fail" and %s: sent once, the error says what to do', async (_, effect) => {
		await expectSentOnce(effect);
	});

	describe('without any answer', () => {
		useShortRequestLimit();

		test('"Retry On Fail" sends the question once, and the error says what to do', async () =>
			await expectSentOnce({ type: 'hang' }));
	});

	test.each([
		['first', 1],
		['third', 3],
	])('"Continue" with "Retry On Fail", the %s of four fails: each is sent once', async (_, nth) => {
		service.sandbox.faults.add({ match, nth, effect: { type: 'status', status: 500 } });
		const { json } = await ask(four, one, { ...retry, ...goOn.settings });
		expect(timesSent()).toEqual(eachOnce);
		expect(json.map((item) => ('error' in item ? 'error' : typeof item.text))).toEqual(
			[1, 2, 3, 4].map((at) => (at === nth ? 'error' : 'string')),
		);
	});

	test('"Retry On Fail": four items of which one fails, and no item is asked again', async () => {
		service.sandbox.faults.add({ match, nth: 2, effect: { type: 'reset', when: 'after' } });
		const { error } = await ask(four, one);
		expect(timesSent()).toEqual(eachOnce);
		expect(error?.message).toContain('(1 of 4 items have no result)');
	});

	test('with "Send Again" the next attempt sends an uncertain question again, and only that one', async () => {
		service.sandbox.faults.add({ match, nth: 2, effect: { type: 'status', status: 500 } });
		const options = { ...one, whenUnsure: 'sendAgain' };
		const { json, error } = await ask(['One?', 'Two?', 'Three?'], options);
		expect(error).toBeUndefined();
		expect(json).toHaveLength(3);
		expect(timesSent()).toEqual({ 'One?': 1, 'Two?': 2, 'Three?': 1 });
	});

	test('a question that the service refused is sent again by "Retry On Fail"', async () => {
		service.sandbox.faults.add({ match, count: 1, effect: { type: 'status', status: 400 } });
		const { json, error } = await ask(['Why?'], {});
		expect(error).toBeUndefined();
		expect(json[0]).toMatchObject({ text: expect.any(String) });
		expect(timesSent()).toEqual({ 'Why?': 2 });
	});
});
