import { INSTRUMENTAL_VERSIONS } from '../../shared/api/music';
import { oneOf } from '../../shared/util/schema';
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
import { musicOperation } from '../musicOperation';
import { model, song, songRequest, source, vocals } from '../schema';

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
			versionOption(INSTRUMENTAL_VERSIONS),
			vocalGenderOption,
		),
	],
	schema: songRequest(
		z.object({
			...model,
			...source,
			version: oneOf(INSTRUMENTAL_VERSIONS).optional(),
			...song,
			...vocals,
		}),
	),
});
