import { randomUUID } from 'crypto';

const CRLF = '\r\n';

/** Quotes a name for a `Content-Disposition` header as browsers do (RFC 7578, section 2). */
function quoted(name: string): string {
	const escapes: Record<string, string> = { '"': '%22', '\r': '%0D', '\n': '%0A' };
	return `"${name.replace(/["\r\n]/g, (character) => escapes[character] ?? '')}"`;
}

/** A file whose content comes in pieces, or as one text in base64. */
export interface FileSource {
	fileName: string;
	mimeType: string;
	/** The size; of a text the most that it can have: line breaks in it count for nothing. */
	bytes: number;
	content: string | Iterable<Buffer> | AsyncIterable<Buffer>;
}

const TOO_LONG = 'The file is larger than its stated size';
const TOO_SHORT = 'The file is smaller than its stated size';

/** Writes a file to its place, without a copy of it elsewhere. Returns its size. */
async function write({ content, bytes }: FileSource, place: Buffer): Promise<number> {
	if (typeof content === 'string') return place.write(content, 'base64');
	let end = 0;
	for await (const piece of content) {
		if (end + piece.length > bytes) throw new Error(TOO_LONG);
		end += piece.copy(place, end);
	}
	if (end < bytes) throw new Error(TOO_SHORT);
	return end;
}

/**
 * A multipart form with one file and any number of text fields, as one buffer. Throws an `Error` when the pieces of the file do not
 * have the stated size.
 */
export async function multipartForm(
	field: string,
	file: FileSource,
	textFields: ReadonlyArray<readonly [name: string, value: string]> = [],
): Promise<{ body: Buffer; headers: { 'content-type': string } }> {
	const boundary = `----mediagen-${randomUUID()}`;
	const texts = textFields.flatMap(([name, value]) => [
		`--${boundary}`,
		`Content-Disposition: form-data; name=${quoted(name)}`,
		'',
		value,
	]);
	const head = Buffer.from(
		[
			...texts,
			`--${boundary}`,
			`Content-Disposition: form-data; name=${quoted(field)}; filename=${quoted(file.fileName)}`,
			`Content-Type: ${file.mimeType}`,
			'',
			'',
		].join(CRLF),
	);
	const tail = Buffer.from(`${CRLF}--${boundary}--${CRLF}`);
	const body = Buffer.allocUnsafe(head.length + file.bytes + tail.length);
	head.copy(body);
	const end = head.length + (await write(file, body.subarray(head.length, -tail.length)));
	const length = end + tail.copy(body, end);
	return {
		body: body.subarray(0, length),
		headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
	};
}
