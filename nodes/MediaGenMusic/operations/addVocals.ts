import { track, UPLOADED_BY_A_TASK, version, vocalGender } from '../fields';
import { musicOperation } from '../request';

/** A voice for your own recording (spec §2, addVocals). */
export const addVocals = musicOperation({
	name: 'Add Vocals',
	value: 'addVocals',
	action: 'Add vocals to a track',
	description: 'Add vocals to an accompaniment or a track that you uploaded',
	fields: track(UPLOADED_BY_A_TASK),
	song: { infers: true },
	options: { version, vocal_gender: vocalGender },
});
