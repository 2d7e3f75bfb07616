import { GRID_INDEX, GRID_SPEEDS } from '../shared/api/grid';
import type { Operation } from '../shared/n8n/describe';
import { unlistedNotes } from '../shared/n8n/parameters';
import type { ParentRule } from '../shared/tasks/checkParent';
import { buyingOperation, type BuyingOperation } from '../shared/tasks/execute';
import type { RequestBody } from '../shared/tasks/prepare';
import { jsonObject } from '../shared/util/json';
import { integer, schemaFor, taskId, text } from '../shared/util/schema';
import { z } from '../shared/util/vendor/zod';

const common = {
	task_id: taskId(),
	speed: text().optional(),
	metadata: jsonObject('must be a JSON object, such as {"campaign": "spring"}').optional(),
};

const byButton = z.object({ ...common, custom_id: text() });
const byIndex = z.object({ ...common, index: integer(GRID_INDEX.min, GRID_INDEX.max) });
const byItself = z.object(common);

type GridSchema = z.ZodType<RequestBody, z.ZodTypeDef, unknown>;

/** A button takes the place of the number, so the one that was not chosen is not sent (spec §4, `custom_id`). */
const requestBy = (otherwise: GridSchema) =>
	schemaFor<RequestBody>(({ match_by }) => (match_by === 'button' ? byButton : otherwise));

/** Request of both variations: a button, or one of the four pictures (spec §4). */
export const variationRequest = requestBy(byIndex);

/** Request of a re-roll: a button, or nothing, for a grid has one re-roll button (spec §4). */
export const rerollRequest = requestBy(byItself);

type GridOperation = Pick<
	BuyingOperation,
	'name' | 'value' | 'action' | 'description' | 'fields' | 'schema'
> & {
	/** Last part of the path. */
	path: string;
	/** What the parent's record must show, besides that it is completed. */
	check?: ParentRule['check'];
};

/** Makes an operation of its fields and its request: `POST /v1/gridart/generations/{operation}` (spec §4). */
export function gridOperation({ path, check, ...operation }: GridOperation): Operation {
	return buyingOperation({
		...operation,
		family: 'grid',
		resource: { name: 'Grid', value: 'grid' },
		path: `/v1/gridart/generations/${path}`,
		notes: (body) => unlistedNotes(body, [['speed', 'speed', GRID_SPEEDS]]),
		parent: { parentOf: (body) => body.task_id, check },
	});
}
