import { isObject } from '../util/json';

/** A key that is a plain word, such as `task`, may be a part of any field's name. */
const PLAIN_WORD = /^[a-z_]{1,15}$/i;

/** Number of characters that a text is searched for first: a pattern of the whole key takes 15 ms to compile, one of its start 1 ms. */
const START = 6;

/** Shorter pieces of an encoded key may occur in any text. */
const SHORTEST_PIECE = 8;

const escaped = (text: string) => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');

/** Hexadecimal digits, in lower or upper case. */
const hex = (digits: string) =>
	digits.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);

/**
 * A character as it is, or as URLs and JSON write it. It may be escaped without need, and more than once: `/`, `%2F`, `%252f`, `\/`,
 * `\u002f`. The limits keep the time for a long row of such signs in proportion to its length.
 */
function characterPattern(character: string): string {
	const bytes = [...Buffer.from(character)]
		.map((byte) => `%(?:25){0,2}${hex(byte.toString(16).padStart(2, '0'))}`)
		.join('');
	const units = character
		.split('')
		.map((unit) => `\\\\{1,4}u${hex(unit.charCodeAt(0).toString(16).padStart(4, '0'))}`)
		.join('');
	// Forms write a blank as a plus.
	const itself = character === ' ' ? '[ +]' : escaped(character);
	return `(?:\\\\{0,4}${itself}|${bytes}|${units})`;
}

/** The key in base64 at any place in a text, such as after `Bearer `: without the characters that it shares with the text around it. */
function base64Pieces(key: string): string[] {
	const bytes = Buffer.from(key);
	const pieces = [0, 1, 2].map((before) => {
		const text = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64');
		return text.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6));
	});
	return pieces.flatMap((piece) => [piece, piece.replaceAll('+', '-').replaceAll('/', '_')]);
}

/** A pattern of all forms of a key, or of the first characters of each. */
function keyPattern(key: string, characters?: number): string {
	const pattern = (text: string, toPattern: (character: string) => string) =>
		[...text].slice(0, characters).map(toPattern).join('');
	const digits = Buffer.from(key).toString('hex');
	const pieces = base64Pieces(key).filter(({ length }) => length >= SHORTEST_PIECE);
	return [
		pattern(key, characterPattern),
		...(digits.length >= SHORTEST_PIECE ? [pattern(digits, hex)] : []),
		...new Set(pieces.map((piece) => pattern(piece, escaped))),
	].join('|');
}

/** What a copy adds to a key. n8n drops characters that are not seen from a header: the service would repeat another text than is hidden here. */
const COPIED = /^[\s\p{Cf}]*Bearer[\s\p{Cf}]+|\p{Cf}/giu;

export const keyAsSent = (given: string): string => given.replace(COPIED, '').trim();

const MASK = '•••';

const MASK_IN_URL = encodeURIComponent(MASK);

export const isMasked = (url: string) => url.includes(MASK) || url.includes(MASK_IN_URL);

const unchanged = {
	redactText: (text: string) => text,
	redact: (value: unknown) => value,
	reveal: (url: string) => url,
};

export type Redactor = typeof unchanged;

/** Replaces a key in whatever came from outside: as it is, and as URLs, JSON, base64 and hexadecimal digits encode it. */
export function redactor(key: string): Redactor {
	if (key === '') return unchanged;
	const isWord = PLAIN_WORD.test(key);
	const start = new RegExp(keyPattern(key, START));
	let whole: RegExp | undefined;
	const redactText = (text: string): string => {
		if (!start.test(text)) return text;
		whole ??= new RegExp(keyPattern(key), 'g');
		return text.replace(whole, MASK);
	};
	/** At any depth of a value. */
	const redact = (value: unknown): unknown => {
		if (typeof value === 'string') return redactText(value);
		if (Array.isArray(value)) return value.map(redact);
		if (!isObject(value)) return value;
		return Object.fromEntries(
			Object.entries(value).map(([name, inner]) => [
				isWord ? name : redactText(name),
				redact(inner),
			]),
		);
	};
	const inUrl = encodeURIComponent(key);
	/** Puts the key back into a URL of the service: a task's ID, or a link, may hold it. */
	const reveal = (url: string) =>
		[MASK, MASK_IN_URL].reduce((shown, mask) => shown.replaceAll(mask, () => inUrl), url);
	return { redactText, redact, reveal };
}
