import { MIN_PREFIX_TOKENS, REFUSAL } from '../shared/api/chat';
import type { Part } from './conversation';
import type { Difference } from './prefix/compare';
import { estimateTokens } from './prefix/estimate';
import { findVolatile } from './prefix/volatile';
import type { Usage } from './usage';

const count = (value: number) => value.toLocaleString('en-US');

const nameOf = (part: Part) => `Block ${part.block ?? '?'}`;

/** Whether the service has used its cache for an answer at all. */
const isCached = (usage: Usage | undefined) => usage !== undefined && usage.cacheRead + usage.cacheWrite > 0;

function shortPrefixes(prefix: readonly Part[], usage: Usage | undefined): string[] {
	return prefix.flatMap((part, at) => {
		const tokens = estimateTokens(prefix.slice(0, at + 1));
		if (part.ttl === undefined || tokens >= MIN_PREFIX_TOKENS) return [];
		// What the service did beats what is estimated here.
		if (at === prefix.length - 1 && isCached(usage)) return [];
		return [
			`${nameOf(part)} ends a prefix of about ${count(tokens)} tokens by a rough estimate. Below about ${count(MIN_PREFIX_TOKENS)} the service may ignore its marker without saying so: put more of what stays the same before it.`,
		];
	});
}

function volatileTexts(prefix: readonly Part[]): string[] {
	return prefix.flatMap((part) =>
		findVolatile(part.text).map(({ what, character, count: many }) => {
			const more = many > 1 ? `, and ${count(many - 1)} more of the kind` : '';
			return `${nameOf(part)} has what looks like ${what} at character ${count(character)}${more}. Should it change with each request, the cache is never read: move it into the question.`;
		}),
	);
}

function changed({ block, from, to, what }: Difference): string {
	const consequence = 'What was cached before is not read from there on.';
	switch (what) {
		case 'model':
			return 'The model is another one than in the last run. What was cached before may not be read by it.';
		case 'place':
			return `The prefix changed at block ${block}, character 1: the block has another place than in the last run. ${consequence}`;
		case 'end':
			return `The prefix changed at block ${block}, character ${count(from)}: it ends there, and in the last run it went on without a marker at this block. What was cached before may not be read.`;
		case undefined:
			return from === to
				? `The prefix changed at block ${block}, character ${count(from)}, since the last run. ${consequence}`
				: `The prefix changed at block ${block}, between the characters ${count(from)} and ${count(to)}, since the last run. ${consequence}`;
	}
}

/** What is known of an item once it has been answered. */
export interface Answered {
	prefix: readonly Part[];
	/** How the prefix compares with the last run's; absent where that is not watched. */
	comparison: Difference | 'same' | 'nothing to compare with' | undefined;
	stopReason: string | null;
	usage: Usage | undefined;
	/** Markers that stand in "Extra Body Fields". */
	otherMarkers: number;
}

/** What keeps the cache from working for one item (cache rules 3 to 6), a sentence or two each. */
export function warningsOf({ prefix, comparison, stopReason, usage, otherMarkers }: Answered): string[] {
	const warnings: string[] = [];
	if (stopReason === REFUSAL) {
		warnings.push(
			'The model refused to answer (stop reason "refusal"). What this request may have written to the cache is not read by the next one.',
		);
	}
	if (usage === undefined) {
		warnings.push('The answer says nothing of its usage, so whether the cache worked is not known.');
	}
	if (prefix.length === 0) {
		if (otherMarkers === 0) {
			warnings.push('No block is marked, so nothing is cached: set the "Cache For" of a block in "Cached Blocks".');
		}
		return warnings;
	}
	const short = shortPrefixes(prefix, usage);
	warnings.push(...short);
	if (short.length === 0 && usage !== undefined && !isCached(usage) && stopReason !== REFUSAL) {
		warnings.push(
			'The service neither wrote to the cache nor read from it. The prefix may be shorter than the model asks for, or the model may not cache.',
		);
	}
	// A prefix that is still the same holds nothing that changes by itself.
	if (comparison !== 'same') warnings.push(...volatileTexts(prefix));
	if (typeof comparison === 'object') warnings.push(changed(comparison));
	return warnings;
}
