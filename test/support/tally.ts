/** How often each value is there. */
export function tally(values: readonly unknown[]): Record<string, number> {
	const counts: Record<string, number> = {};
	for (const value of values.map(String)) counts[value] = (counts[value] ?? 0) + 1;
	return counts;
}
