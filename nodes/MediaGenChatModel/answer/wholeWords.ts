/** Characters that are held back at most: a text without blanks. */
const LONGEST = 4_000;

/** Cuts a text that comes in pieces between its words, so that what must not be shown, such as a key, comes in one piece. */
export class WholeWords {
	private rest = '';

	/** The words that are whole with this piece. */
	add(piece: string): string {
		this.rest += piece;
		const end = this.rest.length > LONGEST ? this.rest.length : this.rest.search(/\S*$/);
		const words = this.rest.slice(0, end);
		this.rest = this.rest.slice(end);
		return words;
	}

	/** What is left at the end of the text. */
	end(): string {
		const { rest } = this;
		this.rest = '';
		return rest;
	}
}
