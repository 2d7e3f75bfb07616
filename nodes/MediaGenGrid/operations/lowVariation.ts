import { gridOperation, picture } from '../request';

/** The same as a variation at another price, meant for a single upscaled picture (spec §4, low-variation). */
export const lowVariation = gridOperation({
	name: 'Vary Slightly',
	value: 'lowVariation',
	path: 'low-variation',
	action: 'Vary a picture of a grid slightly',
	description:
		'Draw a grid of slight variations, usually of a single upscaled picture. It has a price of its own.',
	target: picture,
});
