import { balanceAnswer } from '../api/records';
import type { ServiceClient } from '../api/client';

const BALANCE_PATH = '/v1/balance';

/** Asks for the balance of the credential's key (spec §1). Throws a `ServiceFault`. */
export async function fetchBalance(client: ServiceClient) {
	return await client.send({ method: 'GET', path: BALANCE_PATH, retry: 'read' }, balanceAnswer);
}

/** A sentence with what is left, for a message that says it is not enough; `undefined` if it cannot be read. */
export async function remainingBalance(client: ServiceClient): Promise<string | undefined> {
	try {
		const balance = await fetchBalance(client);
		return balance.success
			? `Remaining: ${balance.remain_balance} (${balance.remain_credits} credits).`
			: undefined;
	} catch {
		return undefined;
	}
}
