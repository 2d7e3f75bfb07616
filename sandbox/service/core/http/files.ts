import type { FastifyInstance, FastifyReply } from 'fastify';
import { paddedStream } from '../../media/media';
import { ServiceError } from '../errors';
import type { Service } from '../service';
import { blobFile, type StoredFile } from '../store/files';

/** Downloads of results and uploads. The links are public: no key is needed. */
export function fileRoutes(app: FastifyInstance, service: Service): void {
	app.get<{ Params: { name: string } }>('/files/:name', async (request, reply) => {
		const file = service.files.find(request.params.name);
		if (!file) throw new ServiceError(404, 'file not found');
		if (service.files.isExpired(file)) throw new ServiceError(410, 'The link has expired.');
		return await sendFile(service, reply, file);
	});

	app.get<{ Params: { bytes: string } }>(
		'/files/blob/:bytes(^\\d{1,12}).bin',
		async (request, reply) => sendFile(service, reply, blobFile(Number(request.params.bytes))),
	);
}

async function sendFile(
	service: Service,
	reply: FastifyReply,
	file: StoredFile,
): Promise<FastifyReply> {
	const bytes = await service.media.bytes(file);
	reply.type(file.contentType);
	if (file.padTo === null) return await reply.send(bytes);
	return await reply.header('content-length', file.padTo).send(paddedStream(file.padTo, bytes));
}
