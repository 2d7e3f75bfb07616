import type { Due, Effects } from '../faults/faultBook';
import type { CallbackEffect, TaskEffect } from '../faults/rule';
import { mapLeaves } from '../mapLeaves';
import type { Service } from '../service';
import { resultsOf, type Task } from '../store/tasks';
import { enveloped, RecordWriter } from '../tasks/record';
import type { Delivery } from './delivery';

const FORGED_LINK = 'https://forged.example.com/result';

/** Sends the callbacks of a task that has ended (spec, Events), changed by the fault rules that are due. */
export function announce(service: Service, task: Task): void {
	if (task.webhook === null) return;
	const { path, family } = task;
	const faults = service.faults.due('callback', { method: 'POST', path, family });
	const callbacks = callbacksFor(service, task, task.webhook, faults);
	service.lifetime.background(() => sendAll(service, callbacks, faults));
}

type Early = Due<Extract<TaskEffect, { type: 'earlyCallback' }>>;

/** Sends a callback for a task that has just been accepted, if a fault rule asks for one. */
export function announceEarly(service: Service, task: Task, due: Early | undefined): void {
	if (!due || task.webhook === null) return;
	const isTrue = due.effect.claims === 'running';
	const early = service.deliveries.record({
		kind: isTrue ? 'genuine' : 'forged',
		taskId: task.id,
		base: task.webhook,
		body: isTrue
			? callbackBody(service, task)
			: withWrongLinks(callbackBody(service, asCompleted(service, task))),
		fault: due.rule,
	});
	service.lifetime.background(() => service.deliveries.send(early));
}

/**
 * The body of a callback. The spec calls it identical to the task status response and lists a bare record: the setting
 * `callbackShape` and the dialect choose.
 */
export function callbackBody(service: Service, task: Task): unknown {
	const writer = new RecordWriter(service);
	const record = { id: writer.id(task.id), ...service.families[task.family].record(service, task) };
	return service.settings.callbackShape === 'enveloped' || writer.dialect.callbackEnvelope
		? enveloped(record)
		: record;
}

/** In the order of sending: a forged callback first, then the genuine one, then its duplicates. */
function callbacksFor(
	service: Service,
	task: Task,
	base: string,
	faults: Effects<CallbackEffect>,
): Delivery[] {
	const body = callbackBody(service, task);
	const note = (kind: Delivery['kind'], content = body) =>
		service.deliveries.record({ kind, taskId: task.id, base, body: content, fault: faults.rules });

	const forgery = faults.find('forgedCallback')?.effect.forgery;
	const forged = forgery
		? [note('forged', forgery === 'unknownTask' ? ofUnknownTask(body) : withWrongLinks(body))]
		: [];
	const genuine = note('genuine');
	if (faults.find('missingCallback') && genuine.state === 'waiting') {
		genuine.state = 'withheld';
		genuine.reason = 'withheld by a fault rule';
	}
	const copies = faults.find('duplicateCallback')?.effect.copies ?? 1;
	return [...forged, genuine, ...Array.from({ length: copies - 1 }, () => note('duplicate'))];
}

async function sendAll(
	service: Service,
	callbacks: Delivery[],
	faults: Effects<CallbackEffect>,
): Promise<void> {
	const late = faults.find('lateCallback');
	if (late) await service.lifetime.sleep(late.effect.ms);
	const reorder = faults.find('reorderCallbacks');
	if (reorder) await service.deliveries.holdback.hold(reorder.rule, callbacks, reorder.effect);
	else
		await service.deliveries.sendAll(callbacks, faults.find('duplicateCallback')?.effect.spacing);
}

/** A copy of a running task that claims to have completed. */
function asCompleted(service: Service, task: Task): Task {
	const endedAt = service.clock.now();
	const results = resultsOf(task, endedAt);
	return { ...task, endedAt, outcome: { status: 'completed' }, results };
}

/** The body of a callback for a task that does not exist. */
function ofUnknownTask(body: unknown): unknown {
	return mapLeaves(body, (value, name) => (name === 'id' ? forgedId(value) : value));
}

function forgedId(id: unknown): unknown {
	if (typeof id === 'string') return `task_forged_${id.slice(-8)}`;
	return typeof id === 'number' ? id + 1 : id;
}

/** The body of a callback whose links lead elsewhere. */
function withWrongLinks(body: unknown): unknown {
	return mapLeaves(body, (value) =>
		typeof value === 'string' && /^https?:\/\//.test(value) ? FORGED_LINK : value,
	);
}
