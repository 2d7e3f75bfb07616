import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ServiceError } from '../core/errors';
import { detectImage } from '../media/magicBytes';
import type { Service } from '../core/service';
import { unixSeconds } from '../core/time/clock';
import { bearerAccount } from '../core/http/auth';

/** "Over 20971520 bytes" is too much (spec, section 7). */
export const LARGEST_UPLOAD = 20_971_520;
const KEPT_FOR = 72 * 60 * 60 * 1000;

/** `POST /v1/uploads/images` (spec, section 7). Its errors carry no `code`. */
export function uploadRoutes(app: FastifyInstance, service: Service): void {
	app.post('/v1/uploads/images', async (request) => {
		bearerAccount(service, request);
		const { filename, bytes } = await fileField(request);
		if (bytes.length > LARGEST_UPLOAD) throw refused(`The file is larger than ${LARGEST_UPLOAD} bytes.`);
		const format = detectImage(bytes);
		if (!format) throw refused('The type is not supported; allowed are jpeg, png, gif and webp.');

		const now = service.clock.now();
		const file = service.files.add({
			name: `${service.ids.next('upload')}.${format.extension}`,
			contentType: format.type,
			content: { type: 'bytes', bytes },
			expiresAt: now + KEPT_FOR,
			padTo: null,
		});
		return {
			url: service.files.url(file),
			filename,
			content_type: format.type,
			bytes: bytes.length,
			created_at: unixSeconds(now),
		};
	});
}

async function fileField(request: FastifyRequest): Promise<{ filename: string; bytes: Buffer }> {
	if (!request.isMultipart()) throw refused('The request is not multipart form data.');
	let found: { filename: string; bytes: Buffer } | undefined;
	// One byte more than is allowed tells a file that is too large from one that just fits.
	for await (const part of request.parts({ limits: { fileSize: LARGEST_UPLOAD + 1 } })) {
		if (part.type !== 'file') continue;
		const bytes = await part.toBuffer();
		if (part.fieldname === 'file' && !found) found = { filename: part.filename, bytes };
	}
	if (!found || found.bytes.length === 0) throw refused('The field "file" is missing or holds no file.');
	return found;
}

function refused(message: string): ServiceError {
	return new ServiceError(400, message, null);
}
