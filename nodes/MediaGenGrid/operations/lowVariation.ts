import { gridOperation, picture } from '../request';

/** The same as a variation at another price, meant for a single upscaled picture (spec §4, low-variation). */
export const lowVariation = gridOperation({
	name: 'Vary Slightly',
	value: 'lowVariation',
	path: 'low-variation',
	action: 'Vary an upscaled picture slightly',
	description: 'The same as Vary at another price, usually for a single upscaled picture',
	target: picture,
});
