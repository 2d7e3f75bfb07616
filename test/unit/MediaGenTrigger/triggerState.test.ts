import type { IDataObject } from 'n8n-workflow';

import { keyOf } from '../../../nodes/MediaGenTrigger/processedTasks';
import { type ProcessRole, TriggerState } from '../../../nodes/MediaGenTrigger/triggerState';
import { type Clock, setClock } from '../../../nodes/shared/util/clock';
import { jsonObject, toJson } from '../../../nodes/shared/util/json';
import { jumpingClock } from '../../engine/support/clocks';

/** Time passes as soon as somebody sleeps. */
const passing = jumpingClock();

/** Nobody wakes up: only the test moves the time. */
const standing: Clock = { ...passing, sleep: async () => await new Promise(() => undefined) };

beforeAll(() => setClock(passing));
afterAll(() => setClock(undefined));

const newProcess = (): ProcessRole => ({ runsExecutions: false, unconfirmed: 0 });

/** What n8n keeps for one node. Each write counts as one. */
function staticData() {
	let writes = 0;
	const data = new Proxy<Record<string, never>>({}, { set: () => (writes += 1) > 0 });
	return { getWorkflowStaticData: () => data, writes: () => writes };
}

describe('Where executions run in another process', () => {
	const trigger = new TriggerState(newProcess());
	const rules = { repeatInDoubt: true };
	const begin = async (key: string) => await trigger.begin(staticData(), key, rules);
	const stateOf = async (key: string) => await trigger.stateOf(staticData(), key, 24);

	test('a start is not certain for as long as nothing confirms it', async () => {
		await expect(begin('task')).resolves.toBe(false);
		await expect(stateOf('task')).resolves.toBe('starting');
	});

	test('a start is certain once the worker that runs it has stored it', async () => {
		// n8n gives each process the row as text.
		let row = '{}';
		const inRow = async (
			work: (context: { getWorkflowStaticData: () => IDataObject }) => unknown,
		) => {
			const data: IDataObject = toJson(jsonObject('is an object').parse(row));
			const result = await work({ getWorkflowStaticData: () => data });
			row = JSON.stringify(data);
			return result;
		};
		const worker = new TriggerState(newProcess());
		const key = keyOf('stored');
		await inRow((context) => void trigger.begin(context, key, rules));
		const payload = { key, startId: '1', storeForHours: 24 };
		expect(await inRow((context) => worker.confirm(context, payload))).toBe(true);
		expect(await inRow(async (context) => await trigger.stateOf(context, key, 24))).toBe('started');
	});

	test('a start is certain when this process still lives half a minute later', async () => {
		await expect(begin('another')).resolves.toBe(false);
		passing.advance(15_000);
		await expect(stateOf('another')).resolves.toBe('starting');
		passing.advance(15_001);
		await expect(stateOf('another')).resolves.toBe('started');
	});

	test('a start of that age is certain when any other task is asked for, so that it is stored with the next call', async () => {
		await begin('third');
		passing.advance(30_001);
		const data = staticData();
		await trigger.stateOf(data, 'some other', 24);
		expect(data.writes()).toBe(1);
		await expect(stateOf('third')).resolves.toBe('started');
	});

	test('a call waits for one second from the fourth start on', async () => {
		const before = passing.now();
		await expect(begin('fourth')).resolves.toBe(false);
		expect(passing.now() - before).toBeLessThan(2_000);
	});
});

describe('What is known is stored', () => {
	beforeAll(() => setClock(standing));
	afterAll(() => setClock(passing));

	/** Begins a start, and returns how often it was stored by then. */
	function begin(trigger: TriggerState, key: string, repeatInDoubt = true): number {
		const data = staticData();
		void trigger.begin(data, key, { repeatInDoubt });
		return data.writes();
	}

	function confirm(trigger: TriggerState, key: string): number {
		const data = staticData();
		expect(trigger.confirm(data, { key, startId: '1' })).toBe(true);
		return data.writes();
	}

	test('by every call, as long as no execution has run in this process', () => {
		const trigger = new TriggerState(newProcess());
		expect([begin(trigger, 'one'), begin(trigger, 'two')]).toEqual([1, 1]);
	});

	test('by each execution and by no call, where executions run in this process', () => {
		const trigger = new TriggerState({ runsExecutions: true, unconfirmed: 0 });
		expect([
			begin(trigger, 'one'),
			begin(trigger, 'two'),
			confirm(trigger, 'one'),
			confirm(trigger, 'two'),
		]).toEqual([0, 0, 1, 1]);
	});

	test('by every call, if a start in doubt is not repeated', () => {
		const trigger = new TriggerState({ runsExecutions: true, unconfirmed: 0 });
		expect([begin(trigger, 'one', false), begin(trigger, 'two', false)]).toEqual([1, 1]);
	});
});

describe('An execution that starts', () => {
	const newTrigger = () => new TriggerState(newProcess());

	const begin = async (trigger: TriggerState) =>
		await trigger.begin(staticData(), 'task', { repeatInDoubt: true });

	const stateOf = async (trigger: TriggerState, key: string) =>
		await trigger.stateOf(staticData(), key, 24);

	/** What an execution learns: only a start that this process began is stored at once. */
	function confirm(trigger: TriggerState, startId: string): 'known' | 'repeated' | 'unknown' {
		const data = staticData();
		if (!trigger.confirm(data, { key: 'task', startId })) return 'repeated';
		return data.writes() > 0 ? 'known' : 'unknown';
	}

	test('confirms the start that a call waits for', async () => {
		const trigger = newTrigger();
		const call = begin(trigger);
		expect(confirm(trigger, '1')).toBe('known');
		expect(trigger.runsExecutions).toBe(true);
		await expect(call).resolves.toBe(true);
		expect(await stateOf(trigger, 'task')).toBe('started');
	});

	test.each([
		[0, 0],
		[2, 0],
		[0, 2],
	])(
		'is told of another one, too, where %i hours passed before the first and %i after it: n8n had them in its queue',
		async (before, after) => {
			const trigger = newTrigger();
			if (before > 0) await begin(trigger);
			passing.advance(before * 3_600_000);
			await stateOf(trigger, 'other');
			expect(confirm(trigger, '1')).toBe('unknown');
			passing.advance(after * 3_600_000);
			expect(['2', '1'].map((id) => confirm(trigger, id))).toEqual(['repeated', 'unknown']);
		},
	);

	test('is told if another execution of the same task has started, and not if it runs again itself', async () => {
		const trigger = newTrigger();
		await begin(trigger);
		const second = begin(trigger);
		expect(['1', '2', '1'].map((id) => confirm(trigger, id))).toEqual([
			'known',
			'repeated',
			'unknown',
		]);
		await expect(second).resolves.toBe(true);
	});
});
