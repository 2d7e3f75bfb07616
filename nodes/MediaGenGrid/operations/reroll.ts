import { NOT_REROLLABLE } from '../../shared/api/grid';
import { gridOperation, wholeGrid } from '../request';

/** All four pictures again, from the grid's own prompt (spec §4, reroll). */
export const reroll = gridOperation({
	name: 'Re-Roll',
	value: 'reroll',
	path: 'reroll',
	action: 'Re-roll a grid',
	description: 'Generate all four pictures of a grid again, from the same prompt',
	target: wholeGrid,
	parent(_, record) {
		const action = record?.action;
		if (typeof action !== 'string' || !NOT_REROLLABLE.test(action)) return {};
		const message = `must be a grid that was imagined or re-rolled; the action of this one is ${action}`;
		return { problem: { field: 'task_id', message } };
	},
});
