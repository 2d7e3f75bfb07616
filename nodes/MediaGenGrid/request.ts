import type { INodeProperties } from 'n8n-workflow';

import { GRID_INDEX, GRID_SPEEDS } from '../shared/api/grid';
import type { Operation } from '../shared/n8n/describe';
import {
	additionalFieldsOf,
	listField,
	optionsOf,
	taskIdField,
	toOptions,
} from '../shared/n8n/fields';
import { fieldsOf, ifSet, inPanel, type Options } from '../shared/n8n/options';
import { unlistedNotes } from '../shared/n8n/parameters';
import { buyingOperation, type BuyingOperation } from '../shared/tasks/execute';
import type { RequestBody } from '../shared/tasks/prepare';
import { jsonObject } from '../shared/util/json';
import { integer, oneOf, schemaFor, taskId, text } from '../shared/util/schema';
import { z } from '../shared/util/vendor/zod';
import { buttonNotes } from './buttons';

/** What an operation works on where no button of the task is chosen. */
interface Target {
	name: string;
	value: string;
	description: string;
	/** Shown if this target is chosen. */
	fields: Options;
}

function gridFields({ name, value, description, fields }: Target): INodeProperties[] {
	return [
		taskIdField(
			'The grid to start from. It must be completed. To make a first grid, choose the resource Task and the operation Submit Custom Request.',
		),
		listField({
			displayName: 'Choose By',
			name: 'matchBy',
			options: optionsOf({
				[value]: [name, description],
				button: ['Button', 'One of the follow-ups that the task itself offers'],
			}),
		}),
		...fieldsOf(fields),
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

const optional = {
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

export const picture: Target = {
	name: 'Picture',
	value: 'index',
	description: 'One of the four pictures, by its number',
	fields: {
		index: inPanel(integer(GRID_INDEX.min, GRID_INDEX.max), {
			displayName: 'Picture Number',
			type: 'number',
			typeOptions: { minValue: GRID_INDEX.min, maxValue: GRID_INDEX.max },
			// An item for a whole task gives no picture number: without one, nothing is bought.
			default: '={{ $json.taskId && $json.index }}',
			displayOptions: { show: { matchBy: ['index'] } },
			description: 'From 1 to 4, for V1 to V4. The items of "One Item per File" have it.',
		}),
	},
};

/** A grid has one re-roll button. */
export const wholeGrid: Target = {
	name: 'The Re-Roll Button of the Grid',
	value: 'reroll',
	description: 'The service finds it by itself',
	fields: {},
};

/** The request: a button takes the place of the target, so the one that was not chosen is not sent (spec §4, `custom_id`). */
function requestBy({ fields }: Target) {
	const common = { task_id: taskId(), ...optional };
	const byButton = z.object({ ...common, custom_id: text() });
	const byItself = z.object({ ...common, ...fields });
	// A node whose operation was changed may still have the other target.
	const choice = z.object({ match_by: oneOf(['button', picture.value, wholeGrid.value]) });
	return schemaFor<RequestBody>((body) => {
		if (!choice.safeParse(body).success) return choice;
		return body.match_by === 'button' ? byButton : byItself;
	});
}

interface GridOperation extends Pick<
	BuyingOperation,
	'name' | 'value' | 'action' | 'description' | 'parent'
> {
	path: string;
	target: Target;
}

/** Creates the operation for a target: `POST /v1/gridart/generations/{operation}` (spec §4). */
export function gridOperation({ path, target, parent, ...operation }: GridOperation): Operation {
	return buyingOperation({
		...operation,
		parent: (body, record, words) => ({
			notes: buttonNotes(body, record, operation.value),
			...parent?.(body, record, words),
		}),
		family: 'grid',
		resource: { name: 'Grid', value: 'grid' },
		fields: [...gridFields(target), additionalFieldsOf(fieldsOf(optional))],
		schema: requestBy(target),
		path: `/v1/gridart/generations/${path}`,
		notes: (body) => unlistedNotes(body, { speed: GRID_SPEEDS }),
	});
}
