import { onIfSet } from '../../shared/n8n/options';
import { autoLyrics, seconds, track, version, vocalGender } from '../fields';
import { endsAfterStart, musicOperation } from '../request';

const instrumental = onIfSet({
	displayName: 'Instrumental',
	description: 'Whether the song has no vocals',
});

/** A new song from a piece of another one (spec §2, sample). */
export const sample = musicOperation({
	name: 'Sample',
	value: 'sample',
	action: 'Create a song from a sample',
	description: 'Make a new song from a piece of an existing one',
	fields: {
		...track(),
		start_s: seconds('Sample Start', 30, 'Second at which the sample begins'),
		end_s: seconds('Sample End', 45, 'Second at which the sample ends'),
	},
	song: { infers: true },
	options: { instrumental, version, auto_lyrics: autoLyrics, vocal_gender: vocalGender },
	rule: endsAfterStart,
});
