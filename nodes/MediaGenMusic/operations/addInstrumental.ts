import { INSTRUMENTAL_VERSIONS, MUSIC_VERSIONS } from '../../shared/api/music';
import { text } from '../../shared/util/schema';
import { z } from '../../shared/util/vendor/zod';
import {
	additionalFields,
	inCustomMode,
	sourceFields,
	styleOptions,
	UPLOADED_BY_A_TASK,
	instrumentalVersionOption,
	vocalGenderOption,
	wordFields,
} from '../fields';
import { inferredMode } from '../mode';
import { model, musicOperation, song, songRequest, source, vocals } from '../request';

/** The service refuses the other versions that it has. It may have newer ones. */
const acceptedVersion = text().refine(
	(version) =>
		INSTRUMENTAL_VERSIONS.some((accepted) => accepted === version) ||
		!MUSIC_VERSIONS.some((known) => known === version),
	`must be one of ${INSTRUMENTAL_VERSIONS.join(', ')}`,
);

/** An accompaniment for your own recording (spec §2, addInstrumental). */
export const addInstrumental = musicOperation({
	name: 'Add Instrumental',
	value: 'addInstrumental',
	action: 'Add an accompaniment to a track',
	description: 'Add an accompaniment to a vocal or a track that you uploaded',
	fields: [
		...sourceFields(UPLOADED_BY_A_TASK),
		...wordFields(inferredMode),
		additionalFields(
			...inCustomMode(inferredMode, ...styleOptions),
			instrumentalVersionOption,
			vocalGenderOption,
		),
	],
	schema: songRequest(
		z.object({
			...model,
			...source,
			version: acceptedVersion.optional(),
			...song,
			...vocals,
		}),
	),
});
