import { track, version } from '../fields';
import { musicOperation } from '../request';

/** One more stem over an existing track (spec §2, addStem). */
export const addStem = musicOperation({
	name: 'Add Stem',
	value: 'addStem',
	action: 'Add a stem to a track',
	description: 'Lay one more stem over an existing track',
	fields: track(),
	song: { infers: true },
	options: { version },
});
