import type { FastifyInstance } from 'fastify';
import { ServiceError } from '../errors';
import { current } from '../tasks/settle';
import type { Service } from '../service';
import { taskRecord } from '../tasks/taskRecord';
import { bearerAccount } from './auth';

/** `GET /v1/tasks/{task_id}`: every family but music, which has a path of its own. */
export function taskRoutes(app: FastifyInstance, service: Service): void {
	app.get<{ Params: { id: string } }>('/v1/tasks/:id', (request) => {
		const account = bearerAccount(service, request);
		const task = service.tasks.find(request.params.id);
		// Another key's task is as good as none: its owner alone may know of it.
		if (!task || task.family === 'music' || task.key !== account.key) throw new ServiceError(404, 'task not found');
		return { code: 200, data: taskRecord(service, current(service, task)) };
	});
}
