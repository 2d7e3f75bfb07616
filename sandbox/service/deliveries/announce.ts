import type { Delivery } from '../entities/delivery';
import type { Task } from '../entities/task';
import type { CallbackEffect } from '../faults/rule';
import type { Service } from '../service';
import { callbackBody } from '../views/callbackBody';

/** Tells the receiver that a task has ended (spec, Events), as the fault rules of the moment have it. */
export function announce(service: Service, task: Task): void {
	if (task.webhook === null) return;
	const base = task.webhook;
	const due = service.faults.forCallback({ method: 'POST', path: task.path, family: task.family });
	const note = (kind: Delivery['kind']) =>
		service.deliveries.record({ kind, taskId: task.id, base, body: callbackBody(service, task), fault: due?.rule });

	const genuine = note('genuine');
	const effect = due?.effect;
	if (effect?.type === 'missingCallback' && genuine.state === 'waiting') {
		genuine.state = 'withheld';
		genuine.reason = 'a fault rule lost it';
	}
	const copies = effect?.type === 'duplicateCallback' ? Array.from({ length: effect.copies - 1 }, () => note('duplicate')) : [];
	service.lifetime.background(() => sendAll(service, [genuine, ...copies], effect));
}

async function sendAll(service: Service, callbacks: Delivery[], effect: CallbackEffect | undefined): Promise<void> {
	if (effect?.type === 'lateCallback') await service.lifetime.sleep(effect.ms);
	if (effect?.type === 'duplicateCallback' && effect.spacing === 'simultaneous') {
		await Promise.all(callbacks.map((callback) => service.deliveries.send(callback)));
		return;
	}
	for (const callback of callbacks) await service.deliveries.send(callback);
}
