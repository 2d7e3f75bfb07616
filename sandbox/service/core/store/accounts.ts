import { ServiceError } from '../errors';

/** What the service makes of a key: `deleted` is unknown to all but the balance query, `forbidden` gets 403 everywhere. */
export type KeyStatus = 'active' | 'deleted' | 'forbidden';

/** A key and the money behind it. A credit is a thousandth of the balance's unit. */
export interface Account {
	readonly key: string;
	status: KeyStatus;
	unlimited: boolean;
	remainCredits: number;
	usedCredits: number;
}

/** How to set a key up; what is left out keeps its value, or for a new key: active, limited, 1,000,000 credits. */
export interface KeyOptions {
	key: string;
	status?: KeyStatus;
	unlimited?: boolean;
	credits?: number;
}

const NEW_KEY_CREDITS = 1_000_000;

/** The keys that exist, and their money. */
export class Accounts {
	private readonly byKey = new Map<string, Account>();

	constructor(private readonly initial: readonly KeyOptions[]) {
		this.reset();
	}

	find(key: string): Account | undefined {
		return this.byKey.get(key);
	}

	list(): Account[] {
		return [...this.byKey.values()];
	}

	/** Makes a key, or changes what is given of an existing one. */
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

	/** @throws ServiceError 402 when the key has not got that much left */
	take(account: Account, credits: number): void {
		this.check(account, credits);
		this.move(account, credits);
	}

	/** @throws ServiceError 402 when the key has not got that much left */
	check(account: Account, credits: number): void {
		if (!account.unlimited && account.remainCredits < credits) {
			throw new ServiceError(
				402,
				`The balance is insufficient: this costs ${credits} credits, ${account.remainCredits} are left.`,
			);
		}
	}

	giveBack(key: string, credits: number): void {
		const account = this.byKey.get(key);
		if (account) this.move(account, -credits);
	}

	reset(): void {
		this.byKey.clear();
		for (const options of this.initial) this.set(options);
	}

	private move(account: Account, credits: number): void {
		if (!account.unlimited) account.remainCredits -= credits;
		account.usedCredits += credits;
	}
}
