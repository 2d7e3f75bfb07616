import { z } from 'zod/v3';

const tableSchema = z.array(z.unknown()).min(1);

/**
 * Reads the form in which n8n sends an execution's data (the "flatted" format): a list of values, the first of which is the
 * root; inside objects and arrays, a string is the position of a value in that list.
 *
 * The library of that name cannot be loaded from CommonJS TypeScript, and this is all that is needed of it.
 */
export function unflatten(text: string): unknown {
	const table = tableSchema.parse(JSON.parse(text));
	const built = new Map<number, unknown>();

	const resolve = (entry: unknown): unknown =>
		typeof entry === 'string' ? build(Number(entry)) : entry;
	const build = (position: number): unknown => {
		if (built.has(position)) return built.get(position);
		const value = table[position];
		if (typeof value !== 'object' || value === null) return value;
		// Known before it is filled, as a value may contain itself.
		const result: unknown[] | Record<string, unknown> = Array.isArray(value) ? [] : {};
		built.set(position, result);
		for (const [key, entry] of Object.entries(value))
			Object.assign(result, { [key]: resolve(entry) });
		return result;
	};
	return build(0);
}
