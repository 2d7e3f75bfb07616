import type { PrefixFingerprint } from './fingerprint';

/** Where a prefix begins to differ from an earlier one. */
export interface Difference {
	/** Number of equal blocks before it, in the order in which the model reads them. */
	same: number;
	/** Number of the block in the list "Cached Blocks", from 1. */
	block: number;
	what: 'model' | 'place' | 'text' | 'end';
}

/**
 * Where a prefix differs from an earlier one; `undefined` if it is the same. It counts as the same, too, if one of them only
 * continues the other and a marker that both have lets the common part be read.
 */
export function compare(before: PrefixFingerprint, now: PrefixFingerprint): Difference | undefined {
	if (before.model !== now.model) return { same: -1, block: 1, what: 'model' };
	let sharesMarker = false;
	for (const [at, block] of now.blocks.entries()) {
		const earlier = before.blocks[at];
		if (!earlier && sharesMarker) return undefined;
		const difference = { same: at, block: block.block };
		if (earlier && earlier.role !== block.role) return { ...difference, what: 'place' };
		if (earlier?.hash !== block.hash) return { ...difference, what: 'text' };
		sharesMarker ||= earlier.marked && block.marked;
	}
	if (sharesMarker || before.blocks.length === now.blocks.length) return undefined;
	return { same: now.blocks.length, block: now.blocks.at(-1)?.block ?? 1, what: 'end' };
}

/** The result for a run without earlier prefixes is `new`. */
export type Comparison = Difference | 'same' | 'new';

/** Compares a prefix with the nearest of several: the same as one of them, or the difference that comes last. */
export function compareWithAll(
	before: readonly PrefixFingerprint[],
	now: PrefixFingerprint,
): Comparison {
	const differences = before.map((each) => compare(each, now));
	if (differences.includes(undefined)) return 'same';
	const [nearest] = differences
		.filter((difference) => difference !== undefined)
		.sort((a, b) => b.same - a.same);
	return nearest ?? 'new';
}
