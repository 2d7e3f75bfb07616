import { promptField } from '../../shared/n8n/fields';
import { ifSet, textIfSet } from '../../shared/n8n/options';
import { integer, text } from '../../shared/util/schema';
import { openIfSet, version } from '../fields';
import { musicOperation } from '../request';

const prompt = ifSet(
	text(),
	promptField({
		placeholder: 'e.g. Waves against a wooden pier',
		description: 'What the sound is like',
	}),
);

const type = textIfSet(text(), {
	displayName: 'Type',
	placeholder: 'e.g. ambience',
	description: 'Kind of sound, as the service calls it',
});

const bpm = ifSet(integer(), {
	displayName: 'BPM',
	type: 'number',
	typeOptions: { numberPrecision: 0 },
	default: 120,
	description: 'Beats per minute, a whole number',
});

const key = openIfSet({
	displayName: 'Key',
	description: 'Musical key',
	placeholder: 'e.g. C minor',
	searchListMethod: 'searchKeys',
});

/** Sound effects from a description (spec §2, sounds). */
export const sounds = musicOperation({
	name: 'Generate Sounds',
	value: 'sounds',
	action: 'Generate sound effects',
	description: 'Make sound effects from a description',
	fields: { prompt },
	options: { version, type, bpm, key },
	// Without any description, such as after an empty expression, a sound would be bought for nothing.
	rule(body, refuse) {
		const saysSomething = [body.prompt, body.type, body.bpm, body.key].some(
			(value) => value !== undefined,
		);
		if (!saysSomething) refuse('prompt', 'is required: nothing says what the sound is like');
	},
});
