import type { FastifyInstance } from 'fastify';
import { gridSubmission } from './plan';
import { GRID_OPERATIONS, type GridOperationName } from './request';
import type { Service } from '../core/service';
import { accept } from '../core/tasks/submit';
import { bearerAccount } from '../core/http/auth';

/** Follow-up operations on grid tasks (spec, section 4). */
export function gridRoutes(app: FastifyInstance, service: Service): void {
	for (const operation of Object.keys(GRID_OPERATIONS) as GridOperationName[]) {
		app.post(GRID_OPERATIONS[operation].path, (request) => {
			const account = bearerAccount(service, request);
			return accept(service, request, gridSubmission(service, account, operation, request.body));
		});
	}
}
