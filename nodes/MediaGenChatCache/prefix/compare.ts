import type { Part } from '../conversation';
import { CHECK_LENGTH, checksOf } from './checks';
import {
	type BlockFingerprint,
	CHUNK_CHARACTERS,
	chunkHashes,
	hashOf,
	type PrefixFingerprint,
	splitChunks,
} from './fingerprint';

/** Where a prefix begins to differ from an earlier one. Blocks and characters count from 1. */
export interface Difference {
	/** Blocks before it that are the same, in the order in which the model reads them. */
	same: number;
	/** Number of the block in the list "Cached Blocks". */
	block: number;
	/** The first character that differs, or the first that may. */
	from: number;
	/** The last character that may be the first to differ; the same as `from` where that is known. */
	to: number;
	/** What is different, where it is not the text. */
	what?: 'model' | 'place' | 'end';
}

/** The first character, from 1, in which a text differs from the one of a stored fingerprint. */
function firstDifferentCharacter(stored: BlockFingerprint, text: string): Pick<Difference, 'from' | 'to'> {
	const checked = stored.checks.length / CHECK_LENGTH;
	const checks = checksOf(text.slice(0, checked));
	for (let at = 0; at < checked; at++) {
		const [start, end] = [at * CHECK_LENGTH, (at + 1) * CHECK_LENGTH];
		if (checks.slice(start, end) !== stored.checks.slice(start, end)) return { from: at + 1, to: at + 1 };
	}
	const before = splitChunks(stored.chunks);
	const now = chunkHashes(text, checked);
	const found = now.findIndex((hash, at) => hash !== before[at]);
	const chunk = found === -1 ? now.length : found;
	const from = checked + chunk * CHUNK_CHARACTERS + 1;
	// Where one of the two ends with the chunk before, nothing is left to search in.
	const isEnd = chunk >= now.length || chunk >= before.length;
	return { from, to: isEnd ? from : from + CHUNK_CHARACTERS - 1 };
}

function compareBlocks(stored: BlockFingerprint, part: Part): Omit<Difference, 'same' | 'block'> | undefined {
	if (stored.role !== part.role) return { from: 1, to: 1, what: 'place' };
	if (stored.hash === hashOf(part.text)) return undefined;
	return firstDifferentCharacter(stored, part.text);
}

/**
 * Where a prefix differs from the one of a fingerprint; `undefined` where it is the same. It is the same, too, where
 * one of them only goes on behind the other and a marker that both have lets the common part be read.
 */
export function compare(
	stored: PrefixFingerprint,
	model: string,
	prefix: readonly Part[],
): Difference | undefined {
	if (stored.model !== model) return { same: -1, block: 1, from: 1, to: 1, what: 'model' };
	let sharesMarker = false;
	for (const [at, part] of prefix.entries()) {
		const before = stored.blocks[at];
		const block = part.block ?? at + 1;
		if (!before) return sharesMarker ? undefined : { same: at, block, from: 1, to: 1 };
		const difference = compareBlocks(before, part);
		if (difference) return { same: at, block, ...difference };
		sharesMarker ||= before.marked && part.ttl !== undefined;
	}
	if (sharesMarker || stored.blocks.length === prefix.length) return undefined;
	const last = prefix.at(-1);
	const end = (last?.text.length ?? 0) + 1;
	return { same: prefix.length, block: last?.block ?? prefix.length, from: end, to: end, what: 'end' };
}

/** How a prefix compares with the nearest of several: the same as one of them, or the difference that comes last. */
export function compareWithAll(
	stored: readonly PrefixFingerprint[],
	model: string,
	prefix: readonly Part[],
): Difference | 'same' | 'nothing to compare with' {
	const differences = stored.map((fingerprint) => compare(fingerprint, model, prefix));
	if (differences.includes(undefined)) return 'same';
	const [nearest] = differences
		.filter((difference) => difference !== undefined)
		.sort((a, b) => b.same - a.same || b.from - a.from);
	return nearest ?? 'nothing to compare with';
}
