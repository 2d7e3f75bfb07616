import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { z } from '../../shared/util/vendor/zod';
import type { Conversation, Part } from '../conversation';
import { type CheckBudget, fingerprintOf, type PrefixFingerprint, prefixFingerprint } from './fingerprint';

const KEY = 'mediaGenPrefixes';

/** Different prefixes of one run that are kept. */
const MAX_PREFIXES = 10;

/** Characters that get a check of their own, in all prefixes of a run together: two bytes each. */
const MAX_CHECKED_CHARACTERS = 50_000;

const stored = z.array(prefixFingerprint).catch([]);

interface AskedPrefix {
	given: Conversation;
	prefix: readonly Part[];
}

/**
 * The prefixes of the node's last run, kept with the workflow. n8n saves this only for executions of an active
 * workflow that a trigger has started; in other executions it lasts until their end, which is enough for a loop.
 */
export class PrefixMemory {
	private readonly data: IDataObject;

	readonly lastRun: PrefixFingerprint[];

	constructor(context: Pick<IExecuteFunctions, 'getWorkflowStaticData'>) {
		this.data = context.getWorkflowStaticData('node');
		this.lastRun = stored.parse(this.data[KEY] ?? []);
	}

	/** Keeps the prefixes of this run in place of the last one's. */
	keep(asked: readonly AskedPrefix[]): void {
		const budget: CheckBudget = { characters: MAX_CHECKED_CHARACTERS };
		const different = new Map<string, AskedPrefix>();
		for (const one of asked) {
			if (one.prefix.length === 0) continue;
			const key = JSON.stringify([one.given.model, one.prefix]);
			if (different.size < MAX_PREFIXES) different.set(key, one);
		}
		if (different.size === 0) return;
		const prints = [...different.values()].map(({ given, prefix }) => fingerprintOf(given.model, prefix, budget));
		// A write that changes nothing would still make n8n save the workflow's data.
		if (JSON.stringify(prints) !== JSON.stringify(this.lastRun)) this.data[KEY] = prints;
	}
}
