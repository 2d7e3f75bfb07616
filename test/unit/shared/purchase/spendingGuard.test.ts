import type { IDataObject } from 'n8n-workflow';

import type { MediaGenClient } from '../../../../nodes/shared/api/client';
import { MaxTasksError, SpendingGuard } from '../../../../nodes/shared/purchase/spendingGuard';
import { nodeOf } from '../../../support/node';

const noClient = {} as unknown as MediaGenClient;

/** The guard of one attempt; those of one execution share what n8n keeps with it. */
const attemptOf = (kept: IDataObject, maxTasks?: number, run = 'run 0') =>
	new SpendingGuard(
		{ getContext: () => kept, getNode: () => nodeOf('Music'), continueOnFail: () => false },
		{
			checkOnly: false,
			keepBalanceUnit: 'credits',
			maxTasksReached: 'returnBought',
			timeout: 60,
			maxTasks,
		},
		noClient,
		run,
	);

/** How many more purchases fit. */
const left = async (guard: SpendingGuard) => (await guard.check(100)).withinLimits;

/** Whether a place is given at once. */
async function isPlaced(place: Promise<void>): Promise<boolean> {
	let placed = false;
	void place.then(
		() => (placed = true),
		() => {},
	);
	for (let turns = 0; turns < 5; turns++) await Promise.resolve();
	return placed;
}

test('more is never given back than was taken', async () => {
	const guard = attemptOf({}, 2);
	guard.release();
	expect(await left(guard)).toBe(2);
});

describe('the place of a refunded task', () => {
	function refundedOnce(run?: string) {
		const kept: IDataObject = {};
		const first = attemptOf(kept, 1, run);
		first.reserve();
		first.refunded();
		return kept;
	}

	test('is taken by the next attempt, once', async () => {
		const next = attemptOf(refundedOnce(), 1);
		expect(await left(next)).toBe(1);
		next.reserve();
		expect(await left(next)).toBe(0);
		expect(() => next.reserve()).toThrow(
			'"Max Tasks" is 1, and this node has bought 1 in this execution',
		);
	});

	test('may be given back, and is still the only one', async () => {
		const next = attemptOf(refundedOnce(), 1);
		next.reserve();
		next.release();
		expect(await left(next)).toBe(1);
		next.reserve();
		expect(await left(next)).toBe(0);
	});

	test('is given back before a place of the attempt itself', async () => {
		const kept = refundedOnce();
		const next = attemptOf(kept, 2);
		next.reserve();
		next.reserve();
		next.release();
		next.release();
		expect(await left(next)).toBe(2);
		// In the next round of a loop it counts.
		expect(await left(attemptOf(kept, 2, 'run 1'))).toBe(1);
	});
});

test('a purchase that finds no place ends when all of those under way keep theirs', async () => {
	const guard = attemptOf({}, 2);
	await guard.place();
	await guard.place();
	const third = guard.place();
	guard.settle();
	expect(await isPlaced(third)).toBe(false);
	guard.settle();
	await expect(third).rejects.toBeInstanceOf(MaxTasksError);
});

test('a purchase that finds a place does not wait for those under way', async () => {
	const guard = attemptOf({}, 2);
	await guard.place();
	expect(await isPlaced(guard.place())).toBe(true);
});
