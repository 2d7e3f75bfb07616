import type { FastifyRequest } from 'fastify';
import type { ServiceError } from '../errors';

/**
 * Reads a multipart form: its field `file`, with name and type as the client states them, and its text fields.
 * @param largest bytes that the file may have
 * @param refused makes the error for a form without a file, or with one that is too large
 */
export async function readForm(
	request: FastifyRequest,
	largest: number,
	refused: (message: string) => ServiceError,
) {
	if (!request.isMultipart()) throw refused('The request is not multipart form data.');
	let file: { filename: string; contentType: string; bytes: Buffer } | undefined;
	const fields: Record<string, string> = {};
	// One byte more than allowed is read, which tells a file that is too large.
	for await (const part of request.parts({ limits: { fileSize: largest + 1 } })) {
		if (part.type !== 'file') {
			fields[part.fieldname] = String(part.value);
			continue;
		}
		const bytes = await part.toBuffer();
		if (part.fieldname === 'file')
			file ??= { filename: part.filename, contentType: part.mimetype, bytes };
	}
	if (!file || file.bytes.length === 0)
		throw refused('The field "file" is missing or holds no file.');
	if (file.bytes.length > largest) throw refused(`The file is larger than ${largest} bytes.`);
	return { ...file, fields };
}
