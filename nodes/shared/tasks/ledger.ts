import { createHash } from 'crypto';
import type { IDataObject } from 'n8n-workflow';

import { z } from '../vendor/zod';

/** n8n keeps this object with the execution's own data, for as long as the execution lives. */
interface ExecutionMemory {
	getContext(type: 'node'): IDataObject;
	getWorkflowDataProxy(itemIndex: number): object;
}

const KEY = 'mediaGenSubmissions';

/** Stands where the task's id will be. */
const UNSETTLED = '?';

const memory = z.record(z.string());

const proxy = z.object({ $runIndex: z.number() });

/**
 * What this run of the node has already bought, so that running it again ("Retry On Fail") picks the tasks up
 * instead of buying them twice. It is kept with the execution; an entry's key has the node's run index, the item's
 * index and the request in it, for a loop that asks twice for the same picture wants two.
 */
export class SubmissionLedger {
	private readonly context: IDataObject;

	private readonly runIndex: number;

	constructor(execution: ExecutionMemory) {
		this.context = execution.getContext('node');
		this.runIndex = proxy.parse(execution.getWorkflowDataProxy(0)).$runIndex;
	}

	/** What was recorded for this item and request: a task id, or an upload's URL. */
	find(itemIndex: number, request: unknown): string | undefined {
		return this.entries()[this.keyOf(itemIndex, request)];
	}

	record(itemIndex: number, request: unknown, value: string): void {
		this.context[KEY] = { ...this.entries(), [this.keyOf(itemIndex, request)]: value };
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
		const own = this.keyOf(itemIndex, request);
		this.keep(([key]) => key !== own);
	}

	/** Drops a task that has failed and was refunded, so that a second run buys it anew. */
	drop(taskId: string): void {
		this.keep(([, value]) => value !== taskId);
	}

	/** Forgets this run: the node has returned what it bought. */
	forget(): void {
		this.keep(([key]) => !key.startsWith(`${this.runIndex}:`));
	}

	private keep(wanted: (entry: [key: string, value: string]) => boolean): void {
		const kept = Object.entries(this.entries()).filter(wanted);
		if (kept.length > 0) this.context[KEY] = Object.fromEntries(kept);
		else delete this.context[KEY];
	}

	private entries(): Record<string, string> {
		return memory.catch({}).parse(this.context[KEY] ?? {});
	}

	private keyOf(itemIndex: number, request: unknown): string {
		const digest = createHash('sha256').update(JSON.stringify(request)).digest('hex');
		return `${this.runIndex}:${itemIndex}:${digest.slice(0, 32)}`;
	}
}
