import type { INodePropertyOptions } from 'n8n-workflow';

const capitalised = (value: string) => value.charAt(0).toUpperCase() + value.slice(1);

/** An option list whose values are the API's own, in their own order. */
export function toOptions<const Value extends string>(
	values: readonly Value[],
	descriptions: Partial<Record<Value, string>> = {},
	names: Partial<Record<Value, string>> = {},
): INodePropertyOptions[] {
	return values.map((value) => ({
		name: names[value] ?? capitalised(value),
		value,
		...(descriptions[value] === undefined ? {} : { description: descriptions[value] }),
	}));
}
