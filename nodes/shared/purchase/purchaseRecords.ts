import { createHash } from 'crypto';
import type { IDataObject } from 'n8n-workflow';

import { z } from '../util/vendor/zod';

/** n8n keeps this object with the execution's own data, for as long as the execution lives. */
interface ExecutionMemory {
	getContext(type: 'node'): IDataObject;
	getWorkflowDataProxy(itemIndex: number): object;
}

const KEY = 'mediaGenSubmissions';

/** Stands where the task's id will be. */
const UNSETTLED = '?';

/** Stands before the key of what a run has left behind when it threw. */
const LEFT = 'left:';

const memory = z.record(z.string());

const proxy = z.object({ $runIndex: z.number() });

/**
 * What this run of the node has already bought, so that running it again ("Retry On Fail") picks the tasks up
 * instead of buying them twice. It is kept with the execution; an entry's key has the node's run index, the item's
 * index and the request in it, for a loop that asks twice for the same picture wants two. What a run has bought and not
 * given back because it threw goes to the next run that asks for the same: some of n8n's agents give each try of a tool a
 * run index of its own.
 */
export class SubmissionLedger {
	private readonly context: IDataObject;

	private readonly runIndex: number;

	/** Keys that this run has used: a run beside it can have the same index. */
	private readonly own = new Set<string>();

	constructor(execution: ExecutionMemory) {
		this.context = execution.getContext('node');
		this.runIndex = proxy.parse(execution.getWorkflowDataProxy(0)).$runIndex;
	}

	/** What was recorded for this item and request: a task id, or an upload's URL. */
	find(itemIndex: number, request: unknown): string | undefined {
		const purchase = purchaseOf(itemIndex, request);
		const key = this.keyOf(purchase);
		const entries = this.entries();
		if (entries[key] !== undefined) return entries[key];
		const left = Object.keys(entries).find((other) => other.startsWith(LEFT) && other.endsWith(`:${purchase}`));
		return left === undefined ? undefined : this.move(left, key);
	}

	record(itemIndex: number, request: unknown, value: string): void {
		this.put(this.keyOf(purchaseOf(itemIndex, request)), value);
	}

	/** Notes that a purchase is being sent: until it is settled, nobody knows whether it was made. */
	open(itemIndex: number, request: unknown): void {
		this.record(itemIndex, request, UNSETTLED);
	}

	/** Whether an earlier try at this purchase broke off without an answer. */
	isUnsettled(itemIndex: number, request: unknown): boolean {
		return this.find(itemIndex, request) === UNSETTLED;
	}

	/** Drops a purchase that surely was not made. */
	withdraw(itemIndex: number, request: unknown): void {
		const own = this.keyOf(purchaseOf(itemIndex, request));
		this.keep(([key]) => key !== own);
	}

	/** Drops a task that has failed and was refunded, so that a second run buys it anew. */
	drop(taskId: string): void {
		this.keep(([, value]) => value !== taskId);
	}

	/** Forgets this run: the node has returned what it bought. */
	forget(): void {
		const run = `${this.runIndex}:`;
		this.keep(([key]) => !key.startsWith(run) && !key.startsWith(LEFT + run));
	}

	/** Does what uses this ledger. If it throws, what it has bought is there for the next run that asks for the same. */
	async leavingOnThrow<Result>(work: () => Promise<Result>): Promise<Result> {
		let threw = true;
		try {
			const result = await work();
			threw = false;
			return result;
		} finally {
			if (threw) for (const key of this.own) this.move(key, LEFT + key);
		}
	}

	private move(from: string, to: string): string | undefined {
		const value = this.entries()[from];
		if (value === undefined) return undefined;
		this.keep(([key]) => key !== from);
		this.put(to, value);
		return value;
	}

	private put(key: string, value: string): void {
		this.context[KEY] = { ...this.entries(), [key]: value };
	}

	private keep(wanted: (entry: [key: string, value: string]) => boolean): void {
		const kept = Object.entries(this.entries()).filter(wanted);
		if (kept.length > 0) this.context[KEY] = Object.fromEntries(kept);
		else delete this.context[KEY];
	}

	private entries(): Record<string, string> {
		return memory.catch({}).parse(this.context[KEY] ?? {});
	}

	private keyOf(purchase: string): string {
		const key = `${this.runIndex}:${purchase}`;
		this.own.add(key);
		return key;
	}
}

function purchaseOf(itemIndex: number, request: unknown): string {
	const digest = createHash('sha256').update(JSON.stringify(request)).digest('hex');
	return `${itemIndex}:${digest.slice(0, 32)}`;
}
