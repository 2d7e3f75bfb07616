import type { Task } from '../store/task';
import type { Service } from '../service';
import { settle } from './settle';

type Given = Pick<Task, 'family' | 'operation' | 'key' | 'plan'>;
type Optional = Partial<Omit<Task, keyof Given | 'createdAt' | 'endedAt' | 'result' | 'refunded'>>;

/** Files a task and lets it run to its end. What is not given is as for a free task that takes no time. */
export function createTask(service: Service, given: Given & Optional): Task {
	const task: Task = {
		id: service.ids.next('task'),
		path: '',
		request: null,
		applied: {},
		ignored: [],
		notes: [],
		webhook: null,
		durationMs: 0,
		padTo: null,
		credits: 0,
		missingCredits: 0,
		answersAfterCallback: false,
		fate: { status: 'completed' },
		...given,
		createdAt: service.clock.now(),
		refunded: 0,
		endedAt: null,
		result: null,
	};
	service.tasks.add(task);
	service.lifetime.background(() => live(service, task));
	return task;
}

async function live(service: Service, task: Task): Promise<void> {
	if (task.durationMs === null) return;
	await service.lifetime.sleep(task.durationMs);
	settle(service, task);
}
