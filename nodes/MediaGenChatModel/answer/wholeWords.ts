/** Maximum number of characters of one word that are held back. */
const LONGEST = 4_000;

/** A key has ASCII characters without blanks. Scripts such as Chinese have no blanks at all, and need not be held back. */
const isOfKey = (code: number) => code > 0x20 && code < 0x7f;

/** Cuts a streamed text only between words, so that what must not be shown, such as a key, comes in one piece. */
export class WholeWords {
	/** What is held back: at the end, the last word. */
	rest = '';

	/** Returns the words that this piece completes. */
	add(piece: string): string {
		const text = this.rest + piece;
		let begun = text.length;
		while (begun > 0 && isOfKey(text.charCodeAt(begun - 1))) begun--;
		const end = text.length - begun > LONGEST ? text.length : begun;
		this.rest = text.slice(end);
		return text.slice(0, end);
	}
}
