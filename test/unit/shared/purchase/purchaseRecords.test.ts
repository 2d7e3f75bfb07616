import type { IDataObject } from 'n8n-workflow';

import { type Purchase, PurchaseRecords } from '../../../../nodes/shared/purchase/purchaseRecords';
import { recordsContext } from '../../../engine/support/recordsContext';

const fox: Purchase = {
	itemIndex: 0,
	operation: 'grid.variation',
	path: '/v1/variation',
	body: { prompt: 'a fox' },
};
const owl: Purchase = { ...fox, body: { prompt: 'an owl' } };

const TASK_1 = { state: 'accepted', taskId: 'task_1' } as const;
const TASK_2 = { state: 'accepted', taskId: 'task_2' } as const;

/** What n8n keeps with the execution. It survives as JSON only. */
let kept: IDataObject;

const open = (run: Parameters<typeof recordsContext>[1] = {}) =>
	new PurchaseRecords(recordsContext(kept, run));

/** A run that ends after `work`. */
function runOnce(work: (records: PurchaseRecords) => void): void {
	const records = open();
	work(records);
	records.close();
}

beforeEach(() => {
	kept = {};
});

describe('Whether the input is what this run has put out before', () => {
	const ledBack = { taskId: 'task_1', error: { recordKey: 'key.7.0' } };

	test.each<[string, NonNullable<Parameters<typeof recordsContext>[1]>, boolean]>([
		['a task that it bought', { input: [{}, { taskId: 'task_1' }] }, true],
		['another task', { input: [{ taskId: 'task_0' }] }, false],
		['an item that still waits', { input: [{ taskId: 'task_1', recordKey: 'key.0.0' }] }, true],
		['an item without a result', { input: [{ error: { taskId: 'task_1' } }] }, true],
		['an item that was led back to the node', { input: [ledBack] }, false],
		['a task of an earlier round', { input: [{ taskId: 'task_1' }], runIndex: 1 }, false],
		['an agent', { input: [{ taskId: 'task_1' }], tool: true }, false],
	])('%s', (_, run, expected) => {
		runOnce((records) => records.mark(fox, TASK_1));
		expect(open(run).isOwnOutput()).toBe(expected);
	});

	test('nothing was bought yet', () => {
		expect(open({ input: [{ taskId: 'task_1' }, {}] }).isOwnOutput()).toBe(false);
	});
});

describe('What an attempt leaves to the next one', () => {
	test.each<[string, Parameters<PurchaseRecords['mark']>[1]]>([
		['an accepted task is taken up', TASK_1],
		['a purchase without an answer is known as pending', { state: 'pending' }],
		['a chat answer is used again', { state: 'answered', response: { text: 'Hello' } }],
	])('%s', (_, state) => {
		runOnce((records) => records.mark(fox, state));
		const sentBy = state.state === 'pending' ? { sentBy: expect.any(String) } : {};
		expect(open().claim(fox)).toEqual({ ...state, ...sentBy });
	});

	test('it goes to one attempt only', () => {
		runOnce((records) => records.mark(fox, TASK_1));
		const second = open();
		expect(second.claim(fox)).toBeDefined();
		expect(open().claim(fox)).toBeUndefined();
		second.close();
		expect(open().claim(fox)).toBeDefined();
	});

	test.each<[string, Partial<Purchase>]>([
		['another item', { itemIndex: 1 }],
		['another operation', { operation: 'grid.lowVariation' }],
		['another path', { path: '/v1/low-variation' }],
		['another body', { body: { prompt: 'an owl' } }],
	])('%s of other parameters is another purchase', (_, change) => {
		runOnce((records) => records.mark(fox, TASK_1));
		const parameters = { prompt: 'an owl' };
		expect(open({ parameters }).claim({ ...fox, ...change })).toBeUndefined();
		expect(open().claim(fox)).toBeDefined();
	});

	describe('a request that an expression of the same parameters changed by itself', () => {
		const taken = { ...TASK_1, hasChanged: true };
		const ofNow = { prompt: '={{ $now }}', options: { timeout: 5 } };

		test('is the same purchase, from attempt to attempt', () => {
			runOnce((records) => records.mark(fox, TASK_1));
			runOnce((records) => expect(records.claim(owl)).toEqual(taken));
			runOnce((records) => expect(records.claim(fox)).toEqual(taken));
			const last = open();
			expect(last.claim(fox)).toEqual(TASK_1);
			last.drop(0);
			last.close();
			expect(kept).toEqual({});
		});

		test('also where an option was changed that is not sent', () => {
			const before = open({ parameters: ofNow });
			before.mark(fox, { state: 'pending' });
			before.close();
			const parameters = { ...ofNow, waitMode: 'none', options: { timeout: 600 } };
			const claimed = open({ parameters }).claim(owl);
			const sentBy: unknown = expect.any(String);
			expect(claimed).toEqual({ state: 'pending', sentBy, hasChanged: true });
		});

		test.each<[string, Parameters<typeof recordsContext>[1]]>([
			['of another row', { input: [{ prompt: 'an owl' }] }],
			['of the next round of a loop', { runIndex: 1 }],
			['of an agent, which words it anew', { tool: true }],
			['with an additional field', { parameters: { options: { additionalBodyFields: '{}' } } }],
		])('is another one %s', (_, run) => {
			const before = open({ tool: run?.tool });
			before.mark(fox, TASK_1);
			before.close();
			expect(open(run).claim(owl)).toBeUndefined();
		});

		test('is not taken from a run that goes on', () => {
			open().mark(fox, TASK_1);
			expect(open().claim(owl)).toBeUndefined();
		});
	});

	test('its state is told, and it stays for who claims it', () => {
		runOnce((records) => {
			records.mark(fox, TASK_1);
			records.mark({ ...owl, itemIndex: 1 }, { state: 'pending' });
			expect(records.stateOf(fox)).toBeUndefined();
		});
		const changed = { ...fox, body: { prompt: 'a red fox' } };
		const records = open();
		const states = [fox, changed, { ...owl, itemIndex: 1 }, { ...owl, itemIndex: 2 }].map(
			(purchase) => records.stateOf(purchase),
		);
		expect(states).toEqual(['accepted', 'accepted', 'pending', undefined]);
		expect(records.claim(fox)).toEqual(TASK_1);
		expect(open().stateOf(fox)).toBeUndefined();
	});

	test('what another version of this package saved in the execution is read: names and keys stay', () => {
		kept = {
			mediaGenPurchases: {
				'hzoLNaso82V89O30wd71d-GBO0VPQnNP.0.0': [
					{ run: 'before', purchase: { state: 'accepted', taskId: 'task_1' } },
				],
			},
		};
		expect(open().claim(fox)).toEqual(TASK_1);
	});

	test('a damaged record counts as none, and goes when its item has come out', () => {
		runOnce((records) => records.mark(fox, { state: 'pending' }));
		const [key = ''] = Object.keys(kept.mediaGenPurchases as IDataObject);
		kept = { mediaGenPurchases: { [key]: [{ state: 'gone' }] } };
		runOnce((records) => {
			expect(records.claim(fox)).toBeUndefined();
			records.mark(fox, TASK_1);
			records.drop(0);
		});
		expect(kept).toEqual({});
	});

	test('damaged data of an execution counts as no record', () => {
		kept = { mediaGenPurchases: 'gone' };
		const records = open();
		expect(records.claim(fox)).toBeUndefined();
		records.mark(fox, TASK_1);
		records.close();
		expect(open().claim(fox)).toBeDefined();
	});
});

describe('The list of what is left, by item', () => {
	const pendingOwl: Purchase = { ...owl, itemIndex: 11 };

	test('has what an earlier attempt bought, or may have bought', () => {
		runOnce((records) => {
			records.mark(fox, TASK_1);
			records.mark(pendingOwl, { state: 'pending' });
		});
		expect(open().leftByItem()).toEqual([
			{ itemIndex: 0, key: expect.stringMatching(/\.0\.0$/), purchase: TASK_1 },
			{
				itemIndex: 11,
				key: expect.stringMatching(/\.0\.11$/),
				purchase: { state: 'pending', sentBy: expect.any(String) },
			},
		]);
	});

	test('has nothing of the attempt itself, or of another round', () => {
		const records = open();
		records.mark(fox, TASK_1);
		expect(records.leftByItem()).toEqual([]);
		records.close();
		expect(open({ runIndex: 1 }).leftByItem()).toEqual([]);
	});
});

describe('A later run of the node, such as the next round of a loop', () => {
	const named = (key: string | undefined): IDataObject => ({
		error: { message: 'Too late', recordKey: key ?? '' },
	});

	/** A run whose item came out without its result. Returns the key that its error item has. */
	function fail(
		run: Parameters<typeof recordsContext>[1] = {},
		purchase = fox,
	): string | undefined {
		const records = open(run);
		records.claim(purchase);
		records.mark(purchase, TASK_1);
		records.close();
		return records.recordKey(purchase.itemIndex);
	}

	test.each<[string, (key: string | undefined) => IDataObject]>([
		['an error item', named],
		[
			'an item whose pause ended by its time limit',
			(key) => ({ taskId: 'task_1', status: 'submitted', recordKey: key ?? '' }),
		],
	])('%s that comes back is given its own, at any place', (_, item) => {
		const key = fail();
		const records = open({ runIndex: 1, input: [{}, {}, item(key)] });
		expect(records.claim({ ...fox, itemIndex: 1 })).toBeUndefined();
		expect(records.claim({ ...fox, itemIndex: 2 })).toEqual(TASK_1);
		expect(records.recordKey(2)).not.toBe(key);
	});

	test('a result that comes back is bought anew', () => {
		const key = fail();
		expect(
			open({
				runIndex: 1,
				input: [{ taskId: 'task_1', status: 'completed', recordKey: key ?? '' }],
			}).claim(fox),
		).toBeUndefined();
	});

	test('the same record goes to one item, and on from run to run', () => {
		const first = fail();
		const again = open({ runIndex: 1, input: [named(first), named(first)] });
		expect([again.claim(fox), again.claim({ ...fox, itemIndex: 1 })]).toEqual([TASK_1, undefined]);
		again.close();
		const second = again.recordKey(0);
		expect(open({ runIndex: 2, input: [named(first)] }).claim(fox)).toBeUndefined();
		expect(open({ runIndex: 2, input: [named(second)] }).claim(fox)).toEqual(TASK_1);
	});

	test('an item whose round looked too early gets what the service answered since, after the run that sent it had ended', () => {
		const canceled = open();
		canceled.mark(fox, { state: 'pending' });
		canceled.close();
		const early = open({ runIndex: 1, input: [named(canceled.recordKey(0))] });
		expect(early.claim(fox)).toMatchObject({ state: 'pending' });
		early.close();
		const next = { runIndex: 2, input: [{}, named(early.recordKey(0))] };
		canceled.mark(fox, TASK_1);
		expect(open(next).claim({ ...fox, itemIndex: 1 })).toEqual(TASK_1);
	});

	test('an item that names the record of a run that still goes on does not take it', () => {
		const running = open();
		running.mark(fox, TASK_1);
		expect(open({ runIndex: 1, input: [named(running.recordKey(0))] }).claim(fox)).toBeUndefined();
		running.close();
		expect(open().claim(fox)).toEqual(TASK_1);
	});

	test('an item that comes back with another request is another purchase, and keeps its name until it has bought', () => {
		const key = fail();
		const records = open({ runIndex: 1, input: [named(key)] });
		expect(records.recordKey(0)).toBe(key);
		expect(records.claim(owl)).toBeUndefined();
		expect(records.recordKey(0)).toBe(key);
		records.mark(owl, { state: 'pending' });
		expect(records.recordKey(0)).not.toBe(key);
	});

	test('the state of the record that an item names is told, by the item alone', () => {
		const key = fail();
		const [by, without] = [open({ runIndex: 1, input: [named(key)] }), open({ runIndex: 1 })];
		expect([by.stateOf(fox), by.stateOf(owl), without.stateOf(fox)]).toEqual([
			'accepted',
			undefined,
			undefined,
		]);
	});

	test('an item does not take the task of another item of its own run', () => {
		const key = fail();
		const records = open({ input: [{}, named(key)] });
		expect(records.claim(fox)).toEqual(TASK_1);
		expect(records.claim({ ...fox, itemIndex: 1 })).toBeUndefined();
		records.close();
		expect(open().claim(fox)).toEqual(TASK_1);
	});

	test('an item whose record another one took has none', () => {
		const key = fail();
		const records = open({ runIndex: 1, input: [named(key), named(key)] });
		expect(records.recordKey(1)).toBe(key);
		records.claim(fox);
		expect(records.recordKey(1)).toBeUndefined();
	});

	test('a name that is no record is none', () => {
		const records = open({ input: [named('__proto__'), named('gone')] });
		expect([records.claim(fox), records.recordKey(0), records.recordKey(1)]).toEqual([
			undefined,
			undefined,
			undefined,
		]);
	});

	test('a taken-up record goes when the item has come out', () => {
		const records = open({ runIndex: 1, input: [named(fail())] });
		records.claim(fox);
		records.drop(0);
		records.close();
		expect(kept).toEqual({});
		expect(records.recordKey(0)).toBeUndefined();
	});
});

describe('Runs side by side, such as the batches of an agent', () => {
	test("do not delete each other's tasks", () => {
		const [first, second] = [open(), open()];
		first.mark(fox, TASK_1);
		second.mark(fox, TASK_2);
		first.drop(0);
		first.close();
		second.close();
		expect(open().claim(fox)).toEqual(TASK_2);
	});

	test('a run that ends before the other has bought does not make it forget', () => {
		const [first, second] = [open(), open()];
		first.close();
		second.mark(fox, TASK_2);
		second.close();
		expect(open().claim(fox)).toEqual(TASK_2);
	});

	test('two that both failed leave two tasks, one for each next attempt', () => {
		const [first, second] = [open(), open()];
		first.mark(fox, TASK_1);
		second.mark(fox, TASK_2);
		first.close();
		second.close();
		const claimed = [open(), open(), open()].map((records) => records.claim(fox));
		expect(claimed).toEqual([TASK_1, TASK_2, undefined]);
	});
});

describe('A pause that n8n has lost with all that it kept', () => {
	/** Another execution would have a memory of its own: tests share the process, so each has a body of its own. */
	const paused = (name: string): Purchase => ({ ...fox, body: { prompt: name } });

	/** A run of the node that buys and pauses, then the same without what n8n kept. */
	function lose(bought: (records: PurchaseRecords) => void, run = {}): PurchaseRecords {
		const records = open(run);
		bought(records);
		records.markPaused();
		records.close();
		kept = {};
		return open(run);
	}

	test('leaves the task to the run that begins anew, and to no other purchase', () => {
		const again = lose((records) => records.mark(paused('lost'), TASK_1));
		expect(again.claim(paused('another'))).toBeUndefined();
		expect(again.claim(paused('lost'))).toMatchObject(TASK_1);
		// It is a record again, for an attempt after this one.
		again.close();
		expect(open().claim(paused('lost'))).toMatchObject({ taskId: 'task_1' });
	});

	test('leaves the task of the run that paused, not that of one beside it', () => {
		const [beside, records] = [open(), open()];
		beside.mark(paused('twice'), TASK_1);
		records.mark(paused('twice'), TASK_2);
		records.markPaused();
		kept = {};
		expect(open().claim(paused('twice'))).toMatchObject(TASK_2);
	});

	test('leaves nothing of a purchase without a task', () => {
		const again = lose((records) => records.mark(paused('pending'), { state: 'pending' }));
		expect(again.claim(paused('pending'))).toBeUndefined();
	});

	test('leaves nothing to an agent, who may want the same again', () => {
		const again = lose((records) => records.mark(paused('tool'), TASK_1), { tool: true });
		expect(again.claim(paused('tool'))).toBeUndefined();
	});

	test('leaves nothing to another round of a loop', () => {
		lose((records) => records.mark(paused('round'), TASK_1)).close();
		expect(open({ runIndex: 1 }).claim(paused('round'))).toBeUndefined();
	});
});
