import { z } from '../../shared/util/vendor/zod';
import {
	additionalFields,
	inCustomMode,
	MADE_BY_A_TASK,
	personaOption,
	sourceFields,
	styleOptions,
	versionOption,
	vocalGenderOption,
	wordFields,
} from '../fields';
import { inferredMode } from '../mode';
import {
	model,
	musicOperation,
	persona,
	song,
	songRequest,
	source,
	version,
	vocals,
} from '../request';

/** An existing song in another style (spec §2, coverSong). */
export const coverSong = musicOperation({
	name: 'Cover Song',
	value: 'coverSong',
	action: 'Cover a song in another style',
	description: 'Sing an existing song again in another style',
	fields: [
		...sourceFields(MADE_BY_A_TASK),
		...wordFields(inferredMode, 'The style to turn the song into, as tags'),
		additionalFields(
			...inCustomMode(inferredMode, personaOption, ...styleOptions),
			versionOption,
			vocalGenderOption,
		),
	],
	schema: songRequest(
		z.object({ ...model, ...source, ...version, ...song, ...persona, ...vocals }),
	),
});
