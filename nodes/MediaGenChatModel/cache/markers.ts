import { cacheControl } from '../../shared/api/chat';
import type { Block, Ends } from '../prompt/style';

/** How long the service keeps the prompt; `off` sends no markers. */
export type Caching = 'off' | '5m' | '1h';

/** Which part of the talk is cached, besides the system prompt and the tools. */
export type History = 'all' | 'question' | 'none';

const MARKED: Readonly<Record<History, ReadonlyArray<keyof Ends>>> = {
	all: ['lastTool', 'lastSystem', 'lastQuestion', 'last'],
	question: ['lastTool', 'lastSystem', 'lastQuestion'],
	none: ['lastTool', 'lastSystem'],
};

/**
 * Puts markers into a request, at most four: services of this kind accept no more. Each is inside a block, the only place where it has an
 * effect (cache rule 2). The most constant part has its own, so that it is read even when everything after it has changed.
 */
export function mark(ends: Ends, caching: Caching, history: History): void {
	if (caching === 'off') return;
	const blocks: ReadonlyArray<Block | undefined> = MARKED[history].map((end) => ends[end]);
	for (const block of blocks) if (block) block.cache_control = cacheControl(caching);
}
