import { type TriggerMemory, triggerMemory } from '../../../nodes/MediaGenTrigger/triggerMemory';
import { setClock } from '../../../nodes/shared/util/clock';

let now = Date.UTC(2026, 0, 1);

beforeAll(() => {
	setClock({
		now: () => now,
		sleep: async (ms) => {
			now += ms;
			await new Promise((resolve) => setImmediate(resolve));
		},
		toHostMs: (ms) => ms,
	});
});
afterAll(() => setClock(undefined));

describe('Where executions run in another process', () => {
	const memory = triggerMemory('workflow', 'trigger of a queue');

	test('a start is not certain for as long as no sign of it comes', async () => {
		await expect(memory.starting('task')).resolves.toBe(false);
		await expect(memory.settled('task')).resolves.toBe(false);
	});

	test('a start is certain once a worker has stored it', async () => {
		memory.seen.note('task', 'started', now);
		await expect(memory.settled('task')).resolves.toBe(true);
	});

	test('a start is certain when this process still lives half a minute later', async () => {
		await expect(memory.starting('another')).resolves.toBe(false);
		now += 15_000;
		await expect(memory.settled('another')).resolves.toBe(false);
		now += 15_001;
		await expect(memory.settled('another')).resolves.toBe(true);
		expect(memory.seen.stateOf('another')).toBe('started');
	});

	test('a start of that age is certain when any other task is asked for, so that it is stored with the next call', async () => {
		await memory.starting('third');
		now += 30_001;
		await memory.settled('somebody');
		expect(memory.seen.stateOf('third')).toBe('started');
	});
});

describe('What is known is stored', () => {
	const due = (memory: TriggerMemory) => [memory.isDueToStore('call'), memory.isDueToStore('execution')];

	test('by every call and every execution, as long as no execution has been seen to run in this process', () => {
		const memory = triggerMemory('workflow', 'node of a queue');
		void memory.starting('one');
		expect([due(memory), due(memory)]).toEqual([[true, true], [true, true]]);
	});

	test('every tenth of a second while others are about to start, and each time after the last', async () => {
		const memory = triggerMemory('workflow', 'node');
		const starts = [memory.starting('one'), memory.starting('two')];
		expect(memory.confirm('one')).toBe(true);
		expect([due(memory), due(memory)]).toEqual([[true, true], [false, false]]);
		now += 99;
		expect(due(memory)).toEqual([false, false]);
		now += 1;
		expect(due(memory)).toEqual([true, true]);
		expect(memory.confirm('two')).toBe(true);
		expect([due(memory), due(memory)]).toEqual([[true, true], [true, true]]);
		await expect(Promise.all(starts)).resolves.toEqual([true, true]);
	});
});

test('Calls for one task come one after the other, those for another one do not wait', async () => {
	const memory = triggerMemory('workflow', 'another node');
	const order: string[] = [];
	let release = (): void => undefined;
	const held = new Promise<void>((resolve) => (release = resolve));
	const first = memory.inTurn('a', async () => {
		await held;
		order.push('a1');
	});
	const second = memory.inTurn('a', async () => await Promise.resolve(order.push('a2')));
	await memory.inTurn('b', async () => await Promise.resolve(order.push('b')));
	release();
	await Promise.all([first, second]);
	expect(order).toEqual(['b', 'a1', 'a2']);
});
