import type { INodeProperties } from 'n8n-workflow';

import { DEFAULT_VERSION, VOCAL_GENDERS, WEIGHT } from '../shared/api/music';
import {
	additionalFieldsOf,
	INCOMING_INDEX,
	NOT_SET,
	openValueField,
	promptField,
	taskIdField,
	toOptions,
} from '../shared/n8n/fields';
import type { ModeRules } from './mode';

/** The track to work on: the task that made it, and which of its tracks (spec §2, Common field rules). */
export function sourceFields(taskDescription: string): INodeProperties[] {
	return [
		taskIdField(taskDescription),
		{
			displayName: 'Track Number',
			name: 'audioIndex',
			type: 'number',
			typeOptions: { minValue: 1 },
			default: INCOMING_INDEX,
			description: "Which of the task's tracks to use, counted from 1",
		},
	];
}

export const MADE_BY_A_TASK = 'The task that made the track';

export const UPLOADED_BY_A_TASK =
	'The task that uploaded the track. It must be your own upload: the service does not take a generated track here.';

const lyricsField: INodeProperties = {
	...promptField({ placeholder: 'e.g. [Verse] The harbour lights are low…' }),
	displayName: 'Lyrics',
};

const descriptionField: INodeProperties = {
	displayName: 'Description',
	name: 'gptDescription',
	type: 'string',
	typeOptions: { rows: 2 },
	default: '',
	placeholder: 'e.g. A slow sea shanty with an accordion',
	description: 'What the song is like, in your own words. The mode From Description needs it.',
};

export const titleField: INodeProperties = {
	displayName: 'Title',
	name: 'title',
	type: 'string',
	default: '',
	placeholder: 'e.g. Harbour Lights',
};

export const tagsField: INodeProperties = {
	displayName: 'Tags',
	name: 'tags',
	type: 'string',
	default: '',
	placeholder: 'e.g. folk, accordion, slow',
	description: 'The style, as tags',
};

/** The mode, and the fields that describe a song: each is shown where the mode reads it. */
export function wordFields(
	mode: ModeRules,
	tagsDescription = tagsField.description,
): INodeProperties[] {
	return [
		mode.field,
		{ ...lyricsField, displayOptions: mode.customOnly },
		{ ...descriptionField, displayOptions: mode.descriptionOnly },
		{ ...tagsField, description: tagsDescription, displayOptions: mode.customOnly },
	];
}

const modelOption = openValueField({
	displayName: 'Model',
	name: 'model',
	description: 'The model that makes the music',
	placeholder: 'e.g. musicgen',
	searchListMethod: 'searchModels',
	preset: { name: 'MusicGen', value: 'musicgen' },
});

/** The collection of what is optional. Every music operation can name the model. */
export const additionalFields = (...options: INodeProperties[]): INodeProperties =>
	additionalFieldsOf([modelOption, ...options]);

/** @param searchListMethod the list of versions that the operation accepts */
function versionField(searchListMethod: string): INodeProperties {
	return openValueField({
		displayName: 'Version',
		name: 'version',
		description: 'Version of the model. Quality and price depend on it.',
		placeholder: 'e.g. v5.5',
		searchListMethod,
		preset: { name: DEFAULT_VERSION, value: DEFAULT_VERSION },
	});
}

export const versionOption = versionField('searchVersions');

export const instrumentalVersionOption = versionField('searchInstrumentalVersions');

function weightOption(displayName: string, name: string, description: string): INodeProperties {
	return {
		displayName,
		name,
		type: 'number',
		typeOptions: { minValue: WEIGHT.min, maxValue: WEIGHT.max, numberPrecision: 2 },
		default: 0.5,
		description,
	};
}

/** Optional fields about the song and its style, in custom mode only. */
export const styleOptions: INodeProperties[] = [
	weightOption(
		'Audio Weight',
		'audioWeight',
		'How much the source track counts, from 0.00 to 1.00',
	),
	{
		displayName: 'Negative Tags',
		name: 'negativeTags',
		type: 'string',
		default: '',
		placeholder: 'e.g. drums, distortion',
		description: 'What the style must not have, as tags',
	},
	weightOption('Style Weight', 'styleWeight', 'How closely to keep to the tags, from 0.00 to 1.00'),
	titleField,
	weightOption(
		'Weirdness',
		'weirdnessConstraint',
		'How far to stray from the usual, from 0.00 to 1.00',
	),
];

export const autoLyricsOption: INodeProperties = {
	displayName: 'Auto Lyrics',
	name: 'autoLyrics',
	type: 'boolean',
	default: true,
	description:
		'Whether to write new lyrics from the given ones instead of singing them as they are',
};

export const personaOption: INodeProperties = {
	displayName: 'Persona ID',
	name: 'personaId',
	type: 'string',
	default: '',
	placeholder: 'e.g. persona_7f3a',
};

/** Options that the service reads in custom mode only, shown there only. */
export function inCustomMode(mode: ModeRules, ...options: INodeProperties[]): INodeProperties[] {
	return options.map((option) => ({ ...option, displayOptions: mode.customOnlyOption }));
}

export const vocalGenderOption: INodeProperties = {
	displayName: 'Vocal Gender',
	name: 'vocalGender',
	type: 'options',
	options: toOptions(VOCAL_GENDERS),
	default: 'Female',
};

/** A point in time, which may lie between two seconds. */
export function secondsField(
	displayName: string,
	name: string,
	description: string,
): INodeProperties {
	return {
		displayName,
		name,
		type: 'number',
		typeOptions: { minValue: 0, numberPrecision: 3 },
		required: true,
		default: NOT_SET,
		description,
	};
}

/** A point in time at a whole second. */
export function wholeSecondsField(
	displayName: string,
	name: string,
	description: string,
): INodeProperties {
	return {
		...secondsField(displayName, name, description),
		typeOptions: { minValue: 0, numberPrecision: 0 },
	};
}
