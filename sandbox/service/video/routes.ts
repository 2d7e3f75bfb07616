import type { FastifyInstance } from 'fastify';
import { remixSubmission } from './remix';
import { VIDEO_PATH, videoSubmission } from './plan';
import type { Service } from '../core/service';
import { accept } from '../core/tasks/submit';
import { bearerAccount } from '../core/http/auth';

/** Video generation and extension (spec, sections 5 and 6). */
export function videoRoutes(app: FastifyInstance, service: Service): void {
	app.post(VIDEO_PATH, async (request) => {
		const account = bearerAccount(service, request);
		return accept(service, request, await videoSubmission(service, account, request.body));
	});

	app.post<{ Params: { id: string } }>('/v1/videos/:id/remix', (request) => {
		const account = bearerAccount(service, request);
		const { id } = request.params;
		return accept(
			service,
			request,
			remixSubmission(service, account, `/v1/videos/${id}/remix`, id, request.body),
		);
	});
}
