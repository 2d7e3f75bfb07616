import type { Task } from '../store/task';
import type { Service } from '../service';
import { gridTaskRecord } from '../../grid/record';
import { imageTaskRecord } from '../../image/record';
import { musicTaskRecord } from '../../music/record';
import { videoTaskRecord } from '../../video/record';

/** A task's record in the shape of its family, as polling shows it. */
export function taskRecord(service: Service, task: Task): object {
	switch (task.family) {
		case 'image':
			return imageTaskRecord(service, task);
		case 'music':
			return musicTaskRecord(service, task);
		case 'grid':
			return gridTaskRecord(service, task);
		case 'video':
			return videoTaskRecord(service, task);
	}
}

/** The answer to every asynchronous submission (spec, Submission acknowledgement). */
export function acknowledgement(task: Task) {
	return { code: 200, data: [{ status: 'submitted', task_id: task.id }] };
}
