import type { FastifyInstance } from 'fastify';
import type { Service } from '../core/service';
import { submissionRoute } from '../core/tasks/submit';
import { gridSubmission, imagineSubmission } from './plan';
import { GRID_OPERATIONS, type GridOperationName } from './request';

/** Grid operations (spec, section 4), and the sandbox's own imagine and upscale. */
export function gridRoutes(app: FastifyInstance, service: Service): void {
	submissionRoute(app, service, '/v1/gridart/generations/imagine', imagineSubmission);
	for (const operation of Object.keys(GRID_OPERATIONS) as GridOperationName[])
		submissionRoute(app, service, GRID_OPERATIONS[operation].path, (sent) =>
			gridSubmission(sent, operation),
		);
}
