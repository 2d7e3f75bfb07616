import { objectOf, toText } from '../util/json';
import { z } from '../util/vendor/zod';
import { AuthenticationError } from './errors';
import { enveloped, toNumber } from './records';

export const BALANCE_PATH = '/v1/balance';

const amount = z.unknown().transform((value) => toNumber(value) ?? null);

/** Balance of the key that asks (spec, Balance record). `null` for an amount that the service does not give. */
const balanceRecord = z
	.object({
		success: z.unknown(),
		message: z.unknown(),
		remain_balance: amount,
		remain_credits: amount,
		used_balance: amount,
		used_credits: amount,
		unlimited_quota: z
			.unknown()
			.transform((value) => value === true || value === 'true' || value === 1),
	})
	.passthrough();

export type BalanceRecord = z.infer<typeof balanceRecord> & {
	/** As received. */
	raw: Record<string, unknown>;
};

/** What remains, in the unit that the service is set up with, or in credits; `null` for a key without a limit, and where it is not stated. */
export function remainingOf(record: BalanceRecord, unit: 'balance' | 'credits'): number | null {
	if (record.unlimited_quota) return null;
	return unit === 'balance' ? record.remain_balance : record.remain_credits;
}

export const remainingFields = (record: BalanceRecord) => ({
	remaining: remainingOf(record, 'balance'),
	remainingCredits: remainingOf(record, 'credits'),
});

/** Reads a balance record, bare or in `data`. Throws an `AuthenticationError` where the service gives none, which may come with HTTP 200. */
export function readBalance(answer: unknown): BalanceRecord | undefined {
	const whole = objectOf(answer);
	const body = enveloped(whole) ?? whole;
	if (body.success === false || body.success === 'false') {
		const reason = toText(body.message) ?? 'no reason given';
		throw new AuthenticationError(`The balance could not be read: ${reason}`);
	}
	const record = { ...balanceRecord.parse(body), raw: body };
	const { remain_balance: balance, remain_credits: credits, unlimited_quota: unlimited } = record;
	return balance !== null || credits !== null || unlimited ? record : undefined;
}
