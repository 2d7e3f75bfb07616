import type { FastifyInstance } from 'fastify';
import { dialectOf } from '../dialects';
import { ServiceError } from '../errors';
import type { Service } from '../service';
import { current } from '../tasks/lifecycle';
import { enveloped } from '../tasks/record';
import { bearerAccount } from './auth';

/** The task queries: music has a path of its own, the other families share `GET /v1/tasks/{task_id}`. */
export function taskRoutes(app: FastifyInstance, service: Service): void {
	for (const path of new Set(Object.values(service.taskPaths))) {
		app.get<{ Params: { id: string } }>(path.replace('{task_id}', ':id'), (request) => {
			const account = bearerAccount(service, request);
			const task = service.tasks.find(request.params.id);
			// A task is visible to its owner's key only.
			if (!task || service.taskPaths[task.family] !== path || task.key !== account.key)
				throw new ServiceError(404, 'task not found');
			const record = service.families[task.family].record(service, current(service, task));
			const { isEnveloped } = service.families[task.family];
			return isEnveloped || dialectOf(service.settings.dialect).envelope
				? enveloped(record)
				: record;
		});
	}
}
