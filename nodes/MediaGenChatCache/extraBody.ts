import { jsonObject } from '../shared/util/json';
import { z } from '../shared/util/vendor/zod';

/** Fields that the node makes from its own parameters. */
const OWN_FIELDS = ['model', 'max_tokens', 'system', 'messages'];

/** Fields of the body that the spec does not show, as an object or as JSON text. They are sent as they are. */
export const extraBody = jsonObject('must be a JSON object, e.g. {"temperature": 0.2}').superRefine((given, issues) => {
	const complain = (message: string) => issues.addIssue({ code: z.ZodIssueCode.custom, message });
	const own = OWN_FIELDS.find((name) => name in given);
	if (own !== undefined) complain(`must not have "${own}" in it: the node's own fields say what is sent there`);
	else if (given.stream === true) complain('must not turn "stream" on: the node takes the answer as one piece');
});

const marker = z.object({ ttl: z.unknown() });

/** The lifetimes of all cache markers at any depth of a value; `undefined` for one that names none. */
export function markersIn(value: unknown): unknown[] {
	if (Array.isArray(value)) return value.flatMap(markersIn);
	if (typeof value !== 'object' || value === null) return [];
	return Object.entries(value).flatMap(([name, inner]: [string, unknown]) => {
		const found = name === 'cache_control' ? marker.safeParse(inner) : undefined;
		return found?.success ? [found.data.ttl] : markersIn(inner);
	});
}
