import { randomUUID } from 'crypto';

const CRLF = '\r\n';

/** Quotes a name for a `Content-Disposition` header as browsers do (RFC 7578, section 2). */
function quoted(name: string): string {
	const escapes: Record<string, string> = { '"': '%22', '\r': '%0D', '\n': '%0A' };
	return `"${name.replace(/["\r\n]/g, (character) => escapes[character] ?? '')}"`;
}

/** A file of known size whose content comes in pieces. */
export interface FileSource {
	fileName: string;
	mimeType: string;
	bytes: number;
	chunks: AsyncIterable<Buffer>;
}

const TOO_LONG = 'The file is larger than its stated size';
const TOO_SHORT = 'The file is smaller than its stated size';

/**
 * A multipart form with one file and any number of text fields, as one buffer. The pieces of the file go straight to their
 * place, so that the file is in memory once. Throws an `Error` when its size is not as stated.
 */
export async function multipartForm(
	field: string,
	file: FileSource,
	textFields: ReadonlyArray<readonly [name: string, value: string]> = [],
): Promise<{ body: Buffer; contentType: string }> {
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
	let end = head.length;
	for await (const chunk of file.chunks) {
		if (end + chunk.length > body.length - tail.length) throw new Error(TOO_LONG);
		end += chunk.copy(body, end);
	}
	if (end !== body.length - tail.length) throw new Error(TOO_SHORT);
	tail.copy(body, end);
	return { body, contentType: `multipart/form-data; boundary=${boundary}` };
}
