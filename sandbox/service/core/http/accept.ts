import type { FastifyRequest } from 'fastify';
import { settle } from '../tasks/settle';
import { submit, type Submission } from '../tasks/submit';
import type { Service } from '../service';
import { acknowledgement } from '../tasks/taskRecord';

/** Buys a submission and notes in the request log which task it became. */
export async function accept(service: Service, request: FastifyRequest, submission: Submission) {
	const task = submit(service, submission);
	if (request.exchange) request.exchange.task = task.id;
	if (task.answersAfterCallback) {
		settle(service, task);
		await service.deliveries.afterFirstAttempt(task.id);
	}
	return acknowledgement(task);
}
