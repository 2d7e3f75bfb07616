import { z } from '../../shared/util/vendor/zod';
import {
	additionalFields,
	inCustomMode,
	MADE_BY_A_TASK,
	sourceFields,
	styleOptions,
	versionOption,
	wordFields,
} from '../fields';
import { inferredMode } from '../mode';
import { model, musicOperation, song, songRequest, source, version } from '../request';

/** One more stem over an existing track (spec §2, addStem). */
export const addStem = musicOperation({
	name: 'Add Stem',
	value: 'addStem',
	action: 'Add a stem to a track',
	description: 'Lay one more stem over an existing track',
	fields: [
		...sourceFields(MADE_BY_A_TASK),
		...wordFields(inferredMode),
		additionalFields(...inCustomMode(inferredMode, ...styleOptions), versionOption),
	],
	schema: songRequest(z.object({ ...model, ...source, ...version, ...song })),
});
