import type { FastifyInstance } from 'fastify';
import { ServiceError } from '../core/errors';
import { readForm } from '../core/http/multipart';
import { detectImage } from '../media/magicBytes';
import type { Service } from '../core/service';
import { unixSeconds } from '../core/time/clocks';
import { bearerAccount } from '../core/http/auth';

/** "Over 20971520 bytes" is too much (spec, section 7). */
export const LARGEST_UPLOAD = 20_971_520;
const KEPT_FOR = 72 * 60 * 60 * 1000;

/** `POST /v1/uploads/images` (spec, section 7). Its errors carry no `code`. */
export function uploadRoutes(app: FastifyInstance, service: Service): void {
	app.post('/v1/uploads/images', async (request) => {
		bearerAccount(service, request);
		const { filename, bytes } = await readForm(request, LARGEST_UPLOAD, refused);
		const format = detectImage(bytes);
		if (!format) throw refused('The type is not supported; allowed are jpeg, png, gif and webp.');

		const now = service.clock.now();
		const file = service.files.add({
			name: `${service.ids.next('upload')}.${format.extension}`,
			contentType: format.type,
			content: service.files.keepUpload(bytes),
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

function refused(message: string): ServiceError {
	return new ServiceError(400, message, null);
}
