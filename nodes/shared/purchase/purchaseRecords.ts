import { createHash, randomUUID } from 'crypto';
import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { type BrandWordMap, inDeploymentWords, toDeploymentWords } from '../api/brandWords';
import { recordKeyIn } from '../n8n/failedItems';
import { isTool, requestParameters } from '../n8n/readOptions';
import { hashOf, isObject, isText, objectIn, objectOf, toJson } from '../util/json';
import { Memory } from '../util/memory';
import { z } from '../util/vendor/zod';

/** The part of an n8n context that tells one run of a node from another. */
interface ExecutionContext extends Pick<
	IExecuteFunctions,
	'getContext' | 'getExecutionId' | 'getInputData' | 'getNode'
> {
	getWorkflowDataProxy(itemIndex: number): Record<string, unknown>;
}

/**
 * What is known of a purchase (design, Purchases). A rejected one, or one that failed and was refunded, has no record.
 * - `pending`: the request was sent, by the run and record `sentBy`, and nothing is known of its answer, or only that it was a 2xx that could not be read
 * - `accepted`: the service gave a task id; `execution` is the one that it calls at the task's end, if any
 * - `answered`: a chat response was read
 */
const purchaseState = z.discriminatedUnion('state', [
	z.object({
		state: z.literal('pending'),
		sentBy: z.string().optional(),
		response: z.string().optional(),
	}),
	z.object({ state: z.literal('accepted'), taskId: z.string(), execution: z.string().optional() }),
	z.object({ state: z.literal('answered'), response: z.record(z.unknown()) }),
]);

export type PurchaseState = z.infer<typeof purchaseState>;

/** What an earlier attempt left. `hasChanged`: its request was another one, from the same item and the same parameters. */
type ClaimedPurchase = PurchaseState & { hasChanged?: true };

const storedRecords = z.array(z.object({ run: z.string(), purchase: purchaseState })).catch([]);

type StoredRecord = z.infer<typeof storedRecords>[number];

/** What is bought: two requests that are the same in this are the same purchase. */
export interface PaidRequest {
	/** Family and operation, such as `image.generate`. */
	operation: string;
	path: string;
	/** As the user gave it, without a callback address. Pictures of the input stand in it as their fingerprints. */
	body: Readonly<Record<string, unknown>>;
	/** Set where the request is form data: the file, as its fingerprint. */
	file?: unknown;
}

export interface Purchase extends PaidRequest {
	itemIndex: number;
}

/** JSON with its fields in a fixed order, however they came. */
function canonical(value: unknown): string {
	if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
	if (!isObject(value)) return JSON.stringify(value);
	const fields = Object.keys(value).sort();
	return `{${fields.map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`).join()}}`;
}

/**
 * A text that is the same for the same request in any execution, on any machine: 32 hexadecimal digits, fit for a file's name.
 *
 * @param words the deployment's own words, which are a part of what is sent
 * @param copy the number of a wanted repetition, from 1: it makes another key
 */
export function purchaseKey(
	{ operation, path, body, file }: PaidRequest,
	words: BrandWordMap,
	copy: number,
): string {
	const { webhook: _, ...paid } = body;
	const sentPath = toDeploymentWords(path, words);
	const request = [operation, sentPath, inDeploymentWords(paid, words), file, copy];
	// What is sent is JSON: fields without a value are not in it.
	const sent: unknown = JSON.parse(JSON.stringify(request));
	return createHash('sha256').update(canonical(sent)).digest('hex').slice(0, 32);
}

const RECORDS = 'mediaGenPurchases';
const ORIGINS = 'mediaGenOrigins';

/** Runs of this process that have not ended: their records belong to nobody else. */
const activeRuns = new Set<string>();

/** Tasks of runs that paused. While n8n 1.123 recovers from a kill, it may lose a pause that it stores: it runs the node again, without records. */
let paused: Memory<string> | undefined;

const MAX_PAUSED = 20_000;

/** What runs learned after they had ended, by `sentBy`: n8n cancels a node without waiting for its answers, and has saved the records. */
let late: Memory<PurchaseState | 'refused'> | undefined;

const MAX_LATE = 1_000;

/** A body can be long, and each step needs its key. */
const knownKeys = new WeakMap<Purchase, string>();

/** The key is the same for the same request, in whichever item and run. */
function requestKey(purchase: Purchase): string {
	const { operation, path, body, file } = purchase;
	const key =
		knownKeys.get(purchase) ?? hashOf([operation, path, file === undefined ? body : [body, file]]);
	knownKeys.set(purchase, key);
	return key;
}

const requestIn = (key: string) => key.split('.')[0];

/**
 * What this execution bought with this node. A record of an item that came out is dropped; the others are kept for the next attempt: *Retry
 * On Fail*, an agent's next try, a failed execution that is run again, or an error item that is led back. Each step takes constant time.
 */
export class PurchaseRecords {
	/** n8n keeps this object with the execution's own data, as long as the execution lives. */
	private readonly context: IDataObject;

	private readonly run: string = randomUUID();

	/** Who sends a request: this run, for this record. */
	private readonly senderOf = (key: string) => `${this.run} ${key}`;

	/** n8n's run index: the same in each attempt of a run, one more in each round of a loop. It is new in each try of an agent's tool: there it is ''. */
	readonly runIndex: string = '';

	/** Keys of this run's own records, by item; and of those that earlier attempts left. */
	private readonly keys = new Map<number, string>();
	private left?: ReadonlyMap<number, string>;

	private readonly isTool: boolean;

	private readonly parameters: string;

	constructor(private readonly execution: ExecutionContext) {
		const node = execution.getNode();
		this.context = execution.getContext('node');
		this.isTool = isTool(node);
		this.parameters = hashOf(requestParameters(node));
		const { $runIndex } = execution.getWorkflowDataProxy(0);
		if (typeof $runIndex === 'number' && !this.isTool) this.runIndex = String($runIndex);
		activeRuns.add(this.run);
	}

	/** What an earlier attempt left of this purchase, or a run whose error item came back. From now on it belongs to this run. */
	claim(purchase: Purchase): ClaimedPurchase | undefined {
		const found = this.find(purchase);
		if (!found) return this.takePaused(purchase);
		const { place, run, purchase: state, isSame } = found;
		this.replace(place, run);
		this.mark(purchase, state);
		return isSame ? state : { ...state, hasChanged: true };
	}

	stateOf(purchase: Purchase): PurchaseState['state'] | undefined {
		return this.find(purchase)?.purchase.state;
	}

	/** Forgets a purchase that the service refused after its run had ended. Returns whether there was one. */
	forgetRefused(purchase: Purchase): boolean {
		const place = this.placesOf(purchase).find(
			(each) => this.at(each).length < storedRecords.parse(this.records[each]).length,
		);
		if (place !== undefined) this.replace(place, '');
		return place !== undefined;
	}

	/** What earlier attempts left of this run's items, and no other run has, with the key of each record. For an agent, those are other calls. */
	leftByItem(): Array<{ itemIndex: number; key: string; purchase: PurchaseState }> {
		return (this.isTool ? [] : Object.keys(this.records)).flatMap((key) => {
			const [, runIndex, itemIndex] = key.split('.');
			const left = runIndex === this.runIndex ? this.at(key) : [];
			return left
				.filter(({ run }) => !activeRuns.has(run))
				.map(({ purchase }) => ({ itemIndex: Number(itemIndex), key, purchase }));
		});
	}

	/** Whether the input is this run's own output, which n8n keeps in its place after a pause. An item of another run names its record. */
	isOwnOutput(): boolean {
		if (this.isTool) return false;
		const tasks = new Set<unknown>(
			this.leftByItem().flatMap(({ purchase }) =>
				purchase.state === 'accepted' ? purchase.taskId : [],
			),
		);
		return this.execution.getInputData().some(({ json }) => {
			const [, runIndex = this.runIndex] = recordKeyIn(json)?.split('.') ?? [];
			const taskId = json.taskId ?? objectOf(json.error).taskId;
			return tasks.has(taskId) && runIndex === this.runIndex;
		});
	}

	/** The key by which an item that comes back finds its record; `undefined` where it has none. An agent sends no item back. */
	recordKey(itemIndex: number): string | undefined {
		if (this.isTool) return undefined;
		this.left ??= new Map(this.leftByItem().map((each) => [each.itemIndex, each.key]));
		const key = this.keys.get(itemIndex) ?? this.namedBy(itemIndex) ?? this.left.get(itemIndex);
		return key !== undefined && this.at(key).length > 0 ? key : undefined;
	}

	/** Stores what is known of a purchase, in place of what was known: `pending` right before its request is sent. */
	mark(purchase: Purchase, known: PurchaseState): void {
		const { itemIndex } = purchase;
		const key = this.keyFor(purchase);
		const state = known.state === 'pending' ? { sentBy: this.senderOf(key), ...known } : known;
		this.keys.set(itemIndex, key);
		this.origins[this.originOf(itemIndex)] = key;
		this.replace(key, this.run, { run: this.run, purchase: state });
		this.noteLate(key, state);
	}

	/** To be called before the node pauses. An agent may want the same again. */
	markPaused(): void {
		if (this.isTool) return;
		paused ??= new Memory(MAX_PAUSED);
		for (const key of this.keys.values()) {
			const own = this.at(key).find(({ run }) => run === this.run)?.purchase;
			if (own?.state === 'accepted') paused.set(this.pausedPlace(key), own.taskId);
		}
	}

	/** Drops an item's record: it came out, the service refused the request, or the task failed and was refunded. */
	drop(itemIndex: number): void {
		const key = this.keys.get(itemIndex);
		if (key === undefined) return;
		this.keys.delete(itemIndex);
		delete this.origins[this.originOf(itemIndex)];
		this.replace(key, this.run);
		this.noteLate(key, 'refused');
	}

	/** Ends this run. Records that were not dropped are kept for the next attempt. */
	close(): void {
		activeRuns.delete(this.run);
		if (Object.keys(this.records).length > 0) return;
		delete this.context[RECORDS];
		delete this.context[ORIGINS];
	}

	/** Records by purchase: two runs side by side can have one each for the same. The first of them to end may remove an empty object. */
	private get records(): IDataObject {
		return objectIn(this.context, RECORDS);
	}

	/** Keys of records by what made their requests. */
	private get origins(): IDataObject {
		return objectIn(this.context, ORIGINS);
	}

	/** What makes an item's request: the item, and the parameters, before `$now` in them is evaluated. An agent makes any requests of the same. */
	private originOf(itemIndex: number): string {
		if (this.isTool) return this.run;
		const json = this.execution.getInputData()[itemIndex]?.json;
		return [hashOf([this.parameters, json]), this.runIndex, itemIndex].join('.');
	}

	private keyFor(purchase: Purchase): string {
		return [requestKey(purchase), this.runIndex, purchase.itemIndex].join('.');
	}

	private pausedPlace(key: string): string {
		return [this.execution.getExecutionId(), this.execution.getNode().name, key].join('\n');
	}

	/** The task of a pause that n8n has lost. */
	private takePaused(purchase: Purchase): ClaimedPurchase | undefined {
		const taskId = paused?.get(this.pausedPlace(this.keyFor(purchase)));
		if (taskId === undefined) return undefined;
		const execution = this.execution.getExecutionId();
		const state = { state: 'accepted', taskId, execution } as const;
		this.mark(purchase, state);
		return state;
	}

	private noteLate(key: string, known: PurchaseState | 'refused'): void {
		if (activeRuns.has(this.run)) return;
		late ??= new Memory(MAX_LATE);
		late.set(this.senderOf(key), known);
	}

	private namedBy(itemIndex: number): string | undefined {
		return recordKeyIn(this.execution.getInputData()[itemIndex]?.json);
	}

	/** Where the record of a purchase may be: by its request, by what its item names, and of another request from the same item and parameters. */
	private placesOf(purchase: Purchase): string[] {
		const key = this.keyFor(purchase);
		const named = this.namedBy(purchase.itemIndex);
		const origin = this.origins[this.originOf(purchase.itemIndex)];
		return [key, named && requestIn(named) === requestIn(key) ? named : '', origin].filter(isText);
	}

	/** The record that no run has. */
	private find(purchase: Purchase) {
		for (const place of this.placesOf(purchase)) {
			const left = this.at(place).find(({ run }) => !activeRuns.has(run));
			const isSame = requestIn(place) === requestKey(purchase);
			if (left) return { ...left, place, isSame };
		}
		return undefined;
	}

	private at(key: string): StoredRecord[] {
		return storedRecords.parse(this.records[key]).flatMap(({ run, purchase }) => {
			const sentBy = purchase.state === 'pending' ? purchase.sentBy : undefined;
			const known = sentBy === undefined ? undefined : late?.get(sentBy);
			return known === 'refused' ? [] : [{ run, purchase: known ?? purchase }];
		});
	}

	private replace(key: string, run: string, ...by: StoredRecord[]): void {
		const records = [...this.at(key).filter((record) => record.run !== run), ...by];
		if (records.length > 0) this.records[key] = records.map(toJson);
		else delete this.records[key];
	}
}
