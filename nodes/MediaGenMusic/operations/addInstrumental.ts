import { INSTRUMENTAL_VERSIONS, MUSIC_VERSIONS } from '../../shared/api/music';
import { ifSet } from '../../shared/n8n/options';
import { text } from '../../shared/util/schema';
import { track, UPLOADED_BY_A_TASK, versionField, vocalGender } from '../fields';
import { musicOperation } from '../request';

/** The service refuses its other known versions. It may have newer ones. */
const acceptedVersion = text().refine(
	(value) =>
		INSTRUMENTAL_VERSIONS.some((accepted) => accepted === value) ||
		!MUSIC_VERSIONS.some((known) => known === value),
	`must be one of ${INSTRUMENTAL_VERSIONS.join(', ')}`,
);

const version = ifSet(acceptedVersion, versionField('searchInstrumentalVersions'));

/** An accompaniment for your own recording (spec §2, addInstrumental). */
export const addInstrumental = musicOperation({
	name: 'Add Instrumental',
	value: 'addInstrumental',
	action: 'Add an accompaniment to a track',
	description: 'Add an accompaniment to a vocal or a track that you uploaded',
	fields: track(UPLOADED_BY_A_TASK),
	song: { infers: true },
	options: { version, vocal_gender: vocalGender },
});
