/** Grid-image operations: lists, limits and the records they build on (spec §4). */

export const GRID_SPEEDS = ['relax', 'fast', 'turbo'] as const;

/** The pictures of a grid, V1 to V4. */
export const GRID_INDEX = { min: 1, max: 4 } as const;

/** Actions whose result cannot be re-rolled. The words for upscaled and panned tasks are not shown: these are the usual ones. */
export const NOT_REROLLABLE = /variation|upscale|pan(?![a-z])/i;

/** Operations that make a grid. The word for a first one is not shown: this is the usual one. */
export const MAKES_GRID: ReadonlySet<string> = new Set([
	'imagine',
	'variation',
	'lowVariation',
	'reroll',
]);
