import type { Operation } from '../shared/n8n/describe';
import { displayNameOf } from '../shared/n8n/names';
import type { RequestBody } from '../shared/tasks/prepare';
import { submission, type SubmissionOperation } from '../shared/tasks/execute';
import { CUSTOM_MODE_FIELDS, DESCRIPTION_MODE_FIELD } from '../shared/api/music';

type MusicOperation = Pick<
	SubmissionOperation,
	'name' | 'value' | 'action' | 'description' | 'fields' | 'schema' | 'synchronous'
>;

const RESOURCE = { name: 'Music', value: 'music' };

/** What the user set and the mode does not read. It comes to that only where an expression chose the mode. */
function unreadNotes({ fields }: MusicOperation, body: RequestBody, given: RequestBody): string[] {
	return [...CUSTOM_MODE_FIELDS, DESCRIPTION_MODE_FIELD]
		.filter((name) => given[name] !== undefined && body[name] === undefined)
		.map((name) => `"${displayNameOf(fields, name) ?? name}" was not sent: the mode does not read it`);
}

/** Makes an operation of its fields and its request: `POST /v1/music/generations/{operation}` (spec §2). */
export function musicOperation(operation: MusicOperation): Operation {
	return submission({
		...operation,
		family: 'music',
		resource: RESOURCE,
		toRequest: (body) => ({ path: `/v1/music/generations/${operation.value}`, body }),
		notes: (body, given) => unreadNotes(operation, body, given),
	});
}
