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
