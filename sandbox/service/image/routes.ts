import type { FastifyInstance } from 'fastify';
import { ServiceError } from '../core/errors';
import { bearerAccount } from '../core/http/auth';
import type { Service } from '../core/service';
import { ownTask } from '../core/tasks/lifecycle';
import { submissionRoute } from '../core/tasks/submit';
import { imageSubmission } from './plan';
import { imageGenerationRecord } from './record';

const PATH = '/v1/images/generations';

/** Image generation (spec, section 3). */
export function imageRoutes(app: FastifyInstance, service: Service): void {
	submissionRoute(app, service, PATH, imageSubmission);

	app.get<{ Params: { id: string } }>(`${PATH}/:id`, (request) => {
		const account = bearerAccount(service, request);
		const task = ownTask(service, account, request.params.id, 'image');
		if (!task) throw new ServiceError(404, 'task not found');
		return imageGenerationRecord(service, task);
	});
}
