import type { Account } from '../entities/account';
import type { Family, Fate, Plan, Task } from '../entities/task';
import type { TaskEffect } from '../faults/rule';
import { shortened } from '../rules/parse';
import type { Service } from '../service';
import { createTask } from './create';

/** A request that has been read and found good, ready to be bought. */
export interface Submission {
	account: Account;
	family: Family;
	operation: string;
	path: string;
	/** As it came. */
	body: unknown;
	/** Fields that take effect. */
	applied: Readonly<Record<string, unknown>>;
	ignored?: readonly string[];
	notes?: readonly string[];
	webhook?: string | undefined;
	/** Name in the price table. */
	item: string;
	credits: number;
	/** Where results are paid for one by one: the price of one. */
	creditsPerResult?: number;
	/** Why it is going to fail, where something in the request asks for that. */
	failure?: string | undefined;
	/** Clock milliseconds, where it is not the family's usual time. */
	durationMs?: number;
	/**
	 * What will be made.
	 * @param produced how many results come out, where a fault rule makes it fewer than were paid for
	 */
	plan(taskId: string, produced?: number): Plan;
}

/**
 * Accepts a submission: charges it, files the task and lets it run.
 * @throws ServiceError 402 when the balance is insufficient; nothing is accepted then
 */
export function submit(service: Service, submission: Submission): Task {
	const { account, family, operation, path, item, credits, creditsPerResult } = submission;
	service.accounts.take(account, credits);

	const effect = service.faults.forTask({ method: 'POST', path, family })?.effect;
	const produced = effect?.type === 'shortfall' ? effect.produced : undefined;
	const missing = produced === undefined || creditsPerResult === undefined ? 0 : credits / creditsPerResult - produced;
	const id = service.ids.next('task');
	service.ledger.write({ type: 'charge', key: account.key, credits, taskId: id, item });
	return createTask(service, {
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
		durationMs: effect?.type === 'duration' ? effect.ms : (submission.durationMs ?? service.durations.of(family)),
		padTo: effect?.type === 'resultBytes' ? effect.bytes : null,
		credits,
		missingCredits: Math.max(0, missing) * (creditsPerResult ?? 0),
		fate: fateOf(submission, effect),
	});
}

function fateOf({ failure }: Submission, effect: TaskEffect | undefined): Fate {
	if (effect?.type === 'failTask') return { status: 'failed', message: effect.message, code: effect.code };
	return failure === undefined ? { status: 'completed' } : { status: 'failed', message: failure, code: '' };
}
