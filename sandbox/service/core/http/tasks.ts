import type { FastifyInstance } from 'fastify';
import { ServiceError } from '../errors';
import type { Service } from '../service';
import { current } from '../tasks/lifecycle';
import { bearerAccount } from './auth';

/** The task queries: music has a path of its own, the other families share `GET /v1/tasks/{task_id}`. */
export function taskRoutes(app: FastifyInstance, service: Service): void {
	for (const path of new Set(Object.values(service.taskPaths))) {
		app.get<{ Params: { id: string } }>(path.replace('{task_id}', ':id'), (request) => {
			const account = bearerAccount(service, request);
			const task = service.tasks.find(request.params.id);
			// A task is visible to its owner's key only.
			if (!task || service.taskPaths[task.family] !== path || task.key !== account.key) throw new ServiceError(404, 'task not found');
			return { code: 200, data: service.families[task.family].record(service, current(service, task)) };
		});
	}
}
