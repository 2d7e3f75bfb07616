import { integer } from '../../shared/util/schema';
import { z } from '../../shared/util/vendor/zod';
import { additionalFields, MADE_BY_A_TASK, sourceFields, wholeSecondsField } from '../fields';
import { endsAfterStart, model, musicOperation, source } from '../request';

/** An interval of a song, the rest cut away (spec §2, crop). */
export const crop = musicOperation({
	name: 'Crop',
	value: 'crop',
	action: 'Crop a song',
	description: 'Keep an interval of a song and cut the rest away',
	fields: [
		...sourceFields(MADE_BY_A_TASK),
		wholeSecondsField('Start', 'startS', 'Second at which the interval begins, a whole number'),
		wholeSecondsField('End', 'endS', 'Second at which the interval ends, a whole number'),
		additionalFields(),
	],
	schema: z
		.object({ ...model, ...source, start_s: integer(0), end_s: integer(0) })
		.superRefine(endsAfterStart),
});
