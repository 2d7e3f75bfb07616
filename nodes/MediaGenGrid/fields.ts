import type { INodeProperties } from 'n8n-workflow';

import { GRID_INDEX, GRID_SPEEDS } from '../shared/api/grid';
import { taskIdField, toOptions } from '../shared/n8n/fields';
import { ifSet } from '../shared/n8n/options';
import { jsonObject } from '../shared/util/json';
import { text } from '../shared/util/schema';
import type { z } from '../shared/util/vendor/zod';

/** What an operation works on where no button of the task is chosen. */
export interface Target {
	name: string;
	value: string;
	description: string;
	/** Shown if this target is chosen. */
	fields: INodeProperties[];
	/** In the API's names. */
	schema: z.ZodRawShape;
}

export function gridFields({ name, value, description, fields }: Target): INodeProperties[] {
	return [
		taskIdField('The grid to start from. It must be completed.'),
		{
			displayName: 'Choose By',
			name: 'matchBy',
			type: 'options',
			options: [
				{ name, value, description },
				{
					name: 'Button',
					value: 'button',
					description: 'One of the follow-ups that the task itself offers',
				},
			],
			default: value,
		},
		...fields,
		{
			displayName: 'Button Name or ID',
			name: 'customId',
			type: 'options',
			typeOptions: { loadOptionsMethod: 'getButtons', loadOptionsDependsOn: ['taskId'] },
			default: '',
			displayOptions: { show: { matchBy: ['button'] } },
			description:
				'Choose from the list, or specify an ID using an <a href="https://docs.n8n.io/code/expressions/">expression</a>',
		},
	];
}

/** An item for a whole task gives no picture number: without one, nothing is bought. */
const INCOMING_INDEX = '={{ $json.taskId && $json.index }}';

export const indexField: INodeProperties = {
	displayName: 'Picture Number',
	name: 'index',
	type: 'number',
	typeOptions: { minValue: GRID_INDEX.min, maxValue: GRID_INDEX.max },
	default: INCOMING_INDEX,
	displayOptions: { show: { matchBy: ['index'] } },
	description: 'From 1 to 4, for V1 to V4',
};

/** Optional in every request. */
export const optional = {
	speed: ifSet(text(), {
		displayName: 'Speed',
		type: 'options',
		options: toOptions(GRID_SPEEDS),
		default: 'fast',
		description: 'How fast to generate. The price depends on it.',
	}),
	metadata: ifSet(jsonObject('must be a JSON object, such as {"campaign": "spring"}'), {
		displayName: 'Metadata',
		type: 'json',
		default: '{}',
		description: 'A JSON object of your own that the service keeps with the task',
	}),
};
