import type { FastifyInstance, FastifyRequest } from 'fastify';
import { announceEarly } from '../deliveries/announce';
import type { Effects } from '../faults/faultBook';
import type { TaskEffect } from '../faults/rule';
import { bearerAccount } from '../http/auth';
import { shortened, unknownFields } from '../http/parse';
import type { Service } from '../service';
import type { Account } from '../store/accounts';
import { failed, FAMILIES, type Family, type Outcome, type Plan, type Task } from '../store/tasks';
import { createTask, endTask } from './lifecycle';
import { acknowledgement } from './record';

/** A request with a key that may buy, not yet validated. */
export interface Sent {
	service: Service;
	account: Account;
	body: unknown;
	request: FastifyRequest<{ Params: Readonly<Record<string, string>> }>;
}

/** A valid request, ready to be bought. */
export interface Submission {
	operation: string;
	/** What was sent, where it is not JSON. */
	form?: Readonly<Record<string, unknown>> | undefined;
	/** Fields that take effect. */
	applied: Readonly<Record<string, unknown>> & { readonly webhook?: string | undefined };
	/** By default, the fields that are not in `applied`. */
	ignored?: readonly string[];
	notes?: readonly string[];
	/** Its name in the ledger. */
	item: string;
	credits: number;
	/** The price of one result, where results are paid for one by one. */
	creditsPerResult?: number;
	/** Why it will fail, if the request asks for a failure. */
	failure?: string | undefined;
	/** Clock milliseconds, in place of the family's duration. */
	durationMs?: number;
	/** Whether the task ends before the answer, which then has its record. */
	isSynchronous?: boolean;
	/**
	 * What will be made.
	 * @param produced number of results, if a fault rule limits it
	 */
	plan(taskId: string, produced?: number): Plan;
}

/** Validates a request and plans what it buys; throws a ServiceError. */
type Read = (sent: Sent) => Submission | Promise<Submission>;

/** What can be bought of each family, by path. */
export type Submissions = Readonly<Record<Family, Readonly<Record<string, Read>>>>;

/** Accepts submissions, and answers with the acknowledgement (spec, Submission acknowledgement). */
export function submissionRoutes(
	app: FastifyInstance,
	service: Service,
	submissions: Submissions,
): void {
	for (const family of FAMILIES)
		for (const [pattern, read] of Object.entries(submissions[family]))
			submissionRoute(app, service, family, pattern, read);
}

function submissionRoute(
	app: FastifyInstance,
	service: Service,
	family: Family,
	pattern: string,
	read: Read,
): void {
	app.post<{ Params: Record<string, string> }>(pattern, async (request) => {
		const { body, params } = request;
		const account = bearerAccount(service, request);
		const submission = await read({ service, account, body, request });
		const path = pattern.replace(/:(\w+)/, (_parameter, name: string) => params[name] ?? '');
		const sent = { service, account, body: submission.form ?? body };
		const task = submit(sent, { path, family }, submission);
		if (request.exchange) request.exchange.task = task.id;
		if (submission.isSynchronous) {
			endTask(service, task);
			// The spec says "returns a task" and shows no shape: the sandbox puts the record into the acknowledgement.
			return acknowledgement(service, task, service.families[family].record(service, task));
		}
		if (task.answersAfterCallback) {
			endTask(service, task);
			await service.deliveries.afterFirstAttempt(task.id);
		}
		return acknowledgement(service, task);
	});
}

/**
 * Accepts a submission: charges it and creates the task.
 * @throws ServiceError 402 when the balance is insufficient; nothing is accepted then
 */
function submit(
	{ service, account, body }: Omit<Sent, 'request'>,
	{ path, family }: { path: string; family: Family },
	submission: Submission,
): Task {
	const { operation, item, credits, creditsPerResult } = submission;
	service.accounts.check(account, credits);

	const { webhook, ...applied } = submission.applied;
	const faults = service.faults.due('task', { method: 'POST', path, family });
	const produced = faults.find('shortfall')?.effect.produced;
	const isShort = produced !== undefined && creditsPerResult !== undefined;
	const id = service.newTaskId();
	service.accounts.charge(account, credits, { taskId: id, item });
	const task = createTask(service, {
		id,
		operation,
		path,
		key: account.key,
		request: shortened(body),
		applied: shortened(applied) as Record<string, unknown>,
		ignored: submission.ignored ?? unknownFields(body, [...Object.keys(applied), 'webhook']),
		notes: submission.notes ?? [],
		webhook: webhook ?? null,
		plan: submission.plan(id, produced),
		durationMs: durationOf(faults, submission.durationMs ?? service.durations[family]),
		padTo: faults.find('resultBytes')?.effect.bytes ?? null,
		credits,
		missingCredits: isShort ? Math.max(0, credits - produced * creditsPerResult) : 0,
		answersAfterCallback: faults.find('callbackFirst') !== undefined,
		outcome: outcomeOf(submission, faults),
	});
	announceEarly(service, task, faults.find('earlyCallback'));
	return task;
}

function durationOf(faults: Effects<TaskEffect>, usual: number | null): number | null {
	if (faults.find('callbackFirst')) return 0;
	const changed = faults.find('duration');
	return changed ? changed.effect.ms : usual;
}

function outcomeOf({ failure }: Submission, faults: Effects<TaskEffect>): Outcome {
	const fault = faults.find('failTask')?.effect;
	if (fault) return failed(fault.message, fault.code);
	return failure === undefined ? { status: 'completed' } : failed(failure);
}
