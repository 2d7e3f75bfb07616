import type { INodeProperties } from 'n8n-workflow';

import { MUSIC_VERSIONS } from '../../shared/api/music';
import { integer, text } from '../../shared/util/schema';
import { z } from '../../shared/util/vendor/zod';
import { additionalFields, promptField, versionOption } from '../fields';
import { musicOperation } from '../musicOperation';
import { model, version } from '../schema';

const soundPromptField: INodeProperties = {
	...promptField,
	placeholder: 'e.g. Waves against a wooden pier',
	description: 'What the sound is like',
};

const soundOptions: INodeProperties[] = [
	{
		displayName: 'BPM',
		name: 'bpm',
		type: 'number',
		typeOptions: { numberPrecision: 0 },
		default: 120,
		description: 'Beats per minute, a whole number',
	},
	{
		displayName: 'Key',
		name: 'key',
		type: 'string',
		default: '',
		placeholder: 'e.g. C minor',
		description: 'Musical key',
	},
	{
		displayName: 'Type',
		name: 'type',
		type: 'string',
		default: '',
		placeholder: 'e.g. ambience',
		description: 'Kind of sound, in the word that the service uses for it',
	},
];

/** Sound effects from a description (spec §2, sounds). */
export const sounds = musicOperation({
	name: 'Generate Sounds',
	value: 'sounds',
	action: 'Generate sound effects',
	description: 'Make sound effects from a description',
	fields: [soundPromptField, additionalFields(...soundOptions, versionOption(MUSIC_VERSIONS))],
	schema: z.object({
		...model,
		...version,
		prompt: text().optional(),
		type: text().optional(),
		bpm: integer().optional(),
		key: text().optional(),
	}),
});
