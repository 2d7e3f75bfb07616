import type { IDataObject } from 'n8n-workflow';

import { SubmissionLedger } from '../../../../nodes/shared/purchase/purchaseRecords';

const FOX = { prompt: 'a fox' };
const OWL = { prompt: 'an owl' };

describe('What an execution remembers of its purchases', () => {
	let kept: IDataObject;
	beforeEach(() => {
		kept = {};
	});

	const run = ($runIndex: number) =>
		new SubmissionLedger({ getContext: () => kept, getWorkflowDataProxy: () => ({ $runIndex }) });

	const broken = async (ledger: SubmissionLedger, work: () => void) => {
		const leaving = ledger.leavingOnThrow(async () => {
			work();
			return await Promise.reject(new Error('The time is over'));
		});
		await expect(leaving).rejects.toThrow('The time is over');
	};

	test('a run that is tried again finds its own, though it was cut off', () => {
		run(0).record(0, FOX, 'task_1');
		expect(run(0).find(0, FOX)).toBe('task_1');
	});

	test('another run of the node buys its own', () => {
		run(0).record(0, FOX, 'task_1');
		expect(run(1).find(0, FOX)).toBeUndefined();
	});

	test('what a run left that threw goes to the next that asks for the same, and to one only', async () => {
		const first = run(0);
		await broken(first, () => first.record(0, FOX, 'task_1'));
		expect(run(1).find(0, OWL)).toBeUndefined();
		expect(run(1).find(1, FOX)).toBeUndefined();
		expect(run(1).find(0, FOX)).toBe('task_1');
		expect(run(1).find(0, FOX)).toBe('task_1');
		expect(run(2).find(0, FOX)).toBeUndefined();
	});

	test('two runs side by side that threw leave two', async () => {
		const [first, second] = [run(0), run(1)];
		await broken(first, () => first.record(0, FOX, 'task_1'));
		await broken(second, () => second.record(0, FOX, 'task_2'));
		expect([run(2).find(0, FOX), run(3).find(0, FOX)].sort()).toEqual(['task_1', 'task_2']);
	});

	test('a run that throws leaves alone what others of the same index have bought', async () => {
		const [first, second] = [run(0), run(0)];
		second.record(0, OWL, 'task_2');
		await broken(first, () => first.record(0, FOX, 'task_1'));
		expect(run(1).find(0, OWL)).toBeUndefined();
		expect(second.find(0, OWL)).toBe('task_2');
	});

	test('what may have been bought stays unsettled for the next run too', async () => {
		const first = run(0);
		await broken(first, () => first.open(0, FOX));
		expect(run(1).isUnsettled(0, FOX)).toBe(true);
	});

	test('what failed and was refunded is not left', async () => {
		const first = run(0);
		await broken(first, () => {
			first.record(0, FOX, 'task_1');
			first.drop('task_1');
		});
		expect(run(1).find(0, FOX)).toBeUndefined();
		expect(kept).toEqual({});
	});

	test('a run that has returned leaves nothing, not even from tries before it', async () => {
		const first = run(0);
		await broken(first, () => {
			first.record(0, FOX, 'task_1');
			first.record(0, OWL, 'task_2');
		});
		const again = run(0);
		again.find(0, FOX);
		again.forget();
		expect(kept).toEqual({});
	});
});
