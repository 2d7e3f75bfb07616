import type { Account } from '../entities/account';
import type { Family, Plan, Task } from '../entities/task';
import { shortened } from '../rules/parse';
import type { Service } from '../service';
import { settle } from './settle';

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
	webhook: string | undefined;
	/** Name in the price table. */
	item: string;
	credits: number;
	/** Whether a documented phrase asks for a failure. */
	fails?: boolean;
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
	const { account, family, operation, path, item, credits } = submission;
	service.accounts.take(account, credits);

	const due = service.faults.forTask({ method: 'POST', path, family });
	const effect = due?.effect;
	const id = service.ids.next('task');
	const failure = { status: 'failed', message: 'The generation failed, as the prompt asked it to.', code: '' } as const;
	const usual = submission.durationMs ?? service.durations.of(family);
	const task: Task = {
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
		plan: submission.plan(id, effect?.type === 'shortfall' ? effect.produced : undefined),
		createdAt: service.clock.now(),
		durationMs: effect?.type === 'duration' ? effect.ms : usual,
		padTo: effect?.type === 'resultBytes' ? effect.bytes : null,
		credits,
		fate: submission.fails ? failure : { status: 'completed' },
		refunded: 0,
		endedAt: null,
		result: null,
	};
	if (effect?.type === 'failTask') task.fate = { status: 'failed', message: effect.message, code: effect.code };

	service.tasks.add(task);
	service.ledger.write({ type: 'charge', key: account.key, credits, taskId: id, item });
	service.lifetime.background(() => live(service, task));
	return task;
}

async function live(service: Service, task: Task): Promise<void> {
	if (task.durationMs === null) return;
	await service.lifetime.sleep(task.durationMs);
	settle(service, task);
}
