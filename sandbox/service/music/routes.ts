import type { FastifyInstance } from 'fastify';
import { bearerAccount } from '../core/http/auth';
import type { Service } from '../core/service';
import { endTask } from '../core/tasks/lifecycle';
import { acknowledgement } from '../core/tasks/record';
import { accept, submit } from '../core/tasks/submit';
import { MUSIC_OPERATIONS, type MusicOperationName } from './operations';
import { musicSubmission } from './plan';
import { musicTaskRecord } from './record';
import { UPLOAD_PATH, uploadSubmission } from './upload';

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
			endTask(service, task);
			// The spec says "returns a task" and shows no shape: the sandbox puts the record into the acknowledgement.
			return acknowledgement(service, task, musicTaskRecord(service, task));
		});
	}

	app.post(UPLOAD_PATH, async (request) => {
		const account = bearerAccount(service, request);
		return accept(service, request, await uploadSubmission(service, account, request));
	});
}
