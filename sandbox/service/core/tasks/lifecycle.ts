import { announce } from '../deliveries/announce';
import type { Service } from '../service';
import type { Account } from '../store/accounts';
import { resultsOf, type Outcome, type Plan, type Task } from '../store/tasks';

type Given = Pick<Task, 'operation' | 'key' | 'plan'>;
type Derived = 'family' | 'createdAt' | 'endedAt' | 'results' | 'refunded';
type Optional = Partial<Omit<Task, keyof Given | Derived>>;

/** Adds a task, which ends by itself when its time has passed. The defaults are those of a free task without duration. */
export function createTask(service: Service, given: Given & Optional): Task {
	const task: Task = {
		id: service.newTaskId(),
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
		outcome: { status: 'completed' },
		...given,
		family: given.plan.family,
		createdAt: service.clock.now(),
		refunded: 0,
		endedAt: null,
		results: null,
	};
	service.tasks.set(task.id, task);
	const { durationMs } = task;
	if (durationMs !== null) {
		service.lifetime.background(async () => {
			await service.lifetime.sleep(durationMs);
			endTask(service, task);
		});
	}
	return task;
}

/** The task in its present state: it has ended once its time has passed, even if its timer fires a moment later. */
export function current(service: Service, task: Task): Task {
	if (task.durationMs !== null && service.clock.now() >= task.createdAt + task.durationMs)
		endTask(service, task);
	return task;
}

/**
 * A task of this key in its present state; those of other keys are not visible to it.
 * @param family of which it must be: all plans of a family have the same type
 */
export function ownTask<Kind extends Plan = Plan>(
	service: Service,
	{ key }: Account,
	id: string,
	family?: Kind['family'],
): Task<Kind> | undefined {
	const task = service.tasks.get(id);
	if (task?.key !== key || task.family !== (family ?? task.family)) return undefined;
	return current(service, task) as Task<Kind>;
}

/**
 * Ends a task: makes its results or refunds it, then sends the callback. Does nothing if the task has ended already.
 * @param outcome in place of the planned one
 */
export function endTask(service: Service, task: Task, outcome: Outcome = task.outcome): void {
	if (task.endedAt !== null) return;
	const due = task.durationMs === null ? Infinity : task.createdAt + task.durationMs;
	const endedAt = Math.min(service.clock.now(), due);
	task.endedAt = endedAt;
	task.outcome = outcome;
	if (outcome.status === 'completed') {
		task.results = resultsOf(task, endedAt + service.settings.linkTtl[task.family]);
		for (const { file } of task.results) service.files.add(file);
		refund(service, task, task.missingCredits);
	} else {
		refund(service, task, task.credits);
	}
	announce(service, task);
}

/** A failure refunds what was deducted at submission; a shortfall refunds the missing results. */
function refund(service: Service, task: Task, credits: number): void {
	if (credits === 0) return;
	task.refunded += credits;
	service.accounts.refund(task.key, credits, { taskId: task.id, item: task.operation });
}
