import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Service } from '../service';
import { FAMILIES, type Family } from '../store/tasks';
import { cutInHalf, statusAnswer, truncate } from './brokenAnswers';
import type { RequestEffect } from './rule';

/** The effect that waits for the answer of a request. */
const pending = new WeakMap<FastifyRequest, Exclude<RequestEffect, { type: 'slow' }>>();

/** Applies fault rules to requests, before the handler and to its answer. */
export function installRequestFaults(app: FastifyInstance, service: Service): void {
	app.addHook('preValidation', async (request, reply) => {
		const { exchange } = request;
		if (!exchange) return;
		const { method, path } = exchange;
		const family = familyOf(service, path);
		const [due] = service.faults.due('request', { method, path, family }).all;
		if (!due) return;
		exchange.fault = due.rule;
		const { effect } = due;

		if (effect.type === 'slow') {
			await service.lifetime.sleep(effect.ms);
		} else if (!('when' in effect) || effect.when === 'after') {
			pending.set(request, effect);
		} else if (effect.type === 'status') {
			await reply.send(statusAnswer(reply, effect));
		} else {
			reply.hijack();
			leaveUnanswered(service, request, effect.type);
		}
	});

	app.addHook('onSend', async (request, reply, payload) => {
		const effect = pending.get(request);
		if (!effect) return payload;
		pending.delete(request);
		if (effect.type !== 'cutBody') reply.removeHeader('content-length');
		switch (effect.type) {
			case 'status':
				return statusAnswer(reply, effect);
			case 'malformedJson':
				return '{"code": 200, "data": [{ status: submitted';
			case 'truncatedJson':
				return truncate(payload);
			case 'emptyBody':
				return '';
			case 'cutBody':
				return cutInHalf(reply, payload);
			case 'reset':
				leaveUnanswered(service, request, 'reset');
				return payload;
			case 'hang':
				leaveUnanswered(service, request, 'hang');
				return await new Promise<never>(() => {});
		}
	});
}

/** Ends a request by a reset of its connection, where the client sees ECONNRESET, or leaves it open. */
function leaveUnanswered(
	service: Service,
	{ exchange, raw }: FastifyRequest,
	how: 'reset' | 'hang',
): void {
	const outcome = how === 'reset' ? 'reset' : 'unanswered';
	if (exchange) service.requests.end(exchange, { outcome, status: null, tookMs: null });
	if (how === 'reset') raw.socket.resetAndDestroy();
}

/** The family of a path; for a task query, the family of the task. */
function familyOf({ families, tasks, taskPaths }: Service, path: string): Family | null {
	for (const taskPath of Object.values(taskPaths)) {
		const [before = '', after = ''] = taskPath.split('{task_id}');
		const task = path.startsWith(before)
			? tasks.get(path.slice(before.length, path.length - after.length))
			: undefined;
		if (task && path.endsWith(after)) return task.family;
	}
	return FAMILIES.find((family) => path.startsWith(families[family].prefix)) ?? null;
}
