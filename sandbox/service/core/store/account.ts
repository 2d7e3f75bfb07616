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
