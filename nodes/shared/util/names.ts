/** A parameter's name as a field of the API: `negativeTags` → `negative_tags`. */
export function toApiName(parameter: string): string {
	return parameter.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

const capitalized = (word: string) => word.charAt(0).toUpperCase() + word.slice(1);

/** A field of the API as a parameter's name: `credits_cost` → `creditsCost`. Linear in the length of the name. */
export function toCamelCase(apiName: string): string {
	const [first = apiName, ...rest] = apiName.split('_').filter((word) => word !== '');
	return first + rest.map(capitalized).join('');
}

export const camelCased = (fields: Readonly<Record<string, unknown>>) =>
	Object.fromEntries(Object.entries(fields).map(([name, value]) => [toCamelCase(name), value]));

/** A value of the API as a label: `lead_vocal` → `Lead Vocal`. */
export const toTitle = (value: string) => value.split(/[_-]/).map(capitalized).join(' ');

/** The order of two names of Latin letters. A language's own order is slow to load, and panels are sorted when n8n starts. */
export const compareNames = (a: string, b: string) => (a < b ? -1 : 1);

/** An item, as a sheet counts its rows and as n8n counts items. */
export const rowOf = (itemIndex: number) => `row ${itemIndex + 1} (item ${itemIndex})`;

/** A message with the item that it is about. n8n's editor adds its own "[item 2]" only to a message without "item 2". */
export const atItem = (message: string, itemIndex: number | undefined) =>
	itemIndex === undefined ? message : `${message} [${rowOf(itemIndex)}]`;

/** The message of an item's error without the item, for a list that names the items. */
export const withoutItem = (message: string) => message.replace(/ \[row \d+ \(item \d+\)\]$/, '');

/** Names items by their numbers, e.g. "Row 5 (item 4)" or "Rows 1, 4 to 20 (items 0, 3 to 19)". `indexes` in ascending order. */
export function itemRanges(indexes: readonly number[]): string {
	const ranges: Array<[first: number, last: number]> = [];
	for (const index of indexes) {
		const range = ranges[ranges.length - 1];
		if (range && range[1] === index - 1) range[1] = index;
		else ranges.push([index, index]);
	}
	const from = (start: number) =>
		ranges
			.map(([first, last]) =>
				first === last ? String(first + start) : `${first + start} to ${last + start}`,
			)
			.join(', ');
	const [row, item] = indexes.length === 1 ? ['Row', 'item'] : ['Rows', 'items'];
	return `${row} ${from(1)} (${item} ${from(0)})`;
}
