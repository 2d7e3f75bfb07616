import { NOT_SET } from '../../shared/n8n/fields';
import { ifSet } from '../../shared/n8n/options';
import { integer } from '../../shared/util/schema';
import { autoLyrics, persona, track, version, vocalGender } from '../fields';
import { musicOperation } from '../request';

const continueAt = ifSet(integer(), {
	displayName: 'Continue At (Seconds)',
	type: 'number',
	typeOptions: { minValue: 0, numberPrecision: 0 },
	default: NOT_SET,
	placeholder: 'e.g. 30',
	description: 'Second from which to continue, a whole number',
});

/** A song continued from a point in time (spec §2, extend). */
export const extend = musicOperation({
	name: 'Extend',
	value: 'extend',
	action: 'Extend a song',
	description: 'Continue a song from a point in time',
	fields: track(),
	song: { infers: false },
	options: {
		version,
		continue_at: continueAt,
		auto_lyrics: autoLyrics,
		persona_id: persona,
		vocal_gender: vocalGender,
	},
});
