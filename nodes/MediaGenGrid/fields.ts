import type { INodeProperties } from 'n8n-workflow';

import { GRID_INDEX, GRID_SPEEDS } from '../shared/api/grid';
import { additionalFieldsOf, INCOMING_INDEX, taskIdField, toOptions } from '../shared/n8n/fields';

export const parentField = taskIdField('The grid to start from. It must be completed.');

/** How the picture, or the button, is chosen. */
export function matchByField(byItself: {
	name: string;
	value: string;
	description: string;
}): INodeProperties {
	const { value } = byItself;
	return {
		displayName: 'Choose By',
		name: 'matchBy',
		type: 'options',
		options: [
			byItself,
			{
				name: 'Button',
				value: 'button',
				description: 'One of the follow-ups that the task itself offers',
			},
		],
		default: value,
	};
}

export const pictureMatchField = matchByField({
	name: 'Picture',
	value: 'index',
	description: 'One of the four pictures, by its number',
});

export const indexField: INodeProperties = {
	displayName: 'Picture Number',
	name: 'index',
	type: 'number',
	typeOptions: { minValue: GRID_INDEX.min, maxValue: GRID_INDEX.max },
	default: INCOMING_INDEX,
	displayOptions: { show: { matchBy: ['index'] } },
	description: 'From 1 to 4, for V1 to V4',
};

export const buttonField: INodeProperties = {
	displayName: 'Button Name or ID',
	name: 'customId',
	type: 'options',
	typeOptions: { loadOptionsMethod: 'getButtons', loadOptionsDependsOn: ['taskId'] },
	default: '',
	displayOptions: { show: { matchBy: ['button'] } },
	description:
		'Choose from the list, or specify an ID using an <a href="https://docs.n8n.io/code/expressions/">expression</a>',
};

export const additionalFields = additionalFieldsOf([
	{
		displayName: 'Metadata',
		name: 'metadata',
		type: 'json',
		default: '{}',
		description: 'A JSON object of your own that the service keeps with the task',
	},
	{
		displayName: 'Speed',
		name: 'speed',
		type: 'options',
		options: toOptions(GRID_SPEEDS),
		default: 'fast',
		description: 'How fast to generate. The price depends on it.',
	},
]);
