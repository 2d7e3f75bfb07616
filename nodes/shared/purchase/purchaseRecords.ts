import { createHash, randomUUID } from 'crypto';
import type { IDataObject } from 'n8n-workflow';

import { clock } from '../util/clock';
import { objectIn, toJson } from '../util/json';
import { z } from '../util/vendor/zod';

/** n8n keeps this object with the execution's own data, as long as the execution lives. */
interface ExecutionContext {
	getContext(type: 'node'): IDataObject;
}

/**
 * What is known of a purchase (design, Purchases). A rejected one, or one that failed and was refunded, has no record.
 * - `pending`: the request was sent, and nothing is known of its answer
 * - `accepted`: the service gave a task id
 * - `answered`: a chat response was read
 */
const purchaseState = z.discriminatedUnion('state', [
	z.object({ state: z.literal('pending') }),
	z.object({ state: z.literal('accepted'), taskId: z.string() }),
	z.object({ state: z.literal('answered'), response: z.record(z.unknown()) }),
]);

export type PurchaseState = z.infer<typeof purchaseState>;

const storedRecords = z.array(z.object({ run: z.string(), purchase: purchaseState }));

type StoredRecord = z.infer<typeof storedRecords>[number];

/** What makes two purchases of an item the same. */
export interface Purchase {
	itemIndex: number;
	operation: string;
	path: string;
	/** JSON, as the user gave it: pictures by their content, without a callback address. */
	body: unknown;
}

const RECORDS = 'mediaGenPurchases';
const UPLOADS = 'mediaGenUploads';

/** An upload's URL lives for 72 hours (spec §7); the task that uses it needs some of them. */
const REUSE_UPLOAD_MS = 70 * 3_600_000;

const storedUpload = z.object({ url: z.string(), reuseUntil: z.number() });

/** Runs of this process that have not ended: their records belong to nobody else. */
const activeRuns = new Set<string>();

/** A body can be long, and each step needs its key. */
const knownKeys = new WeakMap<Purchase, string>();

function keyOf(purchase: Purchase): string {
	const known = knownKeys.get(purchase);
	if (known !== undefined) return known;
	const { itemIndex, operation, path, body } = purchase;
	const text = JSON.stringify([operation, path, itemIndex, body]);
	const key = createHash('sha256').update(text).digest('base64url').slice(0, 32);
	knownKeys.set(purchase, key);
	return key;
}

/**
 * What this execution bought with this node. A record of an item that came out is dropped; the others are kept for the next
 * attempt: *Retry On Fail*, an agent's next try, or a failed execution that is run again. Each step takes constant time.
 */
export class PurchaseRecords {
	private readonly context: IDataObject;

	private readonly run: string = randomUUID();

	/** Keys of this run's own records, by item. */
	private readonly keys = new Map<number, string>();

	constructor(execution: ExecutionContext) {
		this.context = execution.getContext('node');
		activeRuns.add(this.run);
	}

	/** What an earlier attempt left of this purchase. From now on it belongs to this run. */
	claim(purchase: Purchase): PurchaseState | undefined {
		const key = keyOf(purchase);
		const found = this.at(key).find(({ run }) => run === this.run || !activeRuns.has(run));
		if (found) this.replace(purchase.itemIndex, key, found.purchase, found.run);
		return found?.purchase;
	}

	/** To be called right before the request is sent. */
	markPending(purchase: Purchase): void {
		this.replace(purchase.itemIndex, keyOf(purchase), { state: 'pending' });
	}

	markAccepted(purchase: Purchase, taskId: string): void {
		this.replace(purchase.itemIndex, keyOf(purchase), { state: 'accepted', taskId });
	}

	markAnswered(purchase: Purchase, response: Record<string, unknown>): void {
		this.replace(purchase.itemIndex, keyOf(purchase), { state: 'answered', response });
	}

	/** Drops an item's record: the service refused the request, the task failed and was refunded, or the item came out. */
	drop(itemIndex: number): void {
		const key = this.keys.get(itemIndex);
		if (key === undefined) return;
		this.keys.delete(itemIndex);
		this.store(key, this.at(key).filter(({ run }) => run !== this.run));
	}

	/** The URL of a picture that this execution uploaded before. */
	findUpload(fingerprint: string): string | undefined {
		const upload = storedUpload.safeParse(objectIn(this.context, UPLOADS)[fingerprint]);
		return upload.success && clock.now() < upload.data.reuseUntil ? upload.data.url : undefined;
	}

	markUploaded(fingerprint: string, url: string): void {
		objectIn(this.context, UPLOADS)[fingerprint] = { url, reuseUntil: clock.now() + REUSE_UPLOAD_MS };
	}

	/** Ends this run. Records that were not dropped are there for the next attempt. */
	close(): void {
		activeRuns.delete(this.run);
		if (Object.keys(this.records).length > 0) return;
		delete this.context[RECORDS];
		delete this.context[UPLOADS];
	}

	/**
	 * Records by purchase. Two runs side by side, such as an agent's batch, can have one each for the same purchase. Read again each
	 * time: the first of them to end may have removed an empty object.
	 */
	private get records(): IDataObject {
		return objectIn(this.context, RECORDS);
	}

	private at(key: string): StoredRecord[] {
		return storedRecords.catch([]).parse(this.records[key] ?? []);
	}

	/** Stores this run's record of a purchase in place of the one it had, or of the one that it claims. */
	private replace(itemIndex: number, key: string, purchase: PurchaseState, claimedFrom = this.run): void {
		const others = this.at(key);
		const replaced = others.findIndex(({ run }) => run === claimedFrom);
		if (replaced >= 0) others.splice(replaced, 1);
		this.keys.set(itemIndex, key);
		this.store(key, [...others, { run: this.run, purchase }]);
	}

	private store(key: string, records: readonly StoredRecord[]): void {
		if (records.length > 0) this.records[key] = records.map(toJson);
		else delete this.records[key];
	}
}
