import type { FastifyInstance } from 'fastify';
import { ServiceError } from '../errors';
import { current } from '../lifecycle/settle';
import { imageSubmission } from '../plans/image';
import type { Service } from '../service';
import { imageGenerationRecord } from '../views/imageGeneration';
import { bearerAccount } from './auth';
import { accept } from './accept';

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
