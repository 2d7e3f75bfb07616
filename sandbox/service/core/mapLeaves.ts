/** A copy of a JSON value in which each text, number, boolean and null is changed. `name` is the field that it is in. */
export function mapLeaves(
	value: unknown,
	change: (leaf: unknown, name: string) => unknown,
	name = '',
): unknown {
	if (Array.isArray(value)) return value.map((inner) => mapLeaves(inner, change, name));
	if (typeof value !== 'object' || value === null) return change(value, name);
	return Object.fromEntries(
		Object.entries(value).map(([key, inner]) => [key, mapLeaves(inner, change, key)]),
	);
}
