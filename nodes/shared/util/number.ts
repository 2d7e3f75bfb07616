const NUMERIC = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i;

/** The number that a text is, blanks around it apart; `undefined` for any other text. Linear in the length of the text. */
export function parseNumber(text: string): number | undefined {
	const trimmed = text.trim();
	return NUMERIC.test(trimmed) ? Number(trimmed) : undefined;
}
