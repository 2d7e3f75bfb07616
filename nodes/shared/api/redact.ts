import { createHash } from 'crypto';

import { isObject } from '../util/json';

/** A key that is a plain word, such as `task`, may be a part of any field's name. */
const PLAIN_WORD = /^[a-z_]{1,15}$/i;

/** Shorter pieces of an encoded key may stand in any text. */
const SHORTEST_PIECE = 8;

const escaped = (text: string) => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');

/** Hexadecimal digits, small or capital. */
const hex = (digits: string) =>
	digits.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);

/**
 * A character as it is, or as URLs and JSON have it. Whether it must be escaped does not matter, and it may be so more than once:
 * `/`, `%2F`, `%252f`, `\/`, `\u002f`. The limits keep the time for a long row of such signs in proportion to its length.
 */
function characterPattern(character: string): string {
	const bytes = [...Buffer.from(character)]
		.map((byte) => `%(?:25){0,2}${hex(byte.toString(16).padStart(2, '0'))}`)
		.join('');
	const units = [...Array(character.length).keys()].map((at) =>
		character.charCodeAt(at).toString(16).padStart(4, '0'),
	);
	return `(?:\\\\{0,4}${escaped(character)}|${bytes}|${units.map((unit) => `\\\\{1,4}u${hex(unit)}`).join('')})`;
}

/** The key in base64, wherever in the encoded text it stands, such as after `Bearer `: without the characters that it shares with what stands beside it. */
function base64Pieces(key: string): string[] {
	const bytes = Buffer.from(key);
	const pieces = [0, 1, 2].map((before) => {
		const text = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64');
		return text.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6));
	});
	return pieces.flatMap((piece) => [piece, piece.replaceAll('+', '-').replaceAll('/', '_')]);
}

function keyPattern(key: string): RegExp {
	const digits = Buffer.from(key).toString('hex');
	const pieces = base64Pieces(key).filter((piece) => piece.length >= SHORTEST_PIECE);
	const encoded = [
		...(digits.length >= SHORTEST_PIECE ? [hex(digits)] : []),
		...new Set(pieces.map(escaped)),
	];
	return new RegExp([[...key].map(characterPattern).join(''), ...encoded].join('|'), 'g');
}

/** Replaces a key in whatever came from outside: as it is, and as URLs, JSON, base64 and hexadecimal digits have it. */
export interface Redactor {
	/** At any depth of a value. */
	redact: (value: unknown) => unknown;
	/** In a text. */
	redactText: (text: string) => string;
}

function compileRedactor(key: string): Redactor {
	const isWord = PLAIN_WORD.test(key);
	const pattern = keyPattern(key);
	const redactText = (text: string): string => text.replace(pattern, '•••');
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
	return { redactText, redact };
}

const unchanged: Redactor = { redactText: (text) => text, redact: (value) => value };

/**
 * Compiling a pattern takes 15 ms, more than all else that a node does for a small answer. Most n8n have one key. It must not stay in
 * memory: the garbage collection takes the pattern with it.
 */
let latest = { digest: '', redactor: new WeakRef(unchanged) };

/** The redactor of a key; without a key there is nothing to replace. */
export function redactor(key: string): Redactor {
	if (key === '') return unchanged;
	const digest = createHash('sha256').update(key).digest('base64');
	const known = digest === latest.digest ? latest.redactor.deref() : undefined;
	if (known) return known;
	const made = compileRedactor(key);
	latest = { digest, redactor: new WeakRef(made) };
	return made;
}
