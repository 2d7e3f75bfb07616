import { randomUUID } from 'crypto';

const CRLF = '\r\n';

/** Quotes a name for a `Content-Disposition` header as browsers do (RFC 7578, section 2). */
function quoted(name: string): string {
	const escapes: Record<string, string> = { '"': '%22', '\r': '%0D', '\n': '%0A' };
	return `"${name.replace(/["\r\n]/g, (character) => escapes[character] ?? '')}"`;
}

/** A multipart form with one file in it, as one buffer. */
export function multipartFile(
	field: string,
	file: { content: Buffer; fileName: string; mimeType: string },
): { body: Buffer; contentType: string } {
	const boundary = `----mediagen-${randomUUID()}`;
	const head = [
		`--${boundary}`,
		`Content-Disposition: form-data; name=${quoted(field)}; filename=${quoted(file.fileName)}`,
		`Content-Type: ${file.mimeType}`,
		'',
		'',
	].join(CRLF);
	const tail = `${CRLF}--${boundary}--${CRLF}`;
	return {
		body: Buffer.concat([Buffer.from(head), file.content, Buffer.from(tail)]),
		contentType: `multipart/form-data; boundary=${boundary}`,
	};
}
