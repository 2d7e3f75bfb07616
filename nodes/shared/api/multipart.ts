import { randomUUID } from 'crypto';

const CRLF = '\r\n';

/** Quotes a name for a `Content-Disposition` header as browsers do (RFC 7578, section 2). */
function quoted(name: string): string {
	const escapes: Record<string, string> = { '"': '%22', '\r': '%0D', '\n': '%0A' };
	return `"${name.replace(/["\r\n]/g, (character) => escapes[character] ?? '')}"`;
}

/** A file whose size is known and whose content comes piece by piece. */
export interface FileSource {
	fileName: string;
	mimeType: string;
	bytes: number;
	chunks: AsyncIterable<Buffer>;
}

/**
 * A multipart form with one file in it, as one buffer. The pieces go straight to their place, so that the file is in
 * memory once. Throws an `Error` when there is more or less of it than was said.
 */
export async function multipartFile(
	field: string,
	file: FileSource,
): Promise<{ body: Buffer; contentType: string }> {
	const boundary = `----mediagen-${randomUUID()}`;
	const head = Buffer.from(
		[
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
		if (end + chunk.length > body.length - tail.length) throw new Error('The file is larger than it was said to be');
		end += chunk.copy(body, end);
	}
	if (end !== body.length - tail.length) throw new Error('The file is smaller than it was said to be');
	tail.copy(body, end);
	return { body, contentType: `multipart/form-data; boundary=${boundary}` };
}
