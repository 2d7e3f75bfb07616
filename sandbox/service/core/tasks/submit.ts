import type { FastifyRequest } from 'fastify';
import { announceEarly } from '../deliveries/announce';
import type { Effects } from '../faults/faultBook';
import type { TaskEffect } from '../faults/rule';
import { shortened } from '../http/parse';
import type { Service } from '../service';
import type { Account } from '../store/accounts';
import type { Family, Outcome, Plan, Task } from '../store/tasks';
import { createTask, endTask } from './lifecycle';
import { acknowledgement } from './record';

/** A valid request, ready to be bought. */
export interface Submission {
	account: Account;
	family: Family;
	operation: string;
	path: string;
	/** As received. */
	body: unknown;
	/** Fields that take effect. */
	applied: Readonly<Record<string, unknown>>;
	ignored?: readonly string[];
	notes?: readonly string[];
	webhook?: string | undefined;
	/** Name in the price table. */
	item: string;
	credits: number;
	/** The price of one result, where results are paid for one by one. */
	creditsPerResult?: number;
	/** Why it will fail, if the request asks for a failure. */
	failure?: string | undefined;
	/** Clock milliseconds, in place of the family's duration. */
	durationMs?: number;
	/**
	 * What will be made.
	 * @param produced number of results, if a fault rule limits it
	 */
	plan(taskId: string, produced?: number): Plan;
}

/**
 * Accepts a submission: charges it and creates the task.
 * @throws ServiceError 402 when the balance is insufficient; nothing is accepted then
 */
export function submit(service: Service, submission: Submission): Task {
	const { account, family, operation, path, item, credits, creditsPerResult } = submission;
	service.accounts.charge(account, credits);

	const faults = service.faults.forTask({ method: 'POST', path, family });
	const produced = faults.find('shortfall')?.effect.produced;
	const missing =
		produced === undefined || creditsPerResult === undefined
			? 0
			: credits / creditsPerResult - produced;
	const id = service.newTaskId();
	service.ledger.write({ type: 'charge', key: account.key, credits, taskId: id, item });
	const task = createTask(service, {
		id,
		family,
		operation,
		path,
		key: account.key,
		request: shortened(submission.body),
		applied: shortened(submission.applied) as Record<string, unknown>,
		ignored: submission.ignored ?? [],
		notes: submission.notes ?? [],
		webhook: submission.webhook ?? null,
		plan: submission.plan(id, produced),
		durationMs: durationOf(service, submission, faults),
		padTo: faults.find('resultBytes')?.effect.bytes ?? null,
		credits,
		missingCredits: Math.max(0, missing) * (creditsPerResult ?? 0),
		answersAfterCallback: faults.find('callbackFirst') !== undefined,
		outcome: outcomeOf(submission, faults),
	});
	announceEarly(service, task, faults.find('earlyCallback'));
	return task;
}

/** Accepts the submission of a request and answers with the acknowledgement (spec, Submission acknowledgement). */
export async function accept(service: Service, request: FastifyRequest, submission: Submission) {
	const task = submit(service, submission);
	if (request.exchange) request.exchange.task = task.id;
	if (task.answersAfterCallback) {
		endTask(service, task);
		await service.deliveries.afterFirstAttempt(task.id);
	}
	return acknowledgement(service, task);
}

function durationOf(
	service: Service,
	{ durationMs, family }: Submission,
	faults: Effects<TaskEffect>,
): number | null {
	const changed = faults.find('duration');
	if (faults.find('callbackFirst')) return 0;
	return changed ? changed.effect.ms : (durationMs ?? service.durations.of(family));
}

function outcomeOf({ failure }: Submission, faults: Effects<TaskEffect>): Outcome {
	const failed = faults.find('failTask')?.effect;
	if (failed) return { status: 'failed', message: failed.message, code: failed.code };
	return failure === undefined
		? { status: 'completed' }
		: { status: 'failed', message: failure, code: '' };
}
