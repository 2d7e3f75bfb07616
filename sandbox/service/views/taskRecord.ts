import type { Task } from '../entities/task';
import type { Service } from '../service';
import { imageTaskRecord } from './imageTask';

/** A task's record in the shape of its family, as polling shows it. */
export function taskRecord(service: Service, task: Task): object {
	return imageTaskRecord(service, task);
}

/** The answer to every asynchronous submission (spec, Submission acknowledgement). */
export function acknowledgement(task: Task) {
	return { code: 200, data: [{ status: 'submitted', task_id: task.id }] };
}
