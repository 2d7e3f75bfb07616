import { NOT_REROLLABLE } from '../../shared/api/grid';
import { additionalFields, buttonField, matchByField, parentField } from '../fields';
import { gridOperation } from '../gridOperation';
import { rerollRequest } from '../gridRequest';

const matchField = matchByField({
	name: 'The Re-Roll Button of the Grid',
	value: 'reroll',
	description: 'The service finds it by itself',
});

/** All four pictures drawn anew from the grid's own prompt (spec §4, reroll). */
export const reroll = gridOperation({
	name: 'Re-Roll',
	value: 'reroll',
	path: 'reroll',
	action: 'Re roll a grid',
	description: 'Draw all four pictures of a grid anew, from the same prompt',
	fields: [parentField, matchField, buttonField, additionalFields],
	schema: rerollRequest,
	judge: (_, record) =>
		NOT_REROLLABLE.includes(record?.action)
			? { refusal: { field: 'task_id', message: 'must be a grid that was imagined or re-rolled; this one is a variation' } }
			: {},
});
