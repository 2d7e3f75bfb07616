import { objectOf, toText } from '../util/json';
import { isMeantAsLink, resolveLink } from './address';
import { enveloped, toMilliseconds } from './records';

export const UPLOADS_PATH = '/v1/uploads/images';

/** Hours for which a stored picture is public (spec §7). */
export const UPLOAD_LINK_HOURS = 72;

/** Pictures the service stores: types and size (spec §7). */
export const UPLOAD_MAX_BYTES = 20_971_520;

export const PICTURE_TYPES = ['image/jpeg', 'image/png', 'image/gif', 'image/webp'] as const;

const startsWith = (bytes: Buffer, signature: string, at = 0) =>
	bytes.subarray(at, at + signature.length).toString('latin1') === signature;

/** A picture's type by its first bytes, whatever its name says; `undefined` if the service would refuse it. */
export function pictureType(bytes: Buffer): (typeof PICTURE_TYPES)[number] | undefined {
	if (startsWith(bytes, '\xff\xd8\xff')) return 'image/jpeg';
	if (startsWith(bytes, '\x89PNG\r\n\x1a\n')) return 'image/png';
	if (startsWith(bytes, 'GIF87a') || startsWith(bytes, 'GIF89a')) return 'image/gif';
	if (startsWith(bytes, 'RIFF') && startsWith(bytes, 'WEBP', 8)) return 'image/webp';
	return undefined;
}

/** The byte of a WebP with the alpha bit, by its first chunk. The chunk of a lossy picture, `VP8 `, has none. */
const ALPHA_BYTE: Readonly<Record<string, number>> = { VP8X: 20, VP8L: 24 };

const ALPHA_BIT = 0x10;

/** Whether a picture has no alpha channel, by its first bytes. A GIF counts as one that has it. */
export function isOpaque(bytes: Buffer): boolean {
	const type = pictureType(bytes);
	// The color types 4 and 6 have one; the others may name transparent colors, before their content.
	if (type === 'image/png' && [4, 6].includes(bytes[25] ?? 0)) return false;
	if (type === 'image/png') return !bytes.includes('tRNS') && bytes.includes('IDAT');
	if (type !== 'image/webp') return type === 'image/jpeg';
	const at = ALPHA_BYTE[bytes.subarray(12, 16).toString('latin1')];
	return at === undefined ? startsWith(bytes, 'VP8 ', 12) : ((bytes[at] ?? 0) & ALPHA_BIT) === 0;
}

/**
 * Reads a stored picture (spec, Uploaded image record): `raw` as received, without an envelope, and its dates in milliseconds since 1970. Its
 * link may be relative to `baseUrl`, like those of results.
 */
export function readUpload(answer: unknown, baseUrl: string) {
	const whole = objectOf(answer);
	const raw = typeof whole.url === 'string' ? whole : (enveloped(whole) ?? whole);
	const given = toText(raw.url) ?? '';
	const url = isMeantAsLink(given) ? resolveLink(given, baseUrl) : undefined;
	const createdAt = toMilliseconds(raw.created_at);
	const expiresAt = toMilliseconds(raw.expires_at);
	return url === undefined ? undefined : { raw, url, createdAt, expiresAt };
}

export type UploadRecord = NonNullable<ReturnType<typeof readUpload>>;
