import type { FastifyInstance } from 'fastify';
import type { Service } from '../core/service';
import { submissionRoute } from '../core/tasks/submit';
import { videoSubmission } from './plan';
import { remixSubmission } from './remix';

/** Video generation and extension (spec, sections 5 and 6). */
export function videoRoutes(app: FastifyInstance, service: Service): void {
	submissionRoute(app, service, '/v1/videos/generations', videoSubmission);
	submissionRoute(app, service, '/v1/videos/:id/remix', remixSubmission);
}
