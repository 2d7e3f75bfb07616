import { z } from 'zod/v3';
import { ServiceError } from '../errors';
import type { Ledger, LedgerEntry } from './ledger';

/** Changes of a key; an omitted field keeps its value. A new key is active and limited, and has 1,000,000 credits. */
export const keySchema = z
	.object({
		key: z.string(),
		/** `deleted`: 401, and `success: false` of the balance query. `forbidden`: 403 everywhere. */
		status: z.enum(['active', 'deleted', 'forbidden']).optional(),
		unlimited: z.boolean().optional(),
		credits: z.number().int().min(0).optional(),
	})
	.strict();

export type KeyOptions = z.output<typeof keySchema>;

/** A key and its balance. A credit is a thousandth of the balance's unit. */
export interface Account {
	readonly key: string;
	status: NonNullable<KeyOptions['status']>;
	unlimited: boolean;
	remainCredits: number;
	usedCredits: number;
}

/** What of an entry in the ledger says why. */
type Reason = Pick<LedgerEntry, 'taskId' | 'item'>;

const NEW_KEY_CREDITS = 1_000_000;

/** The keys and their balances. What is charged and refunded stands in the ledger too. */
export class Accounts {
	private readonly byKey = new Map<string, Account>();

	constructor(
		keys: readonly KeyOptions[],
		private readonly ledger: Ledger,
	) {
		for (const options of keys) this.set(options);
	}

	find(key: string): Account | undefined {
		return this.byKey.get(key);
	}

	list(): Account[] {
		return [...this.byKey.values()];
	}

	/** Adds a key, or changes the given fields of an existing one. */
	set({ key, status, unlimited, credits }: KeyOptions): Account {
		const account = this.byKey.get(key) ?? {
			key,
			status: 'active',
			unlimited: false,
			remainCredits: NEW_KEY_CREDITS,
			usedCredits: 0,
		};
		account.status = status ?? account.status;
		account.unlimited = unlimited ?? account.unlimited;
		account.remainCredits = credits ?? account.remainCredits;
		this.byKey.set(key, account);
		return account;
	}

	/** @throws ServiceError 402 when the remaining credits are fewer */
	charge(account: Account, credits: number, reason: Reason): void {
		this.check(account, credits);
		this.move(account, credits);
		this.ledger.write({ type: 'charge', key: account.key, credits, ...reason });
	}

	/** @throws ServiceError 402 when the remaining credits are fewer */
	check(account: Account, credits: number): void {
		if (!account.unlimited && account.remainCredits < credits) {
			throw new ServiceError(
				402,
				`The balance is insufficient: this costs ${credits} credits, ${account.remainCredits} are left.`,
			);
		}
	}

	refund(key: string, credits: number, reason: Reason): void {
		const account = this.byKey.get(key);
		if (account) this.move(account, -credits);
		this.ledger.write({ type: 'refund', key, credits, ...reason });
	}

	private move(account: Account, credits: number): void {
		if (!account.unlimited) account.remainCredits -= credits;
		account.usedCredits += credits;
	}
}
