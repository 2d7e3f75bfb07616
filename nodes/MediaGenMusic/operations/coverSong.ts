import { persona, track, version, vocalGender } from '../fields';
import { musicOperation } from '../request';

/** An existing song in another style (spec §2, coverSong). */
export const coverSong = musicOperation({
	name: 'Cover Song',
	value: 'coverSong',
	action: 'Cover a song in another style',
	description: 'Sing an existing song again in another style',
	fields: track(),
	song: { infers: true, tags: 'The style to turn the song into, as tags' },
	options: { version, persona_id: persona, vocal_gender: vocalGender },
});
