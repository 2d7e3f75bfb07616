import type { IExecuteFunctions } from 'n8n-workflow';

import { ServiceFault } from '../shared/api/faults';
import type { balanceRecord } from '../shared/api/records';
import { toCamelCase } from '../shared/util/case';
import { fetchBalance } from '../shared/tasks/balance';
import { createClient } from '../shared/api/client';
import { asNodeError } from '../shared/n8n/nodeErrors';
import type { z } from '../shared/util/vendor/zod';

export type BalanceRecord = z.infer<typeof balanceRecord>;

/**
 * The balance of the node's key (spec §1). Throws a `NodeApiError` with the service's own message when the service
 * could not answer, also where it says so with HTTP 200.
 */
export async function readBalance(context: IExecuteFunctions): Promise<BalanceRecord> {
	try {
		const client = await createClient(context, context.getExecutionCancelSignal());
		const balance = await fetchBalance(client);
		if (balance.success) return balance;
		const message = client.connection.redact(balance.message ?? 'it gives no reason');
		throw new ServiceFault('authentication', `The service could not tell the balance: ${message}`, 'no');
	} catch (error) {
		throw asNodeError(context.getNode(), error);
	}
}

/** What is left, as a number as it came; `null` for a key without a limit. */
export function remainingOf(record: BalanceRecord, unit: 'balance' | 'credits'): number | null {
	if (record.unlimited_quota) return null;
	return unit === 'balance' ? record.remain_balance : record.remain_credits;
}

/** The record under camelCase names, with `remaining` beside it. */
export function describeBalance(record: BalanceRecord) {
	return {
		...Object.fromEntries(Object.entries(record).map(([name, value]) => [toCamelCase(name), value])),
		remaining: remainingOf(record, 'balance'),
		remainingCredits: remainingOf(record, 'credits'),
	};
}
