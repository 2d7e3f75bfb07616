import type { INodeProperties } from 'n8n-workflow';

import { openValueField, promptField } from '../../shared/n8n/fields';
import { integer, text } from '../../shared/util/schema';
import { z } from '../../shared/util/vendor/zod';
import { additionalFields, versionOption } from '../fields';
import { model, musicOperation, version } from '../request';

const soundPromptField = promptField({
	placeholder: 'e.g. Waves against a wooden pier',
	description: 'What the sound is like',
});

const soundOptions: INodeProperties[] = [
	{
		displayName: 'BPM',
		name: 'bpm',
		type: 'number',
		typeOptions: { numberPrecision: 0 },
		default: 120,
		description: 'Beats per minute, a whole number',
	},
	openValueField({
		displayName: 'Key',
		name: 'key',
		description: 'Musical key',
		placeholder: 'e.g. C minor',
		searchListMethod: 'searchKeys',
		preset: { name: '', value: '' },
	}),
	{
		displayName: 'Type',
		name: 'type',
		type: 'string',
		default: '',
		placeholder: 'e.g. ambience',
		description: 'Kind of sound, in the word of the service',
	},
];

/** A sound of which nothing is said, such as by an empty expression, would be bought for nothing. */
const saysSomething = ({ prompt, type, bpm, key }: Record<string, unknown>) =>
	[prompt, type, bpm, key].some((value) => value !== undefined);

/** Sound effects from a description (spec §2, sounds). */
export const sounds = musicOperation({
	name: 'Generate Sounds',
	value: 'sounds',
	action: 'Generate sound effects',
	description: 'Make sound effects from a description',
	fields: [soundPromptField, additionalFields(...soundOptions, versionOption)],
	schema: z
		.object({
			...model,
			...version,
			prompt: text().optional(),
			type: text().optional(),
			bpm: integer().optional(),
			key: text().optional(),
		})
		.refine(saysSomething, {
			path: ['prompt'],
			message: 'is required: nothing says what the sound is like',
		}),
});
