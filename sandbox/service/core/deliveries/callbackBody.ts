import type { Task } from '../store/task';
import type { Service } from '../service';
import { taskRecord } from '../tasks/taskRecord';

/**
 * The body of a callback. "Identical to the task status response" and the shape that the spec lists for it do not
 * quite agree: bare is the list's shape, enveloped the response's. The setting `callbackShape` chooses.
 */
export function callbackBody(service: Service, task: Task): unknown {
	return shaped(service, { id: task.id, ...taskRecord(service, task) });
}

/** A record in the shape that callbacks have at the moment. */
export function shaped(service: Service, record: object): unknown {
	return service.settings.callbackShape === 'enveloped' ? { code: 200, data: record } : record;
}
