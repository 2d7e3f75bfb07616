import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { hashOf } from '../../shared/util/json';
import { z } from '../../shared/util/vendor/zod';
import type { Part } from '../prompt/conversation';

const blockFingerprint = z.object({
	/** Its number in the list "Cached Blocks", from 1. */
	block: z.number(),
	marked: z.boolean(),
	/** Hash of the prompt up to the end of the block: of all places and texts. */
	hash: z.string(),
});

const prefixFingerprint = z.object({ model: z.string(), blocks: z.array(blockFingerprint) });

/** What is kept of a prefix, without its text: enough to find the first block in which another prefix differs. */
export type PrefixFingerprint = z.infer<typeof prefixFingerprint>;

/** Reads each text once: the items of a run usually share their blocks. */
export function oncePerText<Result>(read: (text: string) => Result): (text: string) => Result {
	const known = new Map<string, Result>();
	return (text) => {
		const found = known.get(text) ?? read(text);
		known.set(text, found);
		return found;
	};
}

export function createFingerprinter() {
	const hashOfText = oncePerText<string>(hashOf);
	return (model: string, prefix: readonly Part[]): PrefixFingerprint => {
		let hash = '';
		const blocks = prefix.map(({ role, text, ttl, block }, at) => {
			hash = hashOf([hash, hashOfText(`${role}\n${text}`)]);
			return { block: block ?? at + 1, marked: ttl !== undefined, hash };
		});
		return { model, blocks };
	};
}

/** Keys of the marked prefixes, the shortest first. A request can read what another one with the same key wrote. */
export const prefixKeys = ({ model, blocks }: PrefixFingerprint) =>
	blocks.filter(({ marked }) => marked).map(({ hash }) => `${model} ${hash}`);

/**
 * Index of the first block in which a prefix differs from an earlier one of its model; `undefined` if they are the same. They also count as
 * the same if one only continues the other and a marker that both have lets the common part be read.
 */
function changeOf(before: PrefixFingerprint, now: PrefixFingerprint): number | undefined {
	const changed = now.blocks.findIndex(({ hash }, at) => hash !== before.blocks[at]?.hash);
	const common = changed < 0 ? now.blocks.length : changed;
	const isRead = now.blocks
		.slice(0, common)
		.some(({ marked }, at) => marked && before.blocks[at]?.marked);
	const onlyContinues = common === now.blocks.length || common === before.blocks.length;
	const areEqual = common === now.blocks.length && common === before.blocks.length;
	return areEqual || (onlyContinues && isRead) ? undefined : common;
}

const MAX_PREFIXES = 10;

/** How a prefix compares with the last run: `model` if the model changed, or the number of the first block that changed. */
export type Comparison = 'new' | 'same' | 'model' | number;

/** Compares a prefix with the nearest of several: `same` if it equals one of them, else the change that comes latest. */
export function compareWithAll(
	before: readonly PrefixFingerprint[],
	now: PrefixFingerprint,
): Comparison {
	if (before.length === 0) return 'new';
	const ofModel = before.filter(({ model }) => model === now.model);
	if (ofModel.length === 0) return 'model';
	const changes = ofModel.map((each) => changeOf(each, now));
	if (changes.includes(undefined)) return 'same';
	const nearest = Math.max(...changes.filter((change) => change !== undefined));
	// The prefix may be one of those that were not kept.
	if (nearest === 0 && before.length >= MAX_PREFIXES) return 'new';
	return (now.blocks[nearest] ?? now.blocks.at(-1))?.block ?? 1;
}

const KEY = 'mediaGenPrefixes';

const stored = z.array(prefixFingerprint).catch([]);

/** The prefixes of the node's last run, in static data: n8n saves it for production executions only; in others it lasts until their end. */
export class PrefixMemory {
	private readonly data: IDataObject;

	readonly lastRun: PrefixFingerprint[];

	constructor(context: Pick<IExecuteFunctions, 'getWorkflowStaticData'>) {
		this.data = context.getWorkflowStaticData('node');
		this.lastRun = stored.parse(this.data[KEY] ?? []);
	}

	keep(prefixes: readonly PrefixFingerprint[]): void {
		const different = new Map(
			prefixes
				.filter(({ blocks }) => blocks.length > 0)
				.map((each) => [JSON.stringify(each), each]),
		);
		const kept = [...different.values()].slice(0, MAX_PREFIXES);
		// A write that changes nothing would still make n8n save the workflow's data.
		if (kept.length > 0 && JSON.stringify(kept) !== JSON.stringify(this.lastRun))
			this.data[KEY] = kept;
	}
}
