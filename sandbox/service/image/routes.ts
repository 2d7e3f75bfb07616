import type { FastifyInstance } from 'fastify';
import { ServiceError } from '../core/errors';
import { bearerAccount } from '../core/http/auth';
import type { Service } from '../core/service';
import { ownTask } from '../core/tasks/lifecycle';
import { imageGenerationRecord } from './record';

/** The task query that a workflow example of the spec uses (section 3), beside the one of all families. */
export function imageRoutes(app: FastifyInstance, service: Service): void {
	app.get<{ Params: { id: string } }>('/v1/images/generations/:id', (request) => {
		const account = bearerAccount(service, request);
		const task = ownTask(service, account, request.params.id, 'image');
		if (!task) throw new ServiceError(404, 'task not found');
		return imageGenerationRecord(service, task);
	});
}
