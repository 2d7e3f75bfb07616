import { z } from '../../shared/util/vendor/zod';
import {
	additionalFields,
	inCustomMode,
	sourceFields,
	styleOptions,
	UPLOADED_BY_A_TASK,
	versionOption,
	vocalGenderOption,
	wordFields,
} from '../fields';
import { inferredMode } from '../mode';
import { model, musicOperation, song, songRequest, source, version, vocals } from '../request';

/** A voice for your own recording (spec §2, addVocals). */
export const addVocals = musicOperation({
	name: 'Add Vocals',
	value: 'addVocals',
	action: 'Add vocals to a track',
	description: 'Add vocals to an accompaniment or a track that you uploaded',
	fields: [
		...sourceFields(UPLOADED_BY_A_TASK),
		...wordFields(inferredMode),
		additionalFields(
			...inCustomMode(inferredMode, ...styleOptions),
			versionOption,
			vocalGenderOption,
		),
	],
	schema: songRequest(z.object({ ...model, ...source, ...version, ...song, ...vocals })),
});
