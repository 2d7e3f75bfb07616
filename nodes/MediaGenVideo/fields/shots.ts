import type { INodeProperties } from 'n8n-workflow';

import { MIN_SHOT_DURATION } from '../../shared/api/video';

/** Several shots in one video; their numbers are filled in (spec §6, rule 7). */
export const shotFields: INodeProperties[] = [
	{
		displayName: 'Multiple Shots',
		name: 'multiShot',
		type: 'boolean',
		default: false,
		description: 'Whether the video is made of several shots',
	},
	{
		displayName: 'Shot Type',
		name: 'shotType',
		type: 'options',
		options: [
			{ name: 'Customize', value: 'customize', description: 'You say what each shot shows, and for how long' },
			{ name: 'Intelligence', value: 'intelligence', description: 'The service divides the prompt into shots' },
		],
		default: 'customize',
		displayOptions: { show: { multiShot: [true] } },
	},
	{
		displayName: 'Shots',
		name: 'multiPrompt',
		type: 'fixedCollection',
		typeOptions: { multipleValues: true, sortable: true, multipleValueButtonText: 'Add Shot' },
		placeholder: 'Add Shot',
		default: {},
		displayOptions: { show: { multiShot: [true], shotType: ['customize'] } },
		description: 'One to six shots, in their order. Their durations must add up to the duration of the video.',
		options: [
			{
				displayName: 'Shot',
				name: 'shot',
				values: [
					{
						displayName: 'Duration',
						name: 'duration',
						type: 'number',
						typeOptions: { minValue: MIN_SHOT_DURATION, numberPrecision: 0 },
						default: 1,
						description: 'Length of the shot in seconds, a whole number',
					},
					{
						displayName: 'Prompt',
						name: 'prompt',
						type: 'string',
						typeOptions: { rows: 2 },
						default: '',
						placeholder: 'e.g. The boat leaves the harbour',
					},
				],
			},
		],
	},
];
