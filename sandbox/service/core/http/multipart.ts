import type { FastifyRequest } from 'fastify';
import type { ServiceError } from '../errors';

/** A multipart form: its field `file`, and its text fields. */
export interface Form {
	filename: string;
	/** As the client states it. */
	contentType: string;
	bytes: Buffer;
	fields: Record<string, string>;
}

/**
 * @param largest bytes; one byte more is read, so that the caller can recognize a file that is too large
 * @param refused makes the error for a form without a file
 */
export async function readForm(
	request: FastifyRequest,
	largest: number,
	refused: (message: string) => ServiceError,
): Promise<Form> {
	if (!request.isMultipart()) throw refused('The request is not multipart form data.');
	let file: Omit<Form, 'fields'> | undefined;
	const fields: Record<string, string> = {};
	for await (const part of request.parts({ limits: { fileSize: largest + 1 } })) {
		if (part.type !== 'file') {
			fields[part.fieldname] = String(part.value);
			continue;
		}
		const bytes = await part.toBuffer();
		if (part.fieldname === 'file' && !file)
			file = { filename: part.filename, contentType: part.mimetype, bytes };
	}
	if (!file || file.bytes.length === 0)
		throw refused('The field "file" is missing or holds no file.');
	return { ...file, fields };
}
