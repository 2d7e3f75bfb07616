import type { Delivery } from './delivery';
import type { Task } from '../store/task';
import type { Effects } from '../faults/faultBook';
import type { CallbackEffect } from '../faults/rule';
import type { Service } from '../service';
import { callbackBody } from './callbackBody';
import { ofUnknownTask, withWrongLinks } from './forgery';

/** Tells the receiver that a task has ended (spec, Events), as the fault rules of the moment have it. */
export function announce(service: Service, task: Task): void {
	if (task.webhook === null) return;
	const faults = service.faults.forCallback({ method: 'POST', path: task.path, family: task.family });
	const callbacks = callbacksFor(service, task, task.webhook, faults);
	service.lifetime.background(() => sendAll(service, callbacks, faults));
}

/** What is to be sent, in its order: a forgery first, then the true one, then its doubles. */
function callbacksFor(service: Service, task: Task, base: string, faults: Effects<CallbackEffect>): Delivery[] {
	const body = callbackBody(service, task);
	const note = (kind: Delivery['kind'], content = body) =>
		service.deliveries.record({ kind, taskId: task.id, base, body: content, fault: faults.rules });

	const forgery = faults.find('forgedCallback')?.effect.forgery;
	const forged = forgery ? [note('forged', forgery === 'unknownTask' ? ofUnknownTask(body) : withWrongLinks(body))] : [];
	const genuine = note('genuine');
	if (faults.find('missingCallback') && genuine.state === 'waiting') {
		genuine.state = 'withheld';
		genuine.reason = 'a fault rule lost it';
	}
	const copies = faults.find('duplicateCallback')?.effect.copies ?? 1;
	return [...forged, genuine, ...Array.from({ length: copies - 1 }, () => note('duplicate'))];
}

async function sendAll(service: Service, callbacks: Delivery[], faults: Effects<CallbackEffect>): Promise<void> {
	const late = faults.find('lateCallback');
	if (late) await service.lifetime.sleep(late.effect.ms);
	const reorder = faults.find('reorderCallbacks');
	if (reorder) await service.deliveries.holdback.hold(reorder.rule, callbacks, reorder.effect);
	else await service.deliveries.sendAll(callbacks, faults.find('duplicateCallback')?.effect.spacing);
}
