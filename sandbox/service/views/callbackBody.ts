import type { Task } from '../entities/task';
import type { Service } from '../service';
import { taskRecord } from './taskRecord';

/**
 * The body of a callback. "Identical to the task status response" and the shape that the spec lists for it do not
 * quite agree: bare is the list's shape, enveloped the response's. The setting `callbackShape` chooses.
 */
export function callbackBody(service: Service, task: Task): unknown {
	const record = { id: task.id, ...taskRecord(service, task) };
	return service.settings.callbackShape === 'enveloped' ? { code: 200, data: record } : record;
}
