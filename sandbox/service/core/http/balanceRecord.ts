import type { Account } from '../store/account';
import { creditsToCost } from '../prices';

/** The balance record (spec, Balance record): -1 where there is no limit. */
export function balanceRecord({ unlimited, remainCredits, usedCredits }: Account) {
	return {
		success: true,
		remain_balance: unlimited ? -1 : creditsToCost(remainCredits),
		remain_credits: unlimited ? -1 : remainCredits,
		used_balance: creditsToCost(usedCredits),
		used_credits: usedCredits,
		unlimited_quota: unlimited,
	};
}
