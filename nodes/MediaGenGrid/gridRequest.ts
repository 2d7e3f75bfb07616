import { GRID_INDEX, GRID_SPEEDS } from '../shared/api/grid';
import { jsonObject } from '../shared/util/json';
import { integer, oneOf, text } from '../shared/util/schema';
import type { RequestBody } from '../shared/tasks/prepare';
import { z } from '../shared/util/vendor/zod';

const common = {
	task_id: text(),
	speed: oneOf(GRID_SPEEDS).optional(),
	metadata: jsonObject('must be a JSON object, such as {"campaign": "spring"}').optional(),
};

const index = integer(GRID_INDEX.min, GRID_INDEX.max);

const byButton = z.object({ ...common, custom_id: text() });
const byIndex = z.object({ ...common, index });
const byItself = z.object(common);

type GridSchema = z.ZodType<RequestBody, z.ZodTypeDef, unknown>;

const choice = z.object({ match_by: z.unknown() }).catch({ match_by: undefined });

// A button takes the place of the number, so the one that was not chosen must not be sent along (spec §4, custom_id).
function requestBy(otherwise: GridSchema): GridSchema {
	return z.unknown().transform((given, issues) => {
		const schema: GridSchema = choice.parse(given).match_by === 'button' ? byButton : otherwise;
		const read = schema.safeParse(given);
		if (read.success) return read.data;
		for (const issue of read.error.issues) issues.addIssue(issue);
		return z.NEVER;
	});
}

/** Request of both variations: a button, or else one of the four pictures (spec §4). */
export const variationRequest = requestBy(byIndex);

/** Request of a re-roll: a button, or else nothing, for the grid has one re-roll button (spec §4). */
export const rerollRequest = requestBy(byItself);
