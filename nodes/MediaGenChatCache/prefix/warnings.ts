import {
	CACHE_TTLS,
	endWarnings,
	isRefused,
	MIN_PREFIX_TOKENS,
	USUAL_CACHE_MARKERS,
} from '../../shared/api/chat';
import { count, NO_USAGE, type Usage } from '../../shared/api/chatUsage';
import { unlistedNotes } from '../../shared/n8n/parameters';
import { said } from '../../shared/util/json';
import type { findVolatile } from '../../shared/util/volatile';
import type { Part } from '../prompt/conversation';
import type { Comparison } from './fingerprint';

const nameOf = (part: Part) => `Block ${part.block ?? '?'}`;

/** UTF-8 bytes per token: about right for English prose, and a low estimate of the tokens for most other scripts. */
const BYTES_PER_TOKEN = 4;

const isCached = (usage: Usage | undefined) =>
	usage !== undefined && usage.cacheRead + usage.cacheWrite > 0;

function unlistedTtls(prefix: readonly Part[]): string[] {
	const words = { ttl: 'lifetime' };
	return [
		...new Set(prefix.flatMap(({ ttl }) => unlistedNotes({ ttl }, { ttl: CACHE_TTLS }, words))),
	];
}

function shortPrefixes(prefix: readonly Part[], usage: Usage | undefined): string[] {
	let bytes = 0;
	return prefix.flatMap((part, at) => {
		bytes += Buffer.byteLength(part.text);
		const tokens = Math.ceil(bytes / BYTES_PER_TOKEN);
		if (part.ttl === undefined || tokens >= MIN_PREFIX_TOKENS) return [];
		// The service's own count is more reliable than the estimate.
		if (at === prefix.length - 1 && isCached(usage)) return [];
		return `${nameOf(part)} ends a prefix of about ${count(tokens)} tokens by a rough estimate. Below about ${count(MIN_PREFIX_TOKENS)} the service may ignore its marker: put more of the text that stays the same before it.`;
	});
}

function volatileTexts(prefix: readonly Part[], findVolatile: Answered['findVolatile']): string[] {
	return prefix.flatMap((part) =>
		findVolatile(part.text).map(({ what, character, count: found }) => {
			const more = found > 1 ? `, and ${count(found - 1)} more of this kind` : '';
			return `${nameOf(part)} has what looks like ${what} at character ${count(character)}${more}. If it changes with each request, the cache is never read: move it into the question.`;
		}),
	);
}

function change(comparison: Comparison | undefined): string | undefined {
	if (comparison === 'model')
		return 'The model is not the one of the last run. It may not read what was cached before.';
	return typeof comparison === 'number'
		? `The prefix changed at block ${comparison} since the last run. What was cached before is not read from there on.`
		: undefined;
}

interface Answered {
	text: string;
	prefix: readonly Part[];
	/** How the prefix compares with that of the last run; `undefined` if that is not watched. */
	comparison: Comparison | undefined;
	stopReason: string | null;
	usage: Usage | undefined;
	/** Cache markers in the request, those in "Additional Body Fields" included. */
	markers: number;
	findVolatile: typeof findVolatile;
}

/** What keeps the cache from working for one item (cache rules 3 to 6), and what is missing in its answer. */
export function warningsOf(answered: Answered): string[] {
	const { text, prefix, comparison, stopReason, usage, markers, findVolatile } = answered;
	const refused = isRefused(answered);
	const short = shortPrefixes(prefix, usage);
	const isNotCached =
		prefix.length > 0 && short.length === 0 && usage !== undefined && !isCached(usage) && !refused;
	return said(
		refused
			? `The model refused to answer (stop reason "${stopReason}"). The next request does not read what this one wrote to the cache.`
			: endWarnings(answered),
		text === '' &&
			!refused &&
			'No text was found in the answer. The whole answer is in the field "response".',
		usage === undefined && NO_USAGE,
		markers > USUAL_CACHE_MARKERS &&
			`${markers} blocks are marked. Services of this kind usually accept ${USUAL_CACHE_MARKERS} markers: one marker caches everything before it too, so set the "Cache For" of the others to "Not Marked".`,
		markers === 0 &&
			'Nothing is cached: no block in "Cached Blocks" has both a text and a "Cache For".',
		unlistedTtls(prefix),
		short,
		isNotCached &&
			'The service neither wrote to the cache nor read from it. The prefix may be shorter than the model requires, or the model may not cache.',
		// If the prefix is still the same, nothing in it changes with each request.
		comparison !== 'same' && volatileTexts(prefix, findVolatile),
		prefix.length > 0 && change(comparison),
	);
}
