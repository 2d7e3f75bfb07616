import type { FastifyInstance } from 'fastify';
import type { Service } from '../core/service';
import { submissionRoute } from '../core/tasks/submit';
import { MUSIC_OPERATIONS, type MusicOperationName } from './operations';
import { musicSubmission } from './plan';
import { uploadSubmission } from './upload';

/** Music operations (spec, section 2), and the sandbox's own upload. */
export function musicRoutes(app: FastifyInstance, service: Service): void {
	for (const operation of Object.keys(MUSIC_OPERATIONS) as MusicOperationName[])
		submissionRoute(app, service, `/v1/music/generations/${operation}`, (sent) =>
			musicSubmission(sent, operation),
		);
	submissionRoute(app, service, '/v1/music/uploads', uploadSubmission);
}
