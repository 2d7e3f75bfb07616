/** Width and height in pixels. */
export interface Size {
	width: number;
	height: number;
}

/** The ratio of a list, such as `16:9`, that is nearest to a size. */
export function nearestRatio<Ratio extends string>(
	{ width, height }: Size,
	ratios: readonly [Ratio, ...Ratio[]],
): Ratio {
	const distance = (ratio: string) => {
		const [across = 1, down = 1] = ratio.split(':').map(Number);
		return Math.abs(Math.log(across / down) - Math.log(width / height));
	};
	return ratios.reduce((best, ratio) => (distance(ratio) < distance(best) ? ratio : best));
}
