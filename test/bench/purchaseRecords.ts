/**
 * Measures what the records of purchases cost a run: claim, pending, accepted and drop for each item.
 * `npm run bench:records`. Needs no n8n and no service.
 */
import type { IDataObject } from 'n8n-workflow';

import { type Purchase, PurchaseRecords } from '../../nodes/shared/purchase/purchaseRecords';
import { recordsContext } from '../engine/support/recordsContext';
import { median } from './support/statistics';
import { millis, table, metOrMissed } from './support/table';

const COUNTS = [500, 1_000, 2_000, 5_000, 10_000, 20_000];
const RUNS = 5;
const GOAL = { items: 5_000, ms: 500 };

/** A prompt and twenty fields, as a long request has them. */
const body = Object.fromEntries(
	Array.from({ length: 20 }, (_, at) => [`field_${at}`, 'x'.repeat(50)]),
);

function purchases(count: number): Purchase[] {
	return Array.from({ length: count }, (_, itemIndex) => ({
		itemIndex,
		operation: 'image.generate',
		path: '/v1/images/generations',
		body: { ...body, prompt: `Picture ${itemIndex}` },
	}));
}

function timed(work: () => void): number {
	const began = performance.now();
	work();
	return performance.now() - began;
}

/** Milliseconds for the items of a run that all come out, and for a second run that takes up what a failed one left. */
function measure(count: number) {
	const items = purchases(count);
	const kept: IDataObject = {};
	const open = () => new PurchaseRecords(recordsContext(kept));

	const first = open();
	const buy = timed(() => {
		for (const item of items) {
			first.claim(item);
			first.mark(item, { state: 'pending' });
			first.mark(item, { state: 'accepted', taskId: `task_${item.itemIndex}` });
		}
	});
	first.close();
	const stored = JSON.stringify(kept).length;

	const second = open();
	const takeUp = timed(() => {
		for (const item of items)
			if (second.claim(item)?.state !== 'accepted')
				throw new Error(`Item ${item.itemIndex} was lost`);
	});
	const drop = timed(() => {
		for (const { itemIndex } of items) second.drop(itemIndex);
	});
	second.close();
	if (Object.keys(kept).length > 0) throw new Error('Records were left');
	return { buy, takeUp, drop, stored };
}

const rows = COUNTS.map((count) => {
	const runs = Array.from({ length: RUNS }, () => measure(count));
	const of = (value: (run: ReturnType<typeof measure>) => number) => median(runs.map(value));
	const total = of(({ buy, drop }) => buy + drop);
	return {
		count,
		total,
		cells: [
			String(count),
			millis(of(({ buy }) => buy)),
			millis(of(({ drop }) => drop)),
			millis(total),
			millis(of(({ takeUp }) => takeUp)),
			`${Math.round(of(({ stored }) => stored) / 1_000)} kB`,
		],
	};
});

console.log(
	table(
		[
			'items',
			'claim, pending, accepted',
			'drop',
			'together',
			'taken up by the next attempt',
			'stored',
		],
		rows.map(({ cells }) => cells),
	),
);

const goal = rows.find(({ count }) => count === GOAL.items);
if (goal) {
	console.log(
		`\n${GOAL.items} items: ${millis(goal.total)}, goal ${GOAL.ms} ms: ${metOrMissed(goal.total <= GOAL.ms)}`,
	);
	if (goal.total > GOAL.ms) process.exitCode = 1;
}
