import type { Usage } from '../../../nodes/shared/api/chatUsage';

/** What an answer used, of which these parts are not nothing. */
export const usageOf = (parts: Partial<Usage>): Usage => ({
	...{ inputTotal: 0, inputUncached: 0, cacheRead: 0, output: 0, cacheHit: false },
	...{ cacheWrite: 0, cacheWrite5m: 0, cacheWrite1h: 0 },
	...parts,
});
