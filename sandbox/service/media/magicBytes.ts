/** The picture formats that an upload may have (spec, section 7). */
const FORMATS: ReadonlyArray<{
	type: string;
	extension: string;
	matches: (bytes: Buffer) => boolean;
}> = [
	{
		type: 'image/jpeg',
		extension: 'jpg',
		matches: (bytes) => startsWith(bytes, [0xff, 0xd8, 0xff]),
	},
	{
		type: 'image/png',
		extension: 'png',
		matches: (bytes) => startsWith(bytes, [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
	},
	{
		type: 'image/gif',
		extension: 'gif',
		matches: (bytes) => /^GIF8[79]a/.test(bytes.toString('latin1', 0, 6)),
	},
	{
		type: 'image/webp',
		extension: 'webp',
		matches: (bytes) =>
			bytes.toString('latin1', 0, 4) === 'RIFF' && bytes.toString('latin1', 8, 12) === 'WEBP',
	},
];

/** The format of a file by its first bytes; `null` for anything but the four allowed formats. */
export function detectImage(bytes: Buffer): { type: string; extension: string } | null {
	const format = FORMATS.find(({ matches }) => matches(bytes));
	return format ? { type: format.type, extension: format.extension } : null;
}

function startsWith(bytes: Buffer, magic: readonly number[]): boolean {
	return magic.every((byte, index) => bytes[index] === byte);
}
