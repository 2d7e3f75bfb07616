import { GRID_INDEX, GRID_SPEEDS } from '../shared/api/grid';
import type { Operation } from '../shared/n8n/describe';
import { additionalFieldsOf } from '../shared/n8n/fields';
import { fieldsOf } from '../shared/n8n/options';
import { unlistedNotes } from '../shared/n8n/parameters';
import { buyingOperation, type BuyingOperation } from '../shared/tasks/execute';
import type { RequestBody } from '../shared/tasks/prepare';
import { integer, oneOf, schemaFor, taskId, text } from '../shared/util/schema';
import { z } from '../shared/util/vendor/zod';
import { buttonNotes } from './buttons';
import { gridFields, indexField, optional, type Target } from './fields';

export const picture: Target = {
	name: 'Picture',
	value: 'index',
	description: 'One of the four pictures, by its number',
	fields: [indexField],
	schema: { index: integer(GRID_INDEX.min, GRID_INDEX.max) },
};

/** A grid has one re-roll button. */
export const wholeGrid: Target = {
	name: 'The Re-Roll Button of the Grid',
	value: 'reroll',
	description: 'The service finds it by itself',
	fields: [],
	schema: {},
};

/** The request: a button takes the place of the target, so the one that was not chosen is not sent (spec §4, `custom_id`). */
export function requestBy({ schema }: Target) {
	const common = { task_id: taskId(), ...optional };
	const byButton = z.object({ ...common, custom_id: text() });
	const byItself = z.object({ ...common, ...schema });
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
		notes: (body) => unlistedNotes(body, [['speed', 'speed', GRID_SPEEDS]]),
	});
}
