import { gridOperation, picture } from '../request';

/** A weak variation of one picture of a grid (spec §4, variation). */
export const variation = gridOperation({
	name: 'Vary',
	value: 'variation',
	path: 'variation',
	action: 'Vary a picture of a grid',
	description: 'Draw four weak variations of one picture of a grid',
	target: picture,
});
