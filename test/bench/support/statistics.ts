/** The value that a share (0 to 1) of the values does not exceed; one of them, never a mean of two. */
export function quantile(values: readonly number[], share: number): number {
	const sorted = [...values].sort((a, b) => a - b);
	const found = sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)];
	if (found === undefined) throw new Error('There is nothing to take a quantile of.');
	return found;
}

export const median = (values: readonly number[]) => quantile(values, 0.5);
