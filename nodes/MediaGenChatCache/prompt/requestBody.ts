import { HOUR_CACHE_HEADER, type TextBlock, textBlock } from '../shared/api/chat';
import type { Conversation, Part } from './conversation';
import { markersIn } from './extraBody';

/** A turn. Its content is always a list of blocks: on plain text a marker would do nothing (cache rule 2). */
type Turn = { role: string; content: TextBlock[] };

/** The blocks of the given parts, in order. */
export function blocksOf(parts: readonly Part[]): TextBlock[] {
	return parts.map(({ text, ttl }) => textBlock(text, ttl));
}

/** The turns of the given parts; neighbours of the same role are blocks of one turn, so that roles take turns. */
export function turnsOf(parts: readonly Part[]): Turn[] {
	const turns: Turn[] = [];
	for (const part of parts) {
		const last = turns.at(-1);
		if (last?.role === part.role) last.content.push(...blocksOf([part]));
		else turns.push({ role: part.role, content: blocksOf([part]) });
	}
	return turns;
}

/** The header that a prefix of one hour asks for, and no header where there is none (cache rule 1). */
export function hourCacheHeader(given: Conversation, parts: readonly Part[]): Record<string, string> {
	const wantsHour = parts.some(({ ttl }) => ttl === '1h') || markersIn(given.extra_body).includes('1h');
	return wantsHour ? HOUR_CACHE_HEADER : {};
}
