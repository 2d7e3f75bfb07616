import {
	blocks,
	CHAT_OPERATIONS,
	CHAT_PATHS,
	chatNode,
	document,
	questions,
	useChatSandbox,
} from '../support/chat';
import { until } from '../support/clocks';

const service = useChatSandbox();

/** At this phrase the sandbox's model refuses. */
const REFUSED = 'sandbox:refuse';

type Operation = (typeof CHAT_OPERATIONS)[number];

type Figure = 'inputTotal' | 'inputUncached' | 'cacheRead' | 'output' | 'cacheWrite';

interface Seen {
	usage: Record<Figure | 'cacheWrite5m' | 'cacheWrite1h', number>;
	warnings: string[];
}

/** Asks as a workflow would. Returns what comes out for each question. */
function asker(operation: Operation) {
	const node = chatNode(operation, service.credential);
	return async (cachedBlocks: object, ...asked: string[]): Promise<Seen[]> => {
		const { json, error } = await node.run({
			items: questions(...(asked.length > 0 ? asked : ['Why?'])),
			parameters: { cachedBlocks },
		});
		expect(error).toBeUndefined();
		return json as unknown as Seen[];
	};
}

const one = async (seen: Promise<Seen[]>) => {
	const [first] = await seen;
	if (!first) throw new Error('There is no answer');
	return first;
};

const pump = document('pump');

describe.each(CHAT_OPERATIONS)('%s', (operation) => {
	let ask: ReturnType<typeof asker>;
	beforeEach(() => (ask = asker(operation)));

	test('rule 6: in one run, when the first item is refused, the next one runs alone: the rest read', async () => {
		service.sandbox.settings.set({ chatLatency: 3_000 });
		const seen = await ask(blocks({ text: pump }), REFUSED, 'One?', 'Two?', 'Three?');
		expect(seen.map(({ usage }) => usage.cacheWrite > 0)).toEqual([true, true, false, false]);
	});

	test('rule 8: the first request writes and reads nothing, the same again reads and writes nothing', async () => {
		const first = await one(ask(blocks({ text: pump })));
		const second = await one(ask(blocks({ text: pump })));
		expect(first.usage).toMatchObject({ cacheRead: 0, cacheHit: false });
		expect(first.usage.cacheWrite).toBeGreaterThan(4_000);
		expect(second.usage).toMatchObject({
			cacheWrite: 0,
			cacheRead: first.usage.cacheWrite,
			cacheHit: true,
		});
		expect(second.usage.inputTotal).toBe(first.usage.inputTotal);
		expect(second.warnings).toEqual([]);
	});

	test('with "Warm Cache First" off, two items in parallel with the same cold prefix pay for two writes', async () => {
		service.sandbox.settings.set({ chatLatency: 5_000 });
		const { json } = await chatNode(operation, service.credential).run({
			items: questions('One?', 'Two?'),
			parameters: {
				cachedBlocks: blocks({ text: document('oven') }),
				options: { warmCacheFirst: false, concurrency: 2 },
			},
		});
		const usages = (json as unknown as Seen[]).map(({ usage }) => usage);
		expect(usages.filter(({ cacheWrite }) => cacheWrite > 0)).toHaveLength(2);
	});

	test('what an earlier attempt wrote may have expired: of the rest, one request writes it again before the others', async () => {
		const fails = { type: 'status', status: 400 } as const;
		service.sandbox.settings.set({ chatLatency: 1_000 });
		const run = chatNode(operation, service.credential).run({
			items: questions('One?', 'Two?', 'Three?', 'Four?'),
			parameters: {
				cachedBlocks: blocks({ text: document('kettle') }),
				prompt: '={{ $json.question + " " + $now.toMillis() }}',
				options: { concurrency: 3 },
			},
			settings: { retryOnFail: true, maxTries: 2, waitBetweenTries: 500 },
		});
		await until(() => service.requests().length === 1);
		service.sandbox.faults.add({ match: { method: 'POST' }, count: 3, effect: fails });
		await until(() => service.requests().length === 4);
		await service.pass(6);
		const { json } = await run;
		const [first, ...rest] = json as unknown as Seen[];
		expect(rest.filter(({ usage }) => usage.cacheWrite > 0)).toHaveLength(1);
		expect(first?.warnings).toContainEqual(
			expect.stringContaining('This is the answer that an earlier attempt bought'),
		);
	});

	test('ten questions over one document in one run: one write, nine reads, and a hint with the input that is billed', async () => {
		const { json, error, hints } = await chatNode(operation, service.credential).run({
			items: questions(
				...Array.from({ length: 10 }, (_, at) => `What does chapter ${at} say of the filter?`),
			),
			parameters: { cachedBlocks: blocks({ text: pump, ttl: '1h' }), options: { concurrency: 10 } },
		});
		expect(error).toBeUndefined();
		const usages = (json as unknown as Seen[]).map(({ usage }) => usage);
		expect(usages.filter(({ cacheWrite }) => cacheWrite > 0)).toHaveLength(1);
		expect(usages.filter(({ cacheRead }) => cacheRead > 0)).toHaveLength(9);

		const { totals } = service.sandbox.chat.bill();
		expect(hints[0]?.message).toContain(
			`10 answers, ${totals.input.toLocaleString('en-US')} input tokens`,
		);
	});

	test('rule 9: write, read and plain input do not overlap, and are what the service bills', async () => {
		const both = blocks({ text: pump }, { text: document('lamp', 2_000), ttl: '1h' });
		await ask(blocks({ text: pump }));
		const { usage } = await one(ask(both));
		expect(Math.min(usage.cacheRead, usage.cacheWrite1h, usage.inputUncached)).toBeGreaterThan(0);
		expect(usage.inputUncached + usage.cacheRead + usage.cacheWrite).toBe(usage.inputTotal);
		expect(service.sandbox.chat.bill().requests.at(-1)).toMatchObject({
			plain: usage.inputUncached,
			read: usage.cacheRead,
			written5m: usage.cacheWrite5m,
			written1h: usage.cacheWrite1h,
			output: usage.output,
		});
	});

	test('where the service does not tell for how long it wrote, the parts still sum to its bill', async () => {
		service.sandbox.settings.set({ cacheTtlBreakdown: false });
		const { usage } = await one(ask(blocks({ text: pump })));
		const { totals } = service.sandbox.chat.bill();
		expect(usage).toMatchObject({
			cacheWrite: totals.written5m,
			cacheWrite5m: null,
			cacheWrite1h: null,
		});
		expect(usage.inputUncached).toBe(totals.plain);
		expect(usage.inputTotal).toBe(totals.input);
	});

	test('items with different prefixes do not wait for one another', async () => {
		service.sandbox.faults.add({
			match: { path: CHAT_PATHS[operation] },
			count: null,
			effect: { type: 'slow', ms: 1_800_000 },
		});
		const running = chatNode(operation, service.credential).run({
			items: ['oven', 'lamp', 'door'].map((subject) => ({
				json: { question: 'Why?', text: document(subject) },
			})),
			parameters: { cachedBlocks: blocks({ text: '={{ $json.text }}' }) },
		});
		await until(() => service.requests().filter((request) => request.fault !== null).length === 3);
		await service.pass(60);
		expect((await running).json).toHaveLength(3);
	});
});
