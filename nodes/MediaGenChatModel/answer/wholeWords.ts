/** Maximum number of characters of one word that are held back. */
const LONGEST = 4_000;

/** A key has ASCII characters without blanks. Scripts such as Chinese have no blanks at all, and need not be held back. */
const isOfKey = (code: number) => code > 0x20 && code < 0x7f;

/** Cuts a streamed text before its last word, so that what must not be shown, such as a key, comes in one piece. */
export function wholeWords(text: string): [whole: string, rest: string] {
	let begun = text.length;
	while (begun > 0 && isOfKey(text.charCodeAt(begun - 1))) begun--;
	const end = text.length - begun > LONGEST ? text.length : begun;
	return [text.slice(0, end), text.slice(end)];
}
