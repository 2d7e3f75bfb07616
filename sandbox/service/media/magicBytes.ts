/** The picture formats that an upload may have (spec, section 7), by their first bytes as Latin-1 text. */
const FORMATS = [
	{ type: 'image/jpeg', extension: 'jpg', start: /^\u00ff\u00d8\u00ff/ },
	{ type: 'image/png', extension: 'png', start: /^\u0089PNG\r\n\u001a\n/ },
	{ type: 'image/gif', extension: 'gif', start: /^GIF8[79]a/ },
	{ type: 'image/webp', extension: 'webp', start: /^RIFF[^]{4}WEBP/ },
];

/** The format of a file by its first bytes; `undefined` for anything but the four allowed formats. */
export function detectImage(bytes: Buffer) {
	const head = bytes.toString('latin1', 0, 12);
	return FORMATS.find(({ start }) => start.test(head));
}
