import type { TaskRecord } from '../api/records';
import { knownStatus } from '../api/status';
import type { Verdict } from './checkParent';

/**
 * Whether a task can be built upon: it must have gone well (spec §4 and §5, parent). A word for its state that is not
 * known here is left to the service. `field` is the API's name of the field that names the task.
 */
export function judgeParent(record: TaskRecord | undefined, field = 'task_id'): Verdict {
	const status = record && knownStatus(record.status);
	if (status === undefined || status === 'completed') return {};
	const state = status === 'failed' ? 'this one has failed' : `this one is still ${status}: wait for it first`;
	return { refusal: { field, message: `must be a task that has ended well; ${state}` } };
}
