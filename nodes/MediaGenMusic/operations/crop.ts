import { track, wholeSeconds } from '../fields';
import { endsAfterStart, musicOperation } from '../request';

/** An interval of a song, the rest cut away (spec §2, crop). */
export const crop = musicOperation({
	name: 'Crop',
	value: 'crop',
	action: 'Crop a song',
	description: 'Keep an interval of a song and cut the rest away',
	fields: {
		...track(),
		start_s: wholeSeconds('Start', 30, 'Second at which the interval begins, a whole number'),
		end_s: wholeSeconds('End', 90, 'Second at which the interval ends, a whole number'),
	},
	rule: endsAfterStart,
});
