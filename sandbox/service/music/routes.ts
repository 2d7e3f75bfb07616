import type { FastifyInstance } from 'fastify';
import { ServiceError } from '../core/errors';
import { current, settle } from '../core/tasks/settle';
import { submit } from '../core/tasks/submit';
import { musicSubmission } from './plan';
import { MUSIC_OPERATIONS, type MusicOperationName } from './operations';
import type { Service } from '../core/service';
import { musicTaskRecord } from './record';
import { accept } from '../core/http/accept';
import { bearerAccount } from '../core/http/auth';

/** Music operations (spec, section 2). */
export function musicRoutes(app: FastifyInstance, service: Service): void {
	for (const operation of Object.keys(MUSIC_OPERATIONS) as MusicOperationName[]) {
		const path = `/v1/music/generations/${operation}`;
		app.post(path, (request) => {
			const account = bearerAccount(service, request);
			const submission = musicSubmission(service, account, path, operation, request.body);
			if (operation !== 'upsampleTags') return accept(service, request, submission);

			const task = submit(service, submission);
			if (request.exchange) request.exchange.task = task.id;
			settle(service, task);
			// The spec says "returns a task" and shows no shape: the acknowledgement's, with the record in it.
			return { code: 200, data: [{ task_id: task.id, ...musicTaskRecord(service, task) }] };
		});
	}

	app.get<{ Params: { id: string } }>('/v1/music/tasks/:id', (request) => {
		const account = bearerAccount(service, request);
		const task = service.tasks.find(request.params.id);
		if (task?.family !== 'music' || task.key !== account.key) throw new ServiceError(404, 'task not found');
		return { code: 200, data: musicTaskRecord(service, current(service, task)) };
	});
}
