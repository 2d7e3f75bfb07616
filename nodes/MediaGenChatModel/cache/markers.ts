import { cacheControl } from '../../shared/api/chat';
import type { Fields, ModelOptions } from '../fields';
import type { Ends } from '../prompt/style';

type History = ModelOptions['cachedHistory'];

const MARKED: Readonly<Record<History, ReadonlyArray<keyof Ends>>> = {
	all: ['lastTool', 'lastSystem', 'lastQuestion', 'last'],
	question: ['lastTool', 'lastSystem', 'lastQuestion'],
	none: ['lastTool', 'lastSystem'],
};

/**
 * Puts markers into a request, at most four: services of this kind accept no more. Each is inside a block, the only place where it has an
 * effect (cache rule 2). The most constant part has its own, so that it is read even when everything after it has changed.
 */
export function mark(ends: Ends, caching: Fields['caching'], history: History): void {
	if (caching === 'off') return;
	for (const end of MARKED[history]) {
		const block = ends[end];
		if (block) block.cache_control = cacheControl(caching);
	}
}
