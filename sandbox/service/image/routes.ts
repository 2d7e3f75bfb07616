import type { FastifyInstance } from 'fastify';
import { ServiceError } from '../core/errors';
import { current } from '../core/tasks/settle';
import { imageSubmission } from './plan';
import type { Service } from '../core/service';
import { imageGenerationRecord } from './generationRecord';
import { bearerAccount } from '../core/http/auth';
import { accept } from '../core/http/accept';

const PATH = '/v1/images/generations';

/** Image generation (spec, section 3). */
export function imageRoutes(app: FastifyInstance, service: Service): void {
	app.post(PATH, async (request) => {
		const account = bearerAccount(service, request);
		return accept(service, request, await imageSubmission(service, account, PATH, request.body));
	});

	app.get<{ Params: { id: string } }>(`${PATH}/:id`, (request) => {
		const account = bearerAccount(service, request);
		const task = service.tasks.find(request.params.id);
		if (task?.family !== 'image' || task.key !== account.key) throw new ServiceError(404, 'task not found');
		return imageGenerationRecord(service, current(service, task));
	});
}
