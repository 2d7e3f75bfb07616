import type { Result, Task } from '../entities/task';
import type { Service } from '../service';

/** Files the results of a task that has just completed; their bytes are made when somebody downloads them. */
export function produce(service: Service, task: Task, endedAt: number): Result {
	const expiresAt = endedAt + service.settings.imageLinkTtl;
	const files = task.plan.pictures.map((picture, index) =>
		service.files.add({
			name: `${task.id}-${index + 1}.${picture.format}`,
			contentType: `image/${picture.format}`,
			content: { type: 'picture', picture },
			expiresAt,
			padTo: task.padTo,
		}),
	);
	return { family: 'image', files };
}
