import type { INodeProperties } from 'n8n-workflow';

/** Subjects that look the same throughout (spec §6, rule 8). */
export const elementField: INodeProperties = {
	displayName: 'Elements',
	name: 'elementList',
	type: 'fixedCollection',
	typeOptions: { multipleValues: true, multipleValueButtonText: 'Add Element' },
	placeholder: 'Add Element',
	default: {},
	description: 'Up to three subjects that look the same throughout. In the prompt @name stands for one.',
	options: [
		{
			displayName: 'Element',
			name: 'element',
			values: [
				{
					displayName: 'Description',
					name: 'description',
					type: 'string',
					default: '',
					placeholder: 'e.g. A sailor with a red beard',
				},
				{
					displayName: 'Image URLs',
					name: 'elementInputUrls',
					type: 'string',
					typeOptions: { multipleValues: true, multipleValueButtonText: 'Add Image URL' },
					default: [],
					placeholder: 'e.g. https://example.com/front.png',
					description: 'Two to four pictures, those from the input data among them. The first is the front view.',
				},
				{
					displayName: 'Input Data Field Name',
					name: 'binaryProperties',
					type: 'string',
					default: '',
					placeholder: 'e.g. front, side',
					hint: 'The names of the input binary fields that hold pictures, separated by commas. They are uploaded first.',
				},
				{
					displayName: 'Name',
					name: 'name',
					type: 'string',
					default: '',
					placeholder: 'e.g. sailor',
					description: 'The name by which the prompt mentions it, without the at sign',
				},
			],
		},
	],
};
