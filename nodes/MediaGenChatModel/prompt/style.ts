import { cacheControl, type ChatEndpoint } from '../../shared/api/chat';
import type { Fields, ModelOptions } from '../fields';
import type { Question } from './question';

/** An object of a request that can have a cache marker. */
export type Block = Record<string, unknown>;

/** The ends of what stays the same from request to request, from the most constant to the least. Absent where there is none. */
export interface Ends {
	lastTool?: Block;
	lastSystem?: Block;
	lastQuestion?: Block;
	/** The last block that may have a marker. */
	last?: Block;
}

/** One of the two request styles (spec §8). */
export interface ChatStyle extends ChatEndpoint {
	/** The fields of a request that hold a question, and where markers can stand in them. */
	toPrompt(question: Question): { fields: Record<string, unknown>; ends: Ends };
	streaming: Record<string, unknown>;
}

/** Services refuse some of their fields if they are empty lists: such a field is not sent. */
export const ifAny = <List extends readonly unknown[]>(list: List): List | undefined =>
	list.length > 0 ? list : undefined;

type History = ModelOptions['cachedHistory'];

const MARKED: Readonly<Record<History, ReadonlyArray<keyof Ends>>> = {
	all: ['lastTool', 'lastSystem', 'lastQuestion', 'last'],
	question: ['lastTool', 'lastSystem', 'lastQuestion'],
	none: ['lastTool', 'lastSystem'],
};

/**
 * Puts markers into a request, at most four: services of this kind accept no more. Each is inside a block (cache rule 2). The most constant
 * part has its own, so that it is read even when everything after it has changed.
 */
export function mark(ends: Ends, caching: Fields['caching'], history: History): void {
	if (caching === 'off') return;
	for (const end of MARKED[history]) {
		const block = ends[end];
		if (block) block.cache_control = cacheControl(caching);
	}
}
