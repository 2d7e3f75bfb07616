import {
	type BlockFingerprint,
	CHUNK_CHARACTERS,
	firstDifferentChunk,
	type PrefixFingerprint,
} from './fingerprint';

/** Where a prefix begins to differ from an earlier one. Blocks and characters count from 1. */
export interface Difference {
	/** Number of equal blocks before it, in the order in which the model reads them. */
	same: number;
	/** Number of the block in the list "Cached Blocks". */
	block: number;
	/** The first character of the first chunk that differs. */
	from: number;
	/** The last character of that chunk; the same as `from` where the exact character is known. */
	to: number;
	/** What is different, if not the text. */
	what?: 'model' | 'place' | 'end';
}

function compareBlocks(
	before: BlockFingerprint,
	now: BlockFingerprint,
): Omit<Difference, 'same' | 'block'> | undefined {
	if (before.role !== now.role) return { from: 1, to: 1, what: 'place' };
	if (before.hash === now.hash && before.length === now.length) return undefined;
	// Where one of the two texts ends before a chunk of the other, the difference is its end.
	const { chunk, isEnd } = firstDifferentChunk(before.chunks, now.chunks);
	const from = chunk * CHUNK_CHARACTERS + 1;
	return {
		from,
		to: isEnd ? from : Math.min(from + CHUNK_CHARACTERS - 1, Math.max(before.length, now.length)),
	};
}

/**
 * Where a prefix differs from an earlier one; `undefined` if it is the same. It counts as the same, too, if one of them only
 * continues the other and a marker that both have lets the common part be read.
 */
export function compare(before: PrefixFingerprint, now: PrefixFingerprint): Difference | undefined {
	if (before.model !== now.model) return { same: -1, block: 1, from: 1, to: 1, what: 'model' };
	let sharesMarker = false;
	for (const [at, block] of now.blocks.entries()) {
		const earlier = before.blocks[at];
		if (!earlier)
			return sharesMarker ? undefined : { same: at, block: block.block, from: 1, to: 1 };
		const difference = compareBlocks(earlier, block);
		if (difference) return { same: at, block: block.block, ...difference };
		sharesMarker ||= earlier.marked && block.marked;
	}
	if (sharesMarker || before.blocks.length === now.blocks.length) return undefined;
	const last = now.blocks.at(-1);
	const end = (last?.length ?? 0) + 1;
	return { same: now.blocks.length, block: last?.block ?? 1, from: end, to: end, what: 'end' };
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
		.sort((a, b) => b.same - a.same || b.from - a.from);
	return nearest ?? 'new';
}
