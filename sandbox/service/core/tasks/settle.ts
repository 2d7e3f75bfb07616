import { announce } from '../deliveries/announce';
import type { Fate, Task } from '../store/task';
import type { Service } from '../service';
import { produce } from './produce';

/** The task as it stands now: one whose time is up has ended, even if its timer comes a moment later. */
export function current(service: Service, task: Task): Task {
	if (task.durationMs !== null && service.clock.now() >= task.createdAt + task.durationMs) settle(service, task);
	return task;
}

/**
 * Ends a task, once: makes its results or pays it back, then sends the callback.
 * @param fate  how it ends, where that is to be other than planned
 */
export function settle(service: Service, task: Task, fate: Fate = task.fate): void {
	if (task.endedAt !== null) return;
	const due = task.durationMs === null ? Infinity : task.createdAt + task.durationMs;
	task.endedAt = Math.min(service.clock.now(), due);
	task.fate = fate;
	if (fate.status === 'completed') {
		task.result = produce(service, task, task.endedAt);
		refund(service, task, task.missingCredits);
	} else {
		refund(service, task, task.credits);
	}
	announce(service, task);
}

/** A failure refunds what was deducted at submission; a shortfall refunds what was not made. */
function refund(service: Service, task: Task, credits: number): void {
	if (credits === 0) return;
	task.refunded += credits;
	service.accounts.giveBack(task.key, credits);
	service.ledger.write({ type: 'refund', key: task.key, credits, taskId: task.id, item: task.operation });
}
