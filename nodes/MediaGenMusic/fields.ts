import { DEFAULT_VERSION, VOCAL_GENDERS, WEIGHT } from '../shared/api/music';
import { NOT_SET, openValueField, promptField, taskIdField, toOptions } from '../shared/n8n/fields';
import {
	ifSet,
	inPanel,
	numberIfSet,
	onIfSet,
	type Options,
	textIfSet,
} from '../shared/n8n/options';
import { flag, integer, number, taskId, text } from '../shared/util/schema';
import { modeField, type SongMode } from './mode';

export const required = (...[schema, field]: Parameters<typeof inPanel>) =>
	inPanel(schema, { ...field, required: true });

/** A value from a list that may be longer than this package knows. */
export const openIfSet = (field: Omit<Parameters<typeof openValueField>[0], 'name'>) =>
	ifSet(text(), openValueField({ ...field, name: '' }));

/** The track to work on: the task that made it, and which of its tracks (spec §2, Common field rules). */
export const track = (
	taskDescription = 'The task that made the track. To make a first song, choose the resource Task and the operation Submit Custom Request.',
) => ({
	task_id: required(taskId(), taskIdField(taskDescription)),
	audio_index: inPanel(integer(1), {
		displayName: 'Track Number',
		type: 'number',
		typeOptions: { minValue: 1 },
		// An item of a MediaGen node that stands for one track has its number.
		default: '={{ ($json.taskId && $json.index) || 1 }}',
		description: "Which of the task's tracks to use, counted from 1",
	}),
});

export const UPLOADED_BY_A_TASK =
	'The task that uploaded the track. It must be your own upload: the service does not take a generated track here.';

export const model = openIfSet({
	displayName: 'Model',
	description: 'The model that makes the music',
	placeholder: 'e.g. musicgen',
	searchListMethod: 'searchModels',
	preset: { name: 'MusicGen', value: 'musicgen' },
});

/** @param searchListMethod the list of versions that the operation accepts */
export const versionField = (searchListMethod: string) =>
	openValueField({
		displayName: 'Version',
		name: 'version',
		description: 'Version of the model. Quality and price depend on it.',
		placeholder: 'e.g. v5.5',
		searchListMethod,
		preset: { name: DEFAULT_VERSION, value: DEFAULT_VERSION },
	});

export const version = ifSet(text(), versionField('searchVersions'));

export const title = textIfSet(text(), {
	displayName: 'Title',
	placeholder: 'e.g. Harbour Lights',
});

export const tagsField = {
	displayName: 'Tags',
	type: 'string' as const,
	default: '',
	placeholder: 'e.g. folk, accordion, slow',
	description: 'The style, as tags',
};

/** The words of a song, in either mode (spec §2, Common field rules): each is shown where the mode reads it. */
export function words(mode: SongMode): Options {
	const { tags = tagsField.description } = mode;
	const lyrics = promptField({ placeholder: 'e.g. [Verse] The harbour lights are low…' });
	return {
		custom: ifSet(flag(), modeField(mode)),
		prompt: ifSet(text(), { ...lyrics, displayName: 'Lyrics' }),
		gpt_description: textIfSet(text(), {
			displayName: 'Description',
			typeOptions: { rows: 2 },
			placeholder: 'e.g. A slow sea shanty with an accordion',
			description: 'What the song is like, in your own words. The mode From Description needs it.',
		}),
		tags: ifSet(text(), { ...tagsField, description: tags }),
	};
}

const weight = (displayName: string, description: string) =>
	numberIfSet(number, [WEIGHT.min, WEIGHT.max], {
		displayName,
		typeOptions: { numberPrecision: 2 },
		default: 0.5,
		description,
	});

export const style = {
	title,
	negative_tags: textIfSet(text(), {
		displayName: 'Negative Tags',
		placeholder: 'e.g. drums, distortion',
		description: 'What the style must not have, as tags',
	}),
	style_weight: weight('Style Weight', 'How closely to keep to the tags, from 0.00 to 1.00'),
	weirdness_constraint: weight('Weirdness', 'How far to stray from the usual, from 0.00 to 1.00'),
	audio_weight: weight('Audio Weight', 'How much the source track counts, from 0.00 to 1.00'),
};

export const autoLyrics = onIfSet({
	displayName: 'Auto Lyrics',
	description:
		'Whether to write new lyrics from the given ones instead of singing them as they are',
});

export const persona = textIfSet(text(), {
	displayName: 'Persona ID',
	placeholder: 'e.g. persona_7f3a',
});

export const vocalGender = ifSet(text(), {
	displayName: 'Vocal Gender',
	type: 'options',
	options: toOptions(VOCAL_GENDERS),
	default: 'Female',
});

const pointInTime =
	(schema: typeof number, numberPrecision: number) =>
	(label: string, example: number, description: string) =>
		required(schema(0), {
			displayName: `${label} (Seconds)`,
			type: 'number',
			typeOptions: { minValue: 0, numberPrecision },
			default: NOT_SET,
			placeholder: `e.g. ${example}`,
			description,
		});

export const seconds = pointInTime(number, 3);

export const wholeSeconds = pointInTime(integer, 0);
