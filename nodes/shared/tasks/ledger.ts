import { createHash } from 'crypto';
import type { IDataObject } from 'n8n-workflow';

import { z } from '../vendor/zod';

/** n8n keeps this object with the execution's own data, for as long as the execution lives. */
interface ExecutionMemory {
	getContext(type: 'node'): IDataObject;
	getWorkflowDataProxy(itemIndex: number): object;
}

const KEY = 'mediaGenSubmissions';

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

	/** Drops one entry: its task has failed and was refunded, so a second run is to buy it anew. */
	drop(itemIndex: number, request: unknown): void {
		const { [this.keyOf(itemIndex, request)]: _, ...rest } = this.entries();
		this.context[KEY] = rest;
	}

	/** Forgets this run: the node has returned what it bought. */
	forget(): void {
		const others = Object.entries(this.entries()).filter(([key]) => !key.startsWith(`${this.runIndex}:`));
		if (others.length > 0) this.context[KEY] = Object.fromEntries(others);
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
