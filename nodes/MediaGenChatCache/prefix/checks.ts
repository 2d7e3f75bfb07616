/** Letters of base64url, six bits each. */
const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** Letters that one check takes: 12 bits. */
export const CHECK_LENGTH = 2;

/** Spreads 32 bits over all of them, so that the low ones depend on every bit (the finaliser of MurmurHash3). */
function spread(state: number): number {
	const once = Math.imul(state ^ (state >>> 16), 0x85ebca6b);
	const twice = Math.imul(once ^ (once >>> 13), 0xc2b2ae35);
	return twice ^ (twice >>> 16);
}

const toLetters = (bits: number) => (LETTERS[(bits >>> 6) & 63] ?? '') + (LETTERS[bits & 63] ?? '');

/**
 * One check of 12 bits for each character (UTF-16 unit) of a text, made of the character and of all that stand before
 * it. Up to the first character in which two texts differ their checks are equal; at that one they differ for sure
 * where the characters are below U+1000 (Latin, Greek, Cyrillic, Hebrew, Arabic and more), else but for one case in
 * 4096, where the next character tells.
 *
 * The checks cannot be read, but whoever sets out to can compute the text from them: they are no cipher.
 */
export function checksOf(text: string): string {
	const checks: string[] = [];
	// FNV-1a, over UTF-16 units.
	let state = 0x811c9dc5;
	for (let at = 0; at < text.length; at++) {
		const unit = text.charCodeAt(at);
		const folded = (unit & 0xfff) ^ Math.imul(unit >>> 12, 0x2f3);
		checks.push(toLetters(spread(state) ^ folded));
		state = Math.imul(state ^ unit, 0x01000193);
	}
	return checks.join('');
}
