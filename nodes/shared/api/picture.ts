/** Pictures the service stores: types and size (spec §7). */
export const UPLOAD_MAX_BYTES = 20_971_520;

export const PICTURE_TYPES = ['image/jpeg', 'image/png', 'image/gif', 'image/webp'] as const;

export type PictureType = (typeof PICTURE_TYPES)[number];

const startsWith = (bytes: Buffer, signature: string, at = 0) =>
	bytes.subarray(at, at + signature.length).toString('latin1') === signature;

/** A picture's type by its first bytes, whatever its name says; `undefined` if the service would refuse it. */
export function pictureType(bytes: Buffer): PictureType | undefined {
	if (startsWith(bytes, '\xff\xd8\xff')) return 'image/jpeg';
	if (startsWith(bytes, '\x89PNG\r\n\x1a\n')) return 'image/png';
	if (startsWith(bytes, 'GIF87a') || startsWith(bytes, 'GIF89a')) return 'image/gif';
	if (startsWith(bytes, 'RIFF') && startsWith(bytes, 'WEBP', 8)) return 'image/webp';
	return undefined;
}
