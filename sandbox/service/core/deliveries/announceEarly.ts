import type { Task } from '../store/task';
import type { Due } from '../faults/faultBook';
import type { TaskEffect } from '../faults/rule';
import type { Service } from '../service';
import { callbackBody, shaped } from './callbackBody';
import { claimedEnd } from './forgery';

type Early = Due<Extract<TaskEffect, { type: 'earlyCallback' }>>;

/** Sends a callback for a task that has just been accepted, because a fault rule wants one. */
export function announceEarly(service: Service, task: Task, due: Early | undefined): void {
	if (!due || task.webhook === null) return;
	const isTrue = due.effect.claims === 'running';
	const early = service.deliveries.record({
		kind: isTrue ? 'genuine' : 'forged',
		taskId: task.id,
		base: task.webhook,
		body: isTrue ? callbackBody(service, task) : shaped(service, claimedEnd(task)),
		fault: due.rule,
	});
	service.lifetime.background(() => service.deliveries.send(early));
}
