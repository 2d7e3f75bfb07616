import { HOUR_CACHE_HEADER, type TextBlock, textBlock } from '../../shared/api/chat';
import { isObject } from '../../shared/util/json';
import type { Part } from './conversation';

/** A turn. Its content is always a list of blocks: on plain text a marker has no effect (cache rule 2). */
type Turn = { role: string; content: TextBlock[] };

export const blocksOf = (parts: readonly Part[]) => parts.map(({ text, ttl }) => textBlock(text, ttl));

/** The turns of the given parts. Neighbors of the same role are blocks of one turn, so that roles alternate. */
export function turnsOf(parts: readonly Part[]): Turn[] {
	const turns: Turn[] = [];
	for (const part of parts) {
		const last = turns.at(-1);
		if (last?.role === part.role) last.content.push(...blocksOf([part]));
		else turns.push({ role: part.role, content: blocksOf([part]) });
	}
	return turns;
}

/** The lifetimes of all cache markers at any depth of a value; `undefined` for one that names none. */
export function markersIn(value: unknown): unknown[] {
	if (Array.isArray(value)) return value.flatMap(markersIn);
	if (!isObject(value)) return [];
	return Object.entries(value).flatMap(([name, inner]) =>
		name === 'cache_control' && isObject(inner) ? [inner.ttl] : markersIn(inner),
	);
}

/** The header that a marker of one hour requires; none without such a marker (cache rule 1). */
export const hourCacheHeader = (body: unknown): Record<string, string> =>
	markersIn(body).includes('1h') ? HOUR_CACHE_HEADER : {};
