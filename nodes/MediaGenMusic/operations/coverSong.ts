import { MUSIC_VERSIONS } from '../../shared/api/music';
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
import { musicOperation } from '../musicOperation';
import { model, persona, song, songRequest, source, version, vocals } from '../schema';

/** An existing song in another style (spec §2, coverSong). */
export const coverSong = musicOperation({
	name: 'Cover Song',
	value: 'coverSong',
	action: 'Cover a song',
	description: 'Sing an existing song again in another style',
	fields: [
		...sourceFields(MADE_BY_A_TASK),
		...wordFields(inferredMode, 'The style to turn the song into, as tags'),
		additionalFields(
			...inCustomMode(inferredMode, personaOption, ...styleOptions),
			versionOption(MUSIC_VERSIONS),
			vocalGenderOption,
		),
	],
	schema: songRequest(z.object({ ...model, ...source, ...version, ...song, ...persona, ...vocals })),
});
