import type { FastifyInstance } from 'fastify';
import { bearerAccount } from '../core/http/auth';
import type { Service } from '../core/service';
import { accept } from '../core/tasks/submit';
import { gridSubmission, imagineSubmission } from './plan';
import { GRID_OPERATIONS, IMAGINE_PATH, type GridOperationName } from './request';

/** Grid operations (spec, section 4), and the sandbox's own imagine and upscale. */
export function gridRoutes(app: FastifyInstance, service: Service): void {
	app.post(IMAGINE_PATH, (request) => {
		const account = bearerAccount(service, request);
		return accept(service, request, imagineSubmission(service, account, request.body));
	});

	for (const operation of Object.keys(GRID_OPERATIONS) as GridOperationName[]) {
		app.post(GRID_OPERATIONS[operation].path, (request) => {
			const account = bearerAccount(service, request);
			return accept(service, request, gridSubmission(service, account, operation, request.body));
		});
	}
}
