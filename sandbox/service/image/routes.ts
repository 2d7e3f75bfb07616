import type { FastifyInstance } from 'fastify';
import { ServiceError } from '../core/errors';
import { bearerAccount } from '../core/http/auth';
import type { Service } from '../core/service';
import { current } from '../core/tasks/lifecycle';
import { accept } from '../core/tasks/submit';
import { imageSubmission } from './plan';
import { imageGenerationRecord } from './record';
import { imageRequest } from './request';

const PATH = '/v1/images/generations';

/** Image generation (spec, section 3). */
export function imageRoutes(app: FastifyInstance, service: Service): void {
	app.post(PATH, async (request) => {
		const account = bearerAccount(service, request);
		const { body } = request;
		return accept(
			service,
			request,
			imageSubmission(await imageRequest(service, body), { account, path: PATH, body }),
		);
	});

	app.get<{ Params: { id: string } }>(`${PATH}/:id`, (request) => {
		const account = bearerAccount(service, request);
		const task = service.tasks.find(request.params.id);
		if (task?.family !== 'image' || task.key !== account.key)
			throw new ServiceError(404, 'task not found');
		return imageGenerationRecord(service, current(service, task));
	});
}
