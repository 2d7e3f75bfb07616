import { numberIfSet } from '../../shared/n8n/options';
import { integer } from '../../shared/util/schema';
import { title, track } from '../fields';
import { musicOperation } from '../request';

const duration = numberIfSet(integer, [0], {
	displayName: 'Duration (Seconds)',
	typeOptions: { numberPrecision: 0 },
	default: 5,
	description: 'Length of the fade in seconds, a whole number',
});

/** A song that fades in (spec §2, fadeIn). */
export const fadeIn = musicOperation({
	name: 'Fade In',
	value: 'fadeIn',
	action: 'Fade a song in',
	description: 'Let the beginning of a song fade in',
	fields: track(),
	options: { duration_s: duration, title },
});
